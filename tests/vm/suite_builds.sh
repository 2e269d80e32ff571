#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_builds.sh KERNEL: the driver builds without a warning for that kernel of each architecture; with
# a probe whose prototype is not its tracepoint's it does not. Headers are enough for that.
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/vm/common.sh"
cd "$top" || exit 1
[ $# = 1 ] || die "usage: ${0##*/} KERNEL"
kernel=$1 out=$build/out/builds-$1 code=0
rm -rf "$out"
mkdir -p "$out"

not_ok() { # NAME FILE
	tail -n 40 "$2" >&2
	echo "not ok builds_$1 see ${2#"$top/"}"
	code=1
}

for arch in x86_64 arm64 ppc64le s390x; do
	if scripts/vm/module "$kernel" "$arch" >"$out/$arch" 2>&1; then
		echo "ok builds_$arch"
	else
		not_ok "$arch" "$out/$arch"
	fi
done

# One argument more than its kernel hands over.
cp -r driver "$out/driver"
sed -i 's/^static void on_rename(.*const char \*comm/&, bool more/' "$out/driver/hook/task.c"
if cmp -s driver/hook/task.c "$out/driver/hook/task.c"; then
	echo "not ok builds_prototype there is no on_rename() in hook/task.c"
	code=1
elif PITRACE_BUILD=$out/build scripts/vm/module "$kernel" x86_64 "$out/driver" >"$out/prototype" 2>&1 ||
	! grep -qE 'hook/task.c:.*error:|error:.*callback_type_task_rename' "$out/prototype"; then
	not_ok prototype "$out/prototype"
else
	echo "ok builds_prototype"
fi
exit $code
