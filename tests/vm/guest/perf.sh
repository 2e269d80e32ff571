# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest, which has no module: perf.sh MS. swtrace as root and as an ordinary user by the
# kernel's own perf events. What can be judged on the spot is; traces go to the host.
code=0
is() { # NAME HAVE WANT
	[ "$2" = "$3" ] && echo "ok perf_$1" || { echo "not ok perf_$1 is '$2', not '$3'"; code=1; }
}
says() { # NAME FILE WORDS
	grep -q -- "$3" "$2" && echo "ok perf_$1" || { echo "not ok perf_$1 no '$3' in: $(cat "$2")"; code=1; }
}
cd /tmp || exit
ms=$1

# Which serves, and what mends the other.
swtrace check >check.out
is check_code $? 0
says check_driver check.out 'absent .*module'
says check_driver_cure check.out "fix it: sudo make install && sudo apt install dkms linux-headers-$(uname -r) && sudo dkms add /.*/src/pitrace-[0-9.]* && sudo dkms install pitrace/[0-9.]* && sudo modprobe pitrace\$"
says check_serves check.out 'a command is traced by perf, the system (-a) by perf'
swtrace check --json >check.json
is check_json_code $? 0
swtrace run -B driver -o x.nrm2 -- touch ran 2>err
is driver_forced $? 125
is driver_forced_not_run "$(ls ran 2>/dev/null)" ''
swtrace run -B nonsense -o x.nrm2 -- true 2>err
is no_such_collector $? 125
says no_such_collector_words err "unknown collector 'nonsense'"

# Exit codes, signals, the closing line.
swtrace run -o a.nrm2 -- sh -c 'exit 42' 2>err
is exit_code $? 42
says closing_line err 'a.nrm2: .* MB, .* records, .*(collector perf)'
swtrace run -o a.nrm2 -- no-such-command 2>err
is not_found $? 127
cat >interrupted.sh <<'END'
trap 'exit 7' INT
i=0
while [ $i -lt 100000000 ]; do i=$((i + 1)); done
END
fresh swtrace run -F 1000 -o c.nrm2 -- sh interrupted.sh 2>err &
sleep 4
kill -INT -$!
wait $!
is interrupt_code $? 7
post -q -o - -r c.nrm2 >c.out
is interrupted_file_is_whole $? 0
says interrupted_collector c.out 'Collector  *perf'
swtrace run -p 99999 -o x.nrm2 2>err
is no_process $? 125
says no_process_words err 'no process 99999\|No such process'

# Names: those that change, are short-lived, appear and disappear.
cat >lives.sh <<'END'
for each in rename threadexec vfork fork; do
	lives $each $MS || exit 1
done
lives threads 4
END
export MS=$ms
swtrace run -F 2000 -o lives.nrm2 -- sh lives.sh >lives.txt 2>lives.err
is lives_ran $? 0
swtrace run -a -F 2000 -o brief.nrm2 -- brief 50 4 >brief.txt 2>brief.err
is brief_ran $? 0
swtrace run -a -F 2000 -o reuse.nrm2 -- reuse 12 "$ms" >reuse.txt 2>reuse.err
is reuse_ran $? 0
# One that lives already, with its threads.
cp /usr/local/bin/plain /tmp/early
/tmp/early 600000 early &
early=$!
while [ "$(cat /proc/$early/comm)" != early ]; do sleep 0.02; done
rm /tmp/early
swtrace run -p $early -d 1 -F 1000 -o early.nrm2 2>err
is early_ran $? 0
swtrace run -a -d 1 -F 1000 -g=fp -o stacks.nrm2 2>err
is stacks_ran $? 0
kill $early

# Dispatches, and idle time.
swtrace init -t cont -f dispatch.nrm2 -s 16 && swtrace setrate 1000 && swtrace enable 0x10 0x12 && swtrace on
is dispatch_on $? 0
plain 1000 work & sleep 2
swtrace off && swtrace free
is dispatch_off $? 0

# A pause of a second, in which nothing is known.
swtrace init -t cont -f pause.nrm2 -s 16 && swtrace enable 0x12 && swtrace on
plain 200 work
swtrace suspend && sleep 1 && swtrace resume
plain 200 work
swtrace off && swtrace free
is pause_off $? 0

# System calls, dispatches with stacks and wake-ups, by tracepoints.
swtrace run -s 16 -g=fp,switches -M syscall,dispatch,wakeup -o points.nrm2 -- points >points.txt 2>points.err
is points_ran $? 0
says points_lossless points.err 'none lost'
swtrace run -a -s 16 -M syscall,dispatch,wakeup -o points-all.nrm2 -- points >points-all.txt 2>err
is points_system_ran $? 0

