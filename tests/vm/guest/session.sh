# SPDX-License-Identifier: GPL-3.0-or-later
# In the guest: what swtrace run promises around the trace itself: busy, permissions, exit codes,
# signals, whose file it is, what a kill leaves.
cd /tmp
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
until_on() { # until a session is on
	for i in $(seq 200); do
		swtrace info 2>/dev/null | grep -q '1 session' && return
		sleep 0.05
	done
}

# Exit codes.
swtrace run -q -o a.nrm2 -- sh -c 'exit 7' 2>err; same exit_code $? 7
swtrace run -q -o a.nrm2 -- sh -c 'kill -9 $$' 2>err; same exit_signal $? 137
swtrace run -q -o a.nrm2 -- /no/such/command 2>err; same exit_not_found $? 127
echo text >not-executable
swtrace run -q -o a.nrm2 -- ./not-executable 2>err; same exit_not_executable $? 126
swtrace run -q --no-such-option -- true >out 2>err; same exit_usage $? 125
swtrace run -F 0 -- true 2>err; same exit_rate_0 $? 125
swtrace run -F 20001 -- true 2>err; same exit_rate_20001 $? 125

# A place that cannot be written is refused before the command runs.
for place in /proc/a.nrm2 /no/such/folder/a.nrm2 /tmp; do
	rm -f ran
	swtrace run -o $place -- touch ran 2>err
	same "unwritable_exit_$(echo $place | tr / _)" $? 125
	[ ! -e ran ] && grep -q swtrace: err
	verdict "unwritable_refused_$(echo $place | tr / _)" $? "the command ran, or nothing was said: $(cat err)"
done

# The file: ours alone; the older one is kept.
rm -f a.nrm2*
swtrace run -q -o a.nrm2 -- true
swtrace run -q -o a.nrm2 -- true
same file_mode "$(stat -c %a a.nrm2)" 600
[ -s a.nrm2.old ]
verdict file_old_kept $?

# Busy: the second system-wide session is told so, the first goes on and loses nothing by it.
swtrace run -a -F 500 -o first.nrm2 -- sh -c 'plain 3000 first' 2>first.err &
first=$!
until_on
sleep 0.3
swtrace run -a -o second.nrm2 -- touch second-ran 2>busy.err
same busy_exit $? 125
grep -qi busy busy.err
verdict busy_told $? "$(cat busy.err)"
[ ! -e second-ran ] && [ ! -e second.nrm2 ]
verdict busy_nothing_done $?
# One process's session has room beside it.
swtrace run -q -F 500 -o beside.nrm2 -- plain 100 beside
same beside_exit $? 0
rmmod pitrace 2>err
[ $? != 0 ] && [ -e /dev/pitrace ]
verdict rmmod_refused_while_on $?
wait $first
same busy_first_exit $? 0
post -q -json -r first.nrm2 >first.json
post -q -json -r beside.nrm2 >beside.json

# An ordinary user: refused, in words.
su user -s /bin/sh -c 'cd /tmp && swtrace run -o user.nrm2 -- touch user-ran' 2>user.err
same user_exit $? 125
grep -qiE 'permission|CAP_|root|denied' user.err
verdict user_told $? "$(cat user.err)"
[ ! -e user-ran ]
verdict user_command_not_run $?

# Under sudo: the command is the caller's, and so is the file.
mkdir -p -m 777 shared
SUDO_UID=1000 SUDO_GID=1000 SUDO_USER=user swtrace run -q -o shared/sudo.nrm2 -- sh -c 'id -u; id -g' >sudo.txt
same sudo_exit $? 0
same sudo_uid "$(head -n 1 sudo.txt)" 1000
same sudo_gid "$(tail -n 1 sudo.txt)" 1000
same sudo_file_owner "$(stat -c %u:%g shared/sudo.nrm2)" 1000:1000

# Ctrl-C: command and swtrace get it; the data stays.
terminal 3 swtrace run -F 500 -o ctrlc.nrm2 -- plain 60000 ctrlc 2>ctrlc.err
same ctrlc_exit $? 130
post -q -json -r ctrlc.nrm2 >ctrlc.json
same ctrlc_file_whole $? 0

# -d: it stops by itself, the command goes on; -p: a process that runs.
plain 60000 other &
other=$!
sleep 0.2
swtrace run -q -F 500 -p $other -d 500ms -o other.nrm2
same p_d_exit $? 0
kill -0 $other
verdict p_process_lives $?
kill $other
post -q -json -r other.nrm2 >other.json

# Step by step, as the original's users do it.
{
	swtrace init -s 2 -t norm -f steps.nrm2 && swtrace enable tprof && swtrace setrate 500 &&
		swtrace on && plain 500 steps && swtrace off && swtrace get && swtrace free
} >steps.txt 2>&1
verdict steps $? "$(cat steps.txt)"
post -q -json -r steps.nrm2 >steps.json
swtrace on >out 2>&1
[ $? != 0 ]
verdict on_before_init_is_refused $?

# Killed: what was written is whole, and the module may go.
load 3600 1 &
load=$!
swtrace run -a -F 5000 -ss 32 -o killed.nrm2 -- plain 60000 killed 2>err &
holder=$!
until_on
sleep 3
kill -9 $holder
wait $holder
rmmod pitrace
verdict rmmod_after_kill $?
kill $load $(pidof plain)
post -q -json -r killed.nrm2 >killed.json
[ $? -le 1 ]
verdict killed_file_reads $?
insmod /rig/pitrace.ko && swtrace run -q -o again.nrm2 -- true
verdict works_again $?
exit $code
