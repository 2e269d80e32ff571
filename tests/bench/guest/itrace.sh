# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: itrace.sh KB DRIVER_KB PTRACE_KB: lines "cost WHO WHAT HUNDREDTHS" of an instruction and of
# a taken branch, a program's and (kernel-) the kernel's; "gzip WHO KB TICKS", alone and traced; "file WHAT
# N", of the trace of gzip.
. /rig/bench/lib.sh
kb=$1 driver_kb=$2 ptrace_kb=$3
busybox=$(command -v busybox)

itrace_work cost | sed 's/^/cost alone /'
# As on a machine with an invariant TSC, which this CPU of QEMU's does not claim to have.
swtrace run -q --itrace -B driver -n all --clock tsc -t cont -o /tmp/cost.nrm2 -- itrace_work cost | sed 's/^/cost driver /'
itrace_work stepped itrace_work cost | sed 's/^/cost ptrace /'
swtrace run -q --itrace -B ptrace -o /tmp/cost.nrm2 -n 5M -- itrace_work cost | sed 's/^/cost collector /'
rm -f /tmp/cost.nrm2

# The kernel's side: a call of a module, which runs as many instructions.
insmod /rig/bench/pitrace_bench.ko || fail module
rmmod pitrace && insmod /rig/pitrace.ko kernel_itrace=1 || fail driver
for what in steps branches; do
	echo $what 200 >$run
	echo "cost alone kernel-$what $(cat $run)"
	swtrace run -q --itrace --kernel-only -B driver -n all --clock tsc -t cont -o /tmp/cost.nrm2 -- \
		sh -c "echo $what 200 >$run" || fail kernel $what
	echo "cost driver kernel-$what $(cat $run)"
	rm /tmp/cost.nrm2
done
rmmod pitrace && insmod /rig/pitrace.ko || fail driver

# Text that compresses as text does: what this kernel says of itself, again and again.
cat /proc/kallsyms /proc/kallsyms /proc/kallsyms >/tmp/all
# under WHO KB COMMAND...: with all that the command does, its own start and end included
under() {
	local who=$1 n=$2
	shift 2
	dd if=/tmp/all of=/tmp/in bs=1k count=$n 2>/dev/null
	itrace_work timed "$@" $busybox gzip -c /tmp/in >/tmp/out 2>/tmp/said || { cat /tmp/said; fail gzip $who; }
	echo "gzip $who $n $(sed -n 's/^ticks //p' /tmp/said)"
}
# said WORDS: the number before these
said() {
	sed -n "s/.* \([0-9]*\) $*.*/\1/p" /tmp/said
}
# The first one brings its files into memory.
under first $kb
for each in $(printf '%s\n' $kb $driver_kb $ptrace_kb | sort -u); do
	under alone $each
done
command -v valgrind >/dev/null && under callgrind $kb valgrind -q --tool=callgrind --callgrind-out-file=/dev/null
under driver $driver_kb swtrace run --itrace -B driver -n all --clock tsc -t cont -o /tmp/packed.nrm2 --
echo "file branches $(said taken branches)"
echo "file instructions $(said instructions)"
echo "file packed $(size /tmp/packed.nrm2)"
rm /tmp/packed.nrm2
swtrace run -q --itrace -B driver -t cont -o /tmp/empty.nrm2 -- true
echo "file empty $(size /tmp/empty.nrm2)"
under ptrace $ptrace_kb itrace_work stepped
under collector $ptrace_kb swtrace run -q --itrace -B ptrace -n all -o /tmp/stepped.nrm2 --
exit 0
