#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Instruction traces by ptrace: equal to what another program sees that steps the same command and
# that libopcodes decodes, to the last record; what the options leave out; what happens to the command
# (its exit code, its signals, its children) is what happens without.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../../lib/lib.sh"
cd "$work" || exit 1
# A short name: the same in the environment, on the stack and in memory, for every user.
cp "$programs/itrace_subject" subject || exit 1

# Recognizes branches of each machine whose libopcodes is installed.
for machine in x86_64: aarch64:_arm64 ppc64le:_ppc64le s390x:_s390x; do
	[ -x "$programs/itrace_flow${machine#*:}" ] || {
		echo "skip itrace_flow_${machine%:*} no libopcodes of that machine was here when it was built"
		continue
	}
	"$programs/itrace_flow${machine#*:}" "${machine%:*}" 300000 >out
	verdict "flow_${machine%:*}" $?
	echo "# ${machine%:*}: $(tail -n 1 out)"
done

# Without an environment: a program scans it when it starts, which is half of its steps.
trace() { # FILE OPTION... -- COMMAND...
	setarch -R env -i PATH="$PATH" "$bin/swtrace" run --itrace -B ptrace -q -o "$@"
}

# Without an environment, in memory at the same addresses as before.
equal() { # NAME CODE COMMAND...
	local code
	setarch -R "$programs/itrace_judge" log busybox env -i "${@:3}" >/dev/null 2>&1
	is "judged_$1" $? "$2"
	setarch -R "$bin/swtrace" run --itrace -B ptrace -q -o trace.nrm2 -- busybox env -i "${@:3}" >/dev/null 2>err
	code=$?
	is "code_$1" $code "$2"
	"$programs/itrace_truth" -s 1 log trace.nrm2 >out 2>&1
	verdict "equal_$1" $?
	echo "# $1: $(head -n 1 out)"
}
equal static 0 /bin/busybox true
equal dynamic 0 /bin/true
for what in fib signals jumps threads fork exec jit; do
	equal $what 0 ./subject $what
done
rm -f log

# Instructions that are left out.
count() { # FILE: instructions in all
	"$programs/itrace_truth" -c "$1"
}
trace whole.nrm2 -- ./subject fib 10
trace main.nrm2 --from main -- ./subject fib 10
whole=$(count whole.nrm2) main=$(count main.nrm2)
calc "$main > 2000 && $main < $whole"
verdict from_main $? "$main of $whole"
trace few.nrm2 -n 1k -- ./subject fib 10
is limit "$(count few.nrm2)" 1000
trace skipped.nrm2 --skip 1000 -- ./subject fib 10
is skip "$(count skipped.nrm2)" $((whole - 1000))
trace until.nrm2 --until main -- ./subject fib 10
is until_main "$(count until.nrm2)" $((whole - main))
# A program's whole trace, made once: it does the same each time.
whole_of() { # PROGRAM
	[ -e "whole-$1.nrm2" ] || trace "whole-$1.nrm2" -- ./subject "$1"
}
# Each thread begins, or stops, where it comes there itself, in its parent's image, in a child's, in one
# that it executed: what the one has is what the other has not.
across() { # PLACE PROGRAM THREADS-FROM THREADS-UNTIL
	local whole from until
	whole_of "$2"
	trace from.nrm2 --from "$1" -- ./subject "$2"
	trace until.nrm2 --until "$1" -- ./subject "$2"
	whole=$(count "whole-$2.nrm2") from=$(count from.nrm2) until=$(count until.nrm2)
	calc "$from > 100 && $until > 100 && $from + $until == $whole"
	verdict "$1_across_$2" $? "from $from, until $until of $whole"
	is "$1_across_$2_threads" "$("$programs/itrace_truth" -t from.nrm2) $("$programs/itrace_truth" -t until.nrm2)" \
		"$3 $4"
}
across fib threads 4 4
across fib fork 1 2
across main fork 2 1
across fib exec 1 2
across main exec 2 1
trace alone.nrm2 --no-follow -- ./subject fork
is no_follow "$("$programs/itrace_truth" -t alone.nrm2)" 1
trace children.nrm2 --no-children -- ./subject fork
is no_children "$("$programs/itrace_truth" -t children.nrm2)" 1
# Threads and processes created by a thread that has reached the place are traced from their first instruction on.
for what in threads fork; do
	whole_of $what
	trace main.nrm2 --from main -- ./subject $what
	trace until.nrm2 --until main --no-threads --no-children -- ./subject $what
	is from_main_$what "$("$programs/itrace_truth" -t main.nrm2)" \
		"$("$programs/itrace_truth" -t whole-$what.nrm2)"
	is from_main_${what}_whole $(($(count main.nrm2) + $(count until.nrm2))) "$(count whole-$what.nrm2)"
