# SPDX-License-Identifier: GPL-3.0-or-later
# itrace_code.sh [kernel]: in the guest: a program that makes and moves code, by the driver; with
# `kernel` what two system calls execute, the kernel's side too.
cd /tmp
rmmod pitrace && insmod /rig/pitrace.ko itrace=1 "${1:+kernel_itrace=1}" || exit 1
cp "$(command -v itrace_calls)" .
! command -v jit_moves >/dev/null || cp "$(command -v jit_moves)" .
[ ! -e jit_moves ] || JITDUMPDIR=/tmp swtrace run -q --itrace --from main -B driver -o moves.nrm2 -- ./jit_moves >moves.txt || exit 1
[ -n "$1" ] || exit 0
swtrace run -q --itrace --kernel --from main -B driver -o calls.nrm2 -- ./itrace_calls >calls.txt
# What is in the buffers until tracing is off, or while it is on.
for mode in norm wrap; do
	swtrace run -q -t $mode --itrace --kernel --from main -B driver -o $mode.nrm2 -- ./itrace_calls >$mode.txt
done
swtrace run -q -t wrap --itrace --kernel --no-follow -B driver -o all.nrm2 -- \
	sh -c './itrace_calls; swtrace get' >early.txt
mv all.nrm2.1 early.nrm2
[ "$(uname -m)" = s390x ] || exit 0
tracing=/sys/kernel/tracing
[ -e $tracing/kprobe_events ] || mount -t tracefs tracefs $tracing || exit 1
for probe in 'p:first __s390x_sys_getpid' 'p:within vfs_write+0x20' 'r:return ksys_write'; do
	echo "$probe" >>$tracing/kprobe_events || exit 1
done
echo 1 >$tracing/events/kprobes/enable
hits() {
	"$@" ./itrace_calls
	for probe in first within return; do
		grep -c "itrace_calls-.* $probe: " $tracing/trace
	done
	echo >$tracing/trace
}
hits env | sed 1d >hits.txt
hits swtrace run -q --itrace --kernel --from main -B driver -o probed.nrm2 -- >probed.txt
echo 0 >$tracing/events/kprobes/enable
for trace in calls norm wrap early probed; do
	post -q -verify -r $trace.nrm2 >$trace.verify 2>&1
done
true