# Losses: a stopped reader, small rings.
swtrace run -a -F 4000 -s 64k -d 6 -o lossy.nrm2 2>lossy.err &
swtrace=$!
plain 4500 work &
sleep 1
kill -STOP $swtrace
sleep 3
kill -CONT $swtrace
wait $swtrace
is lossy_ran $? 0
says lossy_told lossy.err 'LOST'
post -q -o - -r lossy.nrm2 >lossy.out
is lossy_post_code $? 1

# Buffers that fill, and those that wrap.
swtrace run -F 2000 -t norm -s 64k -o full.nrm2 -- plain 8000 full 2>full.err
is full_ran $? 0
says full_told full.err 'stopped early: the trace buffer of CPU . filled'
swtrace run -F 2000 -t wrap -s 128k -o wrap.nrm2 -- plain 5000 wrap 2>wrap.err
is wrap_ran $? 0

# Far more than a small buffer holds, of a program that ended long before its end.
cat >ends.sh <<'END'
plain 300 gone
plain 6000 early & plain 6000 early
wait
plain 150 ending
plain 100 last
END
swtrace run -F 4000 -t wrap -s 128k -ss 32 -o newest.nrm2 -- sh ends.sh 2>newest.err
is newest_ran $? 0
says newest_told newest.err 'wrote the newest records: the command ended'

# Events that freeze the buffers. The command continues untraced.
swtrace run -t wrap -F 2000 -o off.nrm2 -- \
	sh -c 'plain 400 before; swtrace off; plain 400 after; exit 3' 2>off.err
is off_exit_code $? 3
says off_told off.err 'wrote the newest records: TraceOff'
swtrace run -t wrap -F 2000 -o usr2.nrm2 -- \
	sh -c 'plain 400 before; kill -USR2 $PPID; sleep 1; plain 400 after; exit 4' 2>usr2.err
is usr2_exit_code $? 4
says usr2_told usr2.err 'wrote the newest records: SIGUSR2'
swtrace run -t wrap -F 2000 -o crash.nrm2 -- sh -c 'plain 400 before; kill -SEGV $$' 2>crash.err
is crash_exit_code $? 139
says crash_told crash.err 'wrote the newest records: the command died (SIGSEGV)'
# perf does not tell how a child ended.
swtrace run -t wrap -F 2000 -o child.nrm2 -- \
	sh -c 'plain 400 before; sh -c "kill -ABRT \$\$"; plain 400 after; exit 6' 2>child.err
is child_exit_code $? 6
says child_told child.err 'wrote the newest records: the command ended'

# While it is on: what is there is written, and forgotten.
swtrace init -t wrap -s 1 -f session.nrm2 && swtrace setrate 2000 && swtrace on && plain 400 one &&
	swtrace get snap.nrm2 && plain 400 two && swtrace discard && plain 400 three && swtrace off &&
	swtrace free
is snapshots $? 0
swtrace init -t norm -f norm.nrm2 && swtrace setrate 2000 && swtrace on && plain 400 one &&
	swtrace get norm-one.nrm2 && swtrace discard && plain 400 two && swtrace off && swtrace get &&
	swtrace free
is snapshots_normal $? 0

# Files that rotate: by time, and by size, of which one is kept.
swtrace run -F 1000 --rotate-time 1s -o rotate.nrm2 -- plain 5000 rotated 2>rotate.txt
is rotate_exit_code $? 0
echo mine >size.nrm2.1
names=$(($(stat -c %s a.nrm2) / 1024))
swtrace run -F 10000 --rotate-size $((names + 150))k --rotate-keep 1 -o size.nrm2 -- plain 5000 sized 2>size.err
is rotate_size_exit_code $? 0
is rotate_old_is_old "$(cat size.nrm2.1.old)" mine
is rotate_kept "$(ls size.nrm2.*[0-9] | wc -l)" 1
is rotate_left_no_other "$(ls rotate.nrm2.new size.nrm2.new 2>/dev/null)" ''

# By an event of the kernel's: every tenth fault of many programs; and one that an open session takes.
cat >faults.sh <<'END'
i=0
while [ $i -lt 60 ]; do plain 1 faulty; i=$((i + 1)); done
END
swtrace run -e page-faults -c 10 -o faults.nrm2 -- sh faults.sh 2>faults.err
is faults_ran $? 0
says faults_told faults.err 'ticks by page-faults, none lost'
swtrace init -t cont -f events.nrm2 && swtrace event -c 1 page-faults >event.out && swtrace on &&
	! swtrace event cpu-clock 2>err && sh faults.sh && swtrace off && swtrace free
