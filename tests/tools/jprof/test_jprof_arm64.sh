#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The agents for Java are built for arm64 too (no VM of it runs here): whole, by whatever a VM calls, with
# nothing that a VM's process does not have.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cross=aarch64-linux-gnu-
if ! command -v ${cross}gcc >/dev/null || [ ! -f "$build/lib/pitrace/libjprof.so" ]; then
	echo "skip jprof_arm64 no JDK, or no compiler for arm64"
	exit 77
fi
unset MAKEFLAGS MAKELEVEL SAN
cd "$top" || exit 1
mkdir -p "$build/vm"
to=$build/arm64
[ "$(uname -m)" != aarch64 ] || to=$build
# The guests' builds use the same folder.
flock "$build/vm/build.lock" make -s O="$to" ARCH=arm64 CROSS_COMPILE=$cross agents >"$work/out" 2>&1
verdict built $?
for agent in libjprof libpijit; do
	so=$to/lib/pitrace/$agent.so
	${cross}readelf -h "$so" >"$work/out" 2>&1
	grep -q 'Machine: *AArch64' "$work/out"
	verdict "${agent}_machine" $?
	is "${agent}_entries" "$(${cross}nm -D --defined-only "$so" | awk '{ print $3 }' | tr '\n' ' ')" "Agent_OnAttach Agent_OnLoad $(
		printf 'JavaCritical_pitrace_Hook_%s ' caught enter leave unwind)jprof_functions "
	is "${agent}_libraries" "$(${cross}readelf -d "$so" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | grep -v '^libgcc_s\|^ld-linux' | tr '\n' ' ')" 'libc.so.6 '
done
exit $((failures != 0))
