# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: swtrace run and its neighbours as people meet them: exit codes, signals, refusals,
# two sessions, sudo, an ordinary user. Judged on the spot; traces that matter go to the host.
code=0
check() { # NAME CODE
	[ "$2" = 0 ] && echo "ok run_$1" || { echo "not ok run_$1 $3"; code=1; }
}
is() { # NAME HAVE WANT
	[ "$2" = "$3" ] && echo "ok run_$1" || { echo "not ok run_$1 is '$2', not '$3'"; code=1; }
}
says() { # NAME FILE WORDS
	grep -q "$3" "$2" && echo "ok run_$1" || { echo "not ok run_$1 no '$3' in: $(cat "$2")"; code=1; }
}
cd /tmp || exit

# Exit codes.
swtrace run -o a.nrm2 -- sh -c 'exit 42' 2>err
is exit_code $? 42
says closing_line err 'a.nrm2: .* MB, .* records'
swtrace run -o a.nrm2 -- sh -c 'kill -SEGV $$' 2>err
is signal_code $? 139
is old_kept "$(ls a.nrm2.old)" a.nrm2.old
is file_mode "$(stat -c %a a.nrm2)" 600
rm a.nrm2*
swtrace run -o a.nrm2 -- no-such-command 2>err
is not_found $? 127
is not_found_leaves_nothing "$(ls a.nrm2 2>/dev/null)" ''
echo 'no program' >plain && chmod 644 plain
swtrace run -o a.nrm2 -- ./plain 2>err
is cannot_execute $? 126
swtrace run 2>err
is nothing_to_do $? 125
swtrace run -F 0 -- true 2>err
is bad_rate $? 125
says bad_rate_words err "from 1 to 20000"
swtrace run --no-such-option -- true 2>err
is bad_option $? 125
swtrace nonsense 2>err
is bad_subcommand $? 125

# A place that cannot be written: before the command runs.
swtrace run -o /no/such/folder/x.nrm2 -- touch ran 2>err
is unwritable $? 125
is unwritable_before_the_run "$(ls ran 2>/dev/null)" ''
says unwritable_words err '/no/such/folder'
mkdir full && mount -t tmpfs -o size=64k none full
swtrace run -o full/x.nrm2 -- true 2>err
is disk_full $? 125
says disk_full_words err 'No space left'

# Ctrl-C: the whole group gets it; the data stay.
cat >interrupted.sh <<'END'
trap 'exit 7' INT
touch there
i=0
while [ $i -lt 100000000 ]; do i=$((i + 1)); done
END
fresh swtrace run -F 1000 -o c.nrm2 -- sh interrupted.sh 2>err &
while [ ! -e there ]; do sleep 0.1; done
sleep 0.5
kill -INT -$!
wait $!
is interrupt_code $? 7
says interrupt_keeps_data err 'c.nrm2: .* records'
post -q -o - -r c.nrm2 >c.out
is interrupted_file_is_whole $? 0
# Without a command Ctrl-C is the end that is meant.
fresh swtrace run -a -o d.nrm2 2>err &
while [ ! -s d.nrm2 ]; do sleep 0.1; done
sleep 0.5
kill -INT $!
wait $!
is interrupt_system $? 0

# -d stops tracing, the command goes on to its end; -p follows a process to its end.
swtrace run -d 500ms -o e.nrm2 -- sh -c 'sleep 1; exit 3' 2>err
is duration_code $? 3
sleep 2 &
swtrace run -p $! -o e.nrm2 2>err
is process_ends $? 0
swtrace run -p 99999 -o e.nrm2 2>err
is no_process $? 125

# Two at a time.
swtrace run -a -F 500 -o first.nrm2 -- sh -c 'sleep 3; exit 5' 2>first.err &
first=$!
sleep 1
swtrace run -a -o second.nrm2 -- touch second-ran 2>err
is second_is_busy $? 125
says second_busy_words err busy
is second_does_not_run "$(ls second-ran 2>/dev/null)" ''
swtrace init 2>err
is init_is_busy $? 125
swtrace run -F 500 -o third.nrm2 -- true 2>err
is a_process_beside_the_system $? 0
wait $first
is first_undisturbed $? 5
post -q -o - -r first.nrm2 >first.out
is first_is_whole $? 0

