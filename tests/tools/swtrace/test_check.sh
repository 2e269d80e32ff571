#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swtrace check: what it says of the kernel's tracepoints, in words and JSON, where they can be read, may not be, and where
# nothing is mounted.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
format=events/sched/sched_switch/format
check() { # STATE WHY CURE COMMAND...: the lines of the tracepoints, and the JSON's
	"${@:4}" "$bin/swtrace" check >words 2>err
	"${@:4}" "$bin/swtrace" check --json >json 2>>err
	sed -n '/^tracepoints: /,/^[^ ]* .*is traced by/p' words | sed '1d; $d' | sed -E 's/^ +//; s/ +/ /g' >have
	printf '%s\n' "all $1 $2" ${3:+"fix it: $3"} >want
	diff want have >out && [ "$(jq -r '.tracepoints | "\(.state)|\(.why)|\(.cure)"' json)" = "$1|$2|$3" ] || { cat err json >>out && false; }
}
if [ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null; then
	echo "skip check needs root, and a mount namespace of its own"
	exit 77
fi
# shellcheck disable=SC2016 # another shell's
mounted='mount -t tmpfs none /sys/kernel/tracing && mkdir -p /sys/kernel/tracing/events/sched/sched_switch && echo "name: sched_switch" >/sys/kernel/tracing/'$format
check works 'this user can read their formats' '' unshare -m sh -c "$mounted"' && exec "$@"' sh
verdict works $?
check refused 'this user may not read /sys/kernel/tracing' 'run it as root (sudo)' \
	unshare -m sh -c "$mounted"' && chmod 700 /sys/kernel/tracing && exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"' sh
verdict refused $?
check absent 'nothing is mounted at /sys/kernel/tracing' 'sudo mount -t tracefs nodev /sys/kernel/tracing' \
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel/tracing && { [ ! -d /sys/kernel/debug ] || mount -t tmpfs none /sys/kernel/debug; } && exec "$@"' sh
verdict not_mounted $?
check absent "this kernel has no /sys/kernel/tracing (CONFIG_TRACING)" '' \
	unshare -m sh -c 'mount -t tmpfs none /sys/kernel && exec "$@"' sh
verdict not_built $?
exit $((failures != 0))
