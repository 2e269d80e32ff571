# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest, under an instruction counter: stacks and events to the last sample; then a member of
# the group pitrace, who traces a program of his own and is refused all else.
PITRACE_ICOUNT=1 abi stack_chain stack_each_instruction stack_copy stack_kernel stack_dispatch \
	event_software event_cycles member_shown member_exec follow_turns follow_pauses || code=1

sed -i 's/^pitrace:.*/&user/' /etc/group
chgrp pitrace /dev/pitrace
mkdir /tmp/member
chown user /tmp/member
cd /tmp/member || exit
su user -c 'swtrace run -B driver -g=fp -F 5000 -o member.nrm2 -- abi spin 200' || code=1
refused() { # NAME OPTION...
	name=$1
	shift
	su user -c "swtrace run -B driver -d 1 -o refused.nrm2 $*" 2>"$name.txt"
	[ $? = 125 ] && grep -q CAP_PERFMON "$name.txt" && echo "ok member_refused_$name" ||
		{ echo "not ok member_refused_$name"; cat "$name.txt"; code=1; }
}
refused system -a
refused init -p 1
[ ! -e refused.nrm2 ] || { echo "not ok member_refused_no_file"; code=1; }
# A member's file would have as many of the kernel's addresses, were they shown.
swtrace run -B driver -g=fp -F 5000 -e timer -o root.nrm2 -- sh -c \
	'abi spin 200; dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null' || code=1
# Nobody says what shall sample; somebody does.
swtrace run -o default.nrm2 -- abi spin 200 2>default.txt || code=1
swtrace run -B perf -o default_perf.nrm2 -- abi spin 200 2>default_perf.txt || code=1
swtrace run -e timer -o timer.nrm2 -- true 2>timer.txt || code=1
swtrace run -B driver -e page-faults -c 5 -o faults.nrm2 -- true 2>faults.txt || code=1
swtrace run --seed 1 -o seed.nrm2 -- true 2>seed.txt || code=1
exit ${code:-0}