is event_of_session $? 0
says event_told event.out 'the session samples by page-faults'
says event_while_on err 'while tracing is off'

# An ordinary user: by the level of perf_event_paranoid.
chmod 777 /tmp /home/user
is paranoid_of_debian "$(cat /proc/sys/kernel/perf_event_paranoid)" 3
su user -c 'cd /tmp && swtrace run -B perf -o u3.nrm2 -- touch u3-ran' 2>err
is user_refused $? 125
says user_refused_words err 'perf_event_paranoid is 3'
is user_refused_not_run "$(ls u3-ran 2>/dev/null)" ''
su user -c 'swtrace check' >check.out
says user_check check.out 'sysctl kernel.perf_event_paranoid=1'
echo 2 >/proc/sys/kernel/perf_event_paranoid
su user -c 'cd /tmp && swtrace run -B perf -F 1000 -o u2.nrm2 -- plain 300 mine' 2>err
is user_ran $? 0
says user_told err 'user code only'
su user -c 'cd /home/user && post -r /tmp/u2.nrm2 2>/dev/null' >u2.out
says user_post u2.out 'user code only'
says user_symbol u2.out plain_work
is user_no_kernel "$(sed -n 's/^kernel \([0-9.]*\) %.*/\1/p' u2.out)" 0.00
# An option with which this user would get no records is refused, with the cure.
vain() { # NAME WORDS OPTION...
	name=$1 words=$2
	shift 2
	su user -c "cd /tmp && swtrace run -B perf $* -o vain.nrm2 -- touch vain-ran" 2>err
	is "user_$name" $? 125
	says "user_${name}_words" err "$words"
}
vain dispatch 'of whole CPUs: perf_event_paranoid is 2.*sysctl kernel.perf_event_paranoid=0' -M tprof,dispatch
vain kernel_event 'cpu-clock:k is counted in the kernel.*sysctl kernel.perf_event_paranoid=1' -e cpu-clock:k
vain switches_event 'context-switches is counted in the kernel.*sysctl' -e context-switches -c 1
vain syscall "records of system calls need the kernel's tracepoints: .*sudo" -M syscall
vain wakeup "records of wake-ups need the kernel's tracepoints: .*sudo" -M tprof,wakeup
vain switches 'sudo' -g=switches
vain kernel_stacks 'stacks of the kernel alone.*sysctl' -g=kernel
vain tracepoint 'not shown the kernel.s tracepoints.*sudo' -e sched:sched_switch
vain no_event 'there is no event' -e no-such-event
is user_in_vain "$(ls vain-ran vain.nrm2 2>/dev/null)" ''
su user -c 'cd /tmp && swtrace run -M dispatch -o vain.nrm2 -- touch vain-ran' 2>err
is user_dispatch_by_none $? 125
says user_dispatch_each err 'driver: .*perf: dispatch records are of whole CPUs.*timer[^;]*: no records of dispatch'
su user -c 'cd /tmp && export PITRACE_SOCKET=/tmp/user.sock && swtrace init -B perf -p $$ -f vain.nrm2 &&
	! swtrace enable dispatch 2>on.err && swtrace free'
is user_on_refused $? 0
says user_on_words on.err 'dispatch records are of whole CPUs'
is user_on_no_file "$(ls vain.nrm2 2>/dev/null)" ''
su user -c 'cd /tmp && swtrace run -B perf -a -d 1 -o x.nrm2' 2>err
is user_system_refused $? 125
says user_system_words err 'whole system'
echo 1 >/proc/sys/kernel/perf_event_paranoid
su user -c 'cd /tmp && swtrace run -B perf -F 1000 -o u1.nrm2 -- plain 300 mine' 2>err
is user_kernel_ran $? 0
grep -q 'user code only' err
is user_kernel_not_told $? 1
# Behind a filter of system calls: also root, whatever the level.
echo 3 >/proc/sys/kernel/perf_event_paranoid
filtered 1 swtrace run -B perf -a -o f.nrm2 -- touch f-ran 2>err
is filtered_root_refused $? 125
says filtered_root_words err 'seccomp'
echo 1 >/proc/sys/kernel/perf_event_paranoid
for errno in 1 38; do
	su user -c "cd /tmp && filtered $errno swtrace run -B perf -o f.nrm2 -- touch f-ran" 2>err
	is filtered_refused_$errno $? 125
	says filtered_words_$errno err 'seccomp'
done
exit $code
