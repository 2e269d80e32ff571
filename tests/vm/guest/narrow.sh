# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: narrow.sh RATE PART CALLS. A 32-bit program, once with its callers by frame pointers,
# once with copies of its stacks, of its dispatches too.
cd /tmp || exit
swtrace run -F "$1" --seed 1 -g=fp -s 16 -o fp.nrm2 -- narrow "$2" "$3" >fp.txt || exit 1
swtrace run -F $(($1 / 10)) --seed 1 -g=dwarf,2048,switches -M tprof,dispatch,wakeup,syscall -s 16 \
	-o dwarf.nrm2 -- narrow "$2" "$3" >dwarf.txt || exit 1
