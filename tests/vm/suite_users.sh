#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_users.sh KERNEL ARCH [NAME]...: two unprivileged users and root against each other, with the
# module: the scripts tests/users/test_NAME.sh, all of them unless told.
. "$(dirname "$0")/suite.sh"
[ $# -gt 0 ] || for script in tests/users/test_*.sh; do
	name=${script##*/test_}
	set -- "$@" "${name%.sh}"
done
booted guest --mem 768 --timeout 800 --prog bash --prog setpriv --prog unshare --add tests/users:/users \
	--add "$build/lib/pitrace:/usr/local/lib/pitrace" \
	-- tests/vm/guest/users.sh "$@" || code=1
exit $code
