# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: session.sh KERNEL-MODULE. Sessions that conflict, are interrupted, or are killed: their files must be
# valid. The host judges them.
cd /tmp || exit
code=0

verdict() { # NAME CODE [WHY]
	if [ "$2" = 0 ]; then
		echo "ok session_$1"
	else
		echo "not ok session_$1 $3"
		code=1
	fi
}
same() { # NAME HAVE WANT
	[ "$2" = "$3" ]
	verdict "$1" $? "is '$2', not '$3'"
}
# The content of every file, above all this kernel's symbols.
swtrace run -q -o least.nrm2 -- true
least=$(stat -c %s least.nrm2)

until_on() { # FILE: until samples come into this file, after its symbols
	local size now=0 grown=0 try
	for try in $(seq 200); do
		size=$now
		now=$(stat -c %s "$1" 2>/dev/null || echo 0)
		[ "$size" -gt $least ] && [ "$now" -gt "$size" ] && grown=$((grown + 1))
		[ $grown -ge 1 ] && return
		sleep 0.2
	done
}

# Busy: the second system-wide session is refused as such, the first continues without losses.
swtrace run -a -F 500 -o first.nrm2 -- sh -c 'until [ -e done ]; do plain 100 first; done' 2>first.err &
first=$!
until_on first.nrm2
swtrace run -a -o second.nrm2 -- touch second-ran 2>busy.err
same busy_exit $? 125
grep -qi busy busy.err
verdict busy_told $? "$(cat busy.err)"
[ ! -e second-ran ] && [ ! -e second.nrm2 ]
verdict busy_nothing_done $?
# A session of one process is possible at the same time.
swtrace run -q -F 500 -o beside.nrm2 -- plain 100 beside
same beside_exit $? 0
rmmod pitrace 2>err
[ $? != 0 ] && [ -e /dev/pitrace ]
verdict rmmod_refused_while_on $?
touch 'done'
wait $first
same busy_first_exit $? 0

# Ctrl-C: command and swtrace get it; the data stays.
fresh swtrace run -F 500 -o ctrlc.nrm2 -- plain 60000 ctrlc 2>ctrlc.err &
group=$!
until_on ctrlc.nrm2
kill -INT -$group
wait $group
same ctrlc_exit $? 130

# A running process, traced for a while: it continues after that.
plain 60000 other &
other=$!
sleep 0.2
swtrace run -q -F 500 -p $other -d 500ms -o other.nrm2
same p_d_exit $? 0
kill -0 $other
verdict p_process_lives $?
kill $other

# Step by step, as the original's users do it.
{
	swtrace init -s 2 -t norm -f steps.nrm2 && swtrace enable tprof && swtrace setrate 500 &&
		swtrace on && plain 500 steps && swtrace off && swtrace get && swtrace free
} >steps.txt 2>&1
verdict steps $? "$(cat steps.txt)"

# Killed: what was written is whole, and the module may go.
load 3600 1 &
load=$!
swtrace run -a -F 5000 -ss 32 -o killed.nrm2 -- plain 60000 killed 2>err &
holder=$!
until_on killed.nrm2
sleep 0.5
kill -9 $holder
wait $holder
rmmod pitrace
verdict rmmod_after_kill $?
insmod /rig/pitrace.ko

# Killed at any other moment: while it begins, while it runs.
for i in 1 2 3 4 5 6; do
	swtrace run -a -F 5000 -ss 32 -o kill$i.nrm2 -- plain 60000 killed 2>err &
	holder=$!
	[ $i -le 3 ] || until_on kill$i.nrm2
	usleep $((i * i * 30000))
	kill -9 $holder
	wait $holder
	killall plain
done
rmmod pitrace
verdict rmmod_after_kills $?
kill $load 2>/dev/null
killall plain 2>/dev/null
insmod /rig/pitrace.ko && swtrace run -q -o again.nrm2 -- true
verdict works_again $?

# A kernel module is loaded and unloaded.
swtrace run -q -a -F 500 -o kmod.nrm2 -- \
	sh -c "modprobe $1 && grep '^$1 ' /proc/modules >kmod && rmmod $1"
verdict kmod_exit $?
# Its symbols, though it is gone when the trace ends.
swtrace run -q -a -F 500 -o ksym.nrm2 -- \
	sh -c "modprobe $1 && grep '\[$1\]' /proc/kallsyms | grep -m 1 ' [tT] ' >ksym; sleep 2; rmmod $1; sleep 1"
verdict ksym_exit $?
[ -s ksym ]
verdict ksym_symbol $?
exit $code
