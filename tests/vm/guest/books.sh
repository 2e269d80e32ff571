# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: books.sh SECONDS. All that is recorded, of the whole machine, while a program does
# what can be counted and others are busy; then a process alone with much room and with very little.
cd /tmp || exit
all=dispatch,wakeup,interrupt,syscall,fault

swtrace run -a -M $all,tprof -F 100 -s 32 -o books.nrm2 -- sh -c "
	books stat 0 calls 3000 faults 1000 pingpong 500 signals 100 >books.txt
	books sleeps 40 >>books.txt
	load 1 2 >/dev/null
	books stat $(($1 - 1))000 >>books.txt" || exit 1

# The same program twice: what one trace holds is what the other holds or has lost. At the same
# addresses: the loader gives back what of a mapping is not aligned, a call more or less by chance.
echo 0 >/proc/sys/kernel/randomize_va_space
swtrace run -M $all -s 32 -o room.nrm2 -- books calls 20000 >room.txt || exit 1
swtrace run -M $all -s 128k -ss 32 -o tight.nrm2 -- books calls 20000 >tight.txt || exit 1
swtrace run -a -M $all -s 128k -ss 32 -o flood.nrm2 -- books calls 30000 pingpong 3000 >flood.txt || exit 1
