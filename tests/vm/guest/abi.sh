# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: abi.sh [NAME=VALUE] [TEST]...: the ABI harness; each mapping and descriptor gone, the module must go.
case $1 in *=*) export "${1?}"; shift ;; esac
case " $*" in
*' kernel_itrace_'*)
	modprobe -q msr allow_writes=on
	rmmod pitrace && insmod /rig/pitrace.ko kernel_itrace=1 || code=1
	chgrp pitrace /dev/pitrace && chmod 660 /dev/pitrace
	;;
esac
# Where the guest has it, it must be there.
[ ! -e "/lib/modules/$(uname -r)/overlay.ko" ] || modprobe overlay || code=1
abi "$@" || code=1
[ $# -gt 0 ] || api || code=1
[ $# -gt 0 ] || ptt_api driver || code=1
if [ $# = 0 ] && command -v unwind >/dev/null; then
	unwind /tmp/unwind.nrm2 || code=1
fi
[ $# -gt 0 ] || abi locked_down || code=1
# A thread that was stopped while traced sleeps with the trap flag set, but not after the driver is unloaded.
sleeper=''
case $(uname -m) in x86_64 | ppc64le | s390x) traced=1 ;; esac
[ $# -gt 0 ] || [ "${traced:-}" = "" ] || { abi sleeper >/tmp/sleeper && sleeper=$(cat /tmp/sleeper); } || code=1
# So do who sleep in calls, and in page faults of the kernel's on their behalf, whose code was stepped.
sleepers=''
! grep -qs Y /sys/module/pitrace/parameters/kernel_itrace || { abi kernel_sleepers >/tmp/sleepers && sleepers=$(tail -n 1 /tmp/sleepers); } || code=1
rmmod pitrace && echo "ok abi_rmmod" || { echo "not ok abi_rmmod"; code=1; }
if [ "$sleeper" ]; then
	kill -CONT "$sleeper"
	sleep 1
	kill "$sleeper" && echo "ok abi_sleeper" || { echo "not ok abi_sleeper"; code=1; }
fi
if [ "$sleepers" ]; then
	# shellcheck disable=SC2086
	kill $sleepers
	sleep 1
	for pid in $sleepers; do
		! grep '^State:[^Z]*$' "/proc/$pid/status" 2>/dev/null && echo "ok abi_kernel_sleeper" || { echo "not ok abi_kernel_sleeper"; code=1; }
	done
fi
# Without it, by perf. arm64 lets threads read their own counters where its owner says so.
if [ $# = 0 ]; then
	[ ! -e /proc/sys/kernel/perf_user_access ] || echo 1 >/proc/sys/kernel/perf_user_access
	ptt_api perf || code=1
fi
exit ${code:-0}