# init … free as the paper has it.
swtrace init -s 1 -sm 1 -ss 32 -f steps.nrm2 && swtrace setrate 2000 && swtrace enable tprof
is init $? 0
swtrace init 2>err
is init_twice_is_busy $? 125
swtrace on && sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
swtrace setrate 100 2>err
is rate_while_on $? 125
swtrace info >info.out
says info info.out 'session:     on'
swtrace off && swtrace maj >maj.out && swtrace get 2>err && swtrace free
is off_get_free $? 0
says off_disables_majors maj.out 'tprof .* disabled'
swtrace free 2>err
is free_twice $? 125
post -q -o - -r steps.nrm2 >steps.out
is steps_file $? 0

# Under sudo the command is the caller's, and so are the files.
SUDO_UID=1000 SUDO_GID=1000 SUDO_USER=user swtrace run -o sudo.nrm2 -- id -u >sudo.out 2>err
is sudo_code $? 0
is sudo_runs_as_caller "$(cat sudo.out)" 1000
is sudo_owner "$(stat -c %u:%g sudo.nrm2)" 1000:1000

# run.tprof: both in one go, by the driver.
mkdir tprof && chmod 777 tprof && cd tprof || exit
run.tprof -r 500ms >screen 2>err </dev/null
is tprof_system "$(($? > 1))" 0
says tprof_collector err '(collector driver)'
says tprof_report tprof.out Process_Module_Symbol
run.tprof 2>err </dev/null
is tprof_no_terminal $? 125
says tprof_no_terminal_words err 'give -r SECONDS'
run.tprof -t -s 300ms -c 2000 -- sh -c 'sleep 1; i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; exit 9' 2>err
is tprof_command $? 9
# Names are recorded while it waits to begin, so the late part has them.
run.tprof -p >screen
is tprof_post "$(($? > 1))" 0
says tprof_names tprof.out 'sh_'
rm -f *
SUDO_UID=1000 SUDO_GID=1000 SUDO_USER=user run.tprof -- true >screen 2>err
is tprof_sudo $? 0
is tprof_sudo_owners "$(stat -c %u swtrace.nrm2 tprof.out | tr '\n' ' ')" '1000 1000 '
cd .. || exit

# An ordinary user: words, not a crash; and nothing happens.
chmod 777 /tmp
su user -c 'cd /tmp && swtrace run -a -o user.nrm2 -- touch user-ran' 2>err
is user_refused $? 125
says user_words err "CAP_PERFMON\|Permission denied"
is user_command_not_run "$(ls user-ran 2>/dev/null)" ''
chmod 666 /dev/pitrace
su user -c 'cd /tmp && swtrace run -B driver -a -o user.nrm2 -- touch user-ran' 2>err
is user_refused_by_driver $? 125
says user_driver_words err CAP_PERFMON
is user_command_not_run_by_driver "$(ls user-ran 2>/dev/null)" ''
su user -c 'cd /tmp && swtrace run -B driver -o user.nrm2 -- true' 2>err
is user_own_command $? 0
su user -c 'swtrace info' >info.out 2>err
is user_may_ask $? 0
chmod 660 /dev/pitrace

# Without the module: the command that mends it.
rmmod pitrace
swtrace run -B driver -o none.nrm2 -- touch none-ran 2>err
is no_module $? 125
says no_module_words err 'modprobe pitrace'
is no_module_not_run "$(ls none-ran 2>/dev/null)" ''
# The kernel's own perf events serve then, and it is said.
swtrace run -o none.nrm2 -- true 2>err
is no_module_perf $? 0
says no_module_perf_words err '(collector perf)'
exit $code
