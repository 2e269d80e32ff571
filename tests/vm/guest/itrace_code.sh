# SPDX-License-Identifier: GPL-3.0-or-later
# itrace_code.sh [kernel]: in the guest: a program that makes and moves code, by the driver; with
# `kernel` what two system calls execute, the kernel's side too.
cd /tmp
rmmod pitrace && insmod /rig/pitrace.ko itrace=1 "${1:+kernel_itrace=1}" || exit 1
cp "$(command -v jit_moves)" "$(command -v itrace_calls)" .
JITDUMPDIR=/tmp swtrace run -q --itrace --from main -B driver -o moves.nrm2 -- ./jit_moves >moves.txt || exit 1
[ -n "$1" ] || exit 0
swtrace run -q --itrace --kernel --from main -B driver -o calls.nrm2 -- ./itrace_calls >calls.txt
# What is in the buffers until tracing is off, or while it is on.
for mode in norm wrap; do
	swtrace run -q -t $mode --itrace --kernel --from main -B driver -o $mode.nrm2 -- ./itrace_calls >$mode.txt
done
swtrace run -q -t wrap --itrace --kernel --no-follow -B driver -o all.nrm2 -- \
	sh -c './itrace_calls; swtrace get' >early.txt
mv all.nrm2.1 early.nrm2
