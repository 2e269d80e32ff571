#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_users.sh KERNEL ARCH [NAME]...: two unprivileged users and root against each other, with the
# module: the scripts tests/users/test_NAME.sh, all of them unless told.
. "$(dirname "$0")/suite.sh"
[ $# -gt 0 ] || for script in tests/users/test_*.sh; do
	name=${script##*/test_}
	set -- "$@" "${name%.sh}"
done
[ -n "$cross" ] || build_judge "$build/bin/mpevt"
# Busybox lacks much of what the scripts ask for, and its shell, its env and its timeout take its own
# setpriv whatever the path says: the real ones are in its place.
real=(bash awk cat chgrp chmod chown cmp cp cut env find getent grep head id ln ls mkdir mkfifo mknod
	mktemp mount mv pgrep readlink rm rmdir sed seq setpriv sleep sort stat tail timeout touch tr
	truncate uniq unshare wc)
options=()
for name in "${real[@]}"; do
	options+=(--prog "$name")
done
booted guest --mem 768 --timeout 1700 "${options[@]}" --add /bin/dash:/bin/sh --add tests/users:/users \
	--add "$build/lib/pitrace:/usr/local/lib/pitrace" \
	-- tests/vm/guest/users.sh "$@" || code=1
exit $code
