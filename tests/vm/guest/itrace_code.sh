# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# itrace_code.sh [kernel [probes]]: in the guest: a program that makes and moves code, by the driver; with
# `kernel` what two system calls execute, the kernel's side too; with `probes` with some in the way.
cd /tmp || exit
rmmod pitrace && insmod /rig/pitrace.ko itrace=1 "${1:+kernel_itrace=1}" || exit 1
cp "$(command -v itrace_calls)" .
! command -v jit_moves >/dev/null || cp "$(command -v jit_moves)" .
[ ! -e jit_moves ] || JITDUMPDIR=/tmp swtrace run -q --itrace --from main -B driver -o moves.nrm2 -- ./jit_moves >moves.txt || exit 1
[ -n "$1" ] || exit 0
swtrace run -q --itrace --kernel --from main -B driver -o calls.nrm2 -- ./itrace_calls >calls.txt
# The buffers' content, written when tracing is off, or while it is on.
for mode in norm wrap; do
	swtrace run -q -t $mode --itrace --kernel --from main -B driver -o $mode.nrm2 -- ./itrace_calls >$mode.txt
done
swtrace run -q -t wrap --itrace --kernel --no-follow -B driver -o all.nrm2 -- \
	sh -c './itrace_calls; swtrace get' >early.txt
mv all.nrm2.1 early.nrm2
# If the host's post cannot decode the code, the guest's does.
verified() {
	[ "$(uname -m)" = s390x ] || return 0
	for trace; do
		post -q -verify -r $trace.nrm2 >$trace.verify 2>&1
	done
}
verified calls norm wrap early
[ -n "${2:-}" ] || exit 0
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing || exit 1
probed() { # NAME PROBE...: hits without and with a trace
	name=$1
	shift
	echo >$tracing/kprobe_events
	for probe; do
		echo "$probe" >>$tracing/kprobe_events || return 1
	done
	echo 1 >$tracing/events/kprobes/enable
	for trace in '' "swtrace run -q --itrace --kernel --from main -B driver -o $name.nrm2 --"; do
		$trace ./itrace_calls >>$name.txt
		grep -oE 'itrace_calls-.* (first|within|return): ' $tracing/trace | awk '{ print $NF }' | sort | paste -sd' ' >>$name.txt
		echo >$tracing/trace
	done
	echo 0 >$tracing/events/kprobes/enable
}
# Not on the first instruction, but on one; none is longer than these.
for at in 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47; do
	probed within "p:within vfs_write+$at" && break
done
abi=x64
[ "$(uname -m)" != s390x ] || abi=s390x
probed probed "p:first __${abi}_sys_getpid" 'r:return ksys_write' || exit 1
verified within probed
true