done
threads() { # NAME THREADS WHAT OPTION...
	trace threads.nrm2 "${@:4}" -- ./subject "$3"
	is "$1" "$("$programs/itrace_truth" -t threads.nrm2)" "$2"
}
threads no_threads 1 threads --no-threads
threads from_main_no_threads 1 threads --from main --no-threads
threads from_main_no_children 1 fork --from main --no-children
threads from_main_no_threads_but_children 2 fork --from main --no-threads
# Begun before the place was reached: they reach it themselves, while others go over it.
threads from_thread_no_threads 3 threads --from thread --no-threads
# The place again, behind the end.
timeout 60 setarch -R "$bin/swtrace" run --itrace -B ptrace -q -o again.nrm2 --from fib -n 1k -- ./subject fib 10
is limit_from $? 0
is limit_from_count "$(count again.nrm2)" 1000
trace steps.nrm2 --steps -n 1k -- ./subject fib 10
is steps "$(count steps.nrm2)" 1000

# Refused in words, before the command is run.
refused() { # NAME WORDS OPTION...
	"$bin/swtrace" run -q -o refused.nrm2 "${@:3}" -- touch ran >out 2>err
	is "refused_$1" "$?$(ls ran 2>/dev/null)" 125
	says "refused_$1_words" err "$2"
}
refused alone 'need --itrace' -n 5k
refused no_symbol 'has no function nowhere' --itrace --from nowhere
refused no_file 'No such file' --itrace --from /nowhere:main
refused no_count "invalid number of instructions 'many'" --itrace -n many
refused kernel 'kbranch' --itrace --kernel -B ptrace
refused samples 'the collector ptrace has no records of tprof' --itrace -M tprof -B ptrace
refused not_those 'the collector ptrace has no records of tprof' -M tprof -B ptrace
refused system 'a whole system' --itrace -a

# It ends by a signal, as it would; what was traced is there.
trace killed.nrm2 -- busybox sh -c 'kill -TERM $$'
is killed $? 143
verdict killed_data "$([ "$(count killed.nrm2)" -gt 1000 ]; echo $?)" "$(count killed.nrm2)"
(
	trap - INT
	exec "$bin/swtrace" run --itrace -B ptrace -q -o ctrlc.nrm2 --from main -- "$programs/itrace_subject" forever
) 2>err &
pid=$!
for ((i = 0; i < 100; i++)); do
	sleep 0.1
	child=$(pgrep -P $pid 2>/dev/null) && [ -s ctrlc.nrm2 ] && break
done
sleep 1
kill -INT $pid "$child"
wait $pid
is ctrl_c $? 130
verdict ctrl_c_data "$([ "$(count ctrlc.nrm2)" -gt 1000 ]; echo $?)" "$(count ctrlc.nrm2)"

# A running process continues when tracing ends.
./subject forever &
pid=$!
trace running.nrm2 -p $pid -d 1 2>err
is running $? 0
verdict running_data "$([ "$(count running.nrm2)" -gt 100 ]; echo $?)" "$(cat err)"
is running_goes_on "$(ps -o stat= -p $pid | head -c 1)" R
kill $pid
wait $pid 2>/dev/null

# Stopped and continued: it is so without, however often.
(exec "$bin/swtrace" run --itrace -B ptrace -q -o stopped.nrm2 -- busybox sh -c 'kill -STOP $$; exit 7') 2>err &
pid=$!
for ((i = 0; i < 100; i++)); do
	sleep 0.2
	child=$(pgrep -P $pid 2>/dev/null) || break
	kill -CONT "$child" 2>/dev/null
done
wait $pid
is stopped $? 7
# Programs that trace themselves, and sessions of several commands.
export PITRACE_SOCKET=$work/socket
"$programs/itrace_api" api.nrm2 20 || failures=1
is api_threads "$("$programs/itrace_truth" -t api.nrm2)" 1
"$bin/post" -q -arc -r api.nrm2 >out 2>&1
# A run of instructions a turn.
wanted=$(grep -c ' wanted' arc.out) unwanted=$(grep -c ' unwanted' arc.out)
calc "$wanted >= 20 * 19 && $unwanted == 0"
verdict api_what_was_wanted $? "$wanted of wanted, $unwanted of unwanted: $(head -c 300 out)"
swtrace() {
	"$bin/swtrace" "$@" 2>err
}
swtrace it_install
is install_without_session $? 125
says install_without_session_words err 'no session'
./subject forever &
pid=$!
swtrace init -B ptrace -p $pid -t cont -f installed.nrm2
is init $? 0
swtrace it_install -n 2k -c 100
is install $? 0
swtrace on
is install_on $? 0
for ((i = 0; i < 50; i++)); do
	sleep 0.1
	"$bin/swtrace" info | grep -q '^itrace: *2000 instructions' && break
done
swtrace it_install
is install_while_on $? 125
swtrace off
swtrace it_remove
is remove $? 0
swtrace free
is installed "$(count installed.nrm2)" 2000
swtrace init -B perf -p $pid -t cont -f perf.nrm2
swtrace it_install
is install_perf $? 125
says install_perf_words err 'the collector perf has no records of ubranch (0x21): these need the collector driver or ptrace'
swtrace free
kill $pid
wait $pid 2>/dev/null
exit $((failures > 0))
