# SPDX-License-Identifier: GPL-3.0-or-later
# In the guest, which has no module: perf.sh MS. swtrace as root and as an ordinary user by the
# kernel's own perf events. What can be judged on the spot is; traces go to the host.
code=0
is() { # NAME HAVE WANT
	[ "$2" = "$3" ] && echo "ok perf_$1" || { echo "not ok perf_$1 is '$2', not '$3'"; code=1; }
}
says() { # NAME FILE WORDS
	grep -q -- "$3" "$2" && echo "ok perf_$1" || { echo "not ok perf_$1 no '$3' in: $(cat "$2")"; code=1; }
}
cd /tmp
ms=$1

# Which serves, and what mends the other.
swtrace check >check.out
is check_code $? 0
says check_driver check.out 'absent .*module'
says check_driver_cure check.out 'mend it: .*modprobe pitrace'
says check_serves check.out 'a command is traced by perf, the system (-a) by perf'
swtrace check --json >check.json
is check_json_code $? 0
swtrace run -B driver -o x.nrm2 -- touch ran 2>err
is driver_forced $? 125
is driver_forced_not_run "$(ls ran 2>/dev/null)" ''
swtrace run -B nonsense -o x.nrm2 -- true 2>err
is no_such_collector $? 125
says no_such_collector_words err "no collector 'nonsense'"

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

# Names: what changes, is short, comes and goes.
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
swtrace run -a -d 1 -F 1000 -g -o stacks.nrm2 2>err
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

# Losses: a reader that stands still, small rings.
swtrace run -a -F 4000 -s 64k -d 4 -o lossy.nrm2 2>lossy.err &
swtrace=$!
plain 2500 work &
sleep 1
kill -STOP $swtrace
sleep 1.5
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
