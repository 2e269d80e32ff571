#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# System calls, dispatches with stacks and wake-ups without the module, by the kernel's tracepoints on this
# machine: how many calls a program makes that makes exactly so many; each of its dispatches, by what the
# kernel counted of them; where it slept; who woke whom. And who may not read them is refused, with the cure.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket

run() { # CODE NAME [OPTION]...: of swtrace run
	"$bin/swtrace" run -B perf "${@:3}" >out 2>err
	is "$2" $? "$1"
}

# ---- who may not
if ! "$bin/swtrace" run -B perf -M syscall,wakeup -o probe.nrm2 -- true 2>err; then
	if grep -q 'number threads as the host does' err || ! grep -q "tracepoints" err; then
		echo "skip ${suite} no tracepoints here: $(cat err)"
		exit 77
	fi
	for what in syscall wakeup; do
		run 125 refused_$what -M $what -o x.nrm2 -- touch ran
		says refused_${what}_words err "need the kernel's tracepoints: .*run it as root (sudo)"
	done
	run 125 refused_stacks -g=switches -o x.nrm2 -- touch ran
	says refused_stacks_words err 'sudo'
	[ ! -e ran ] && [ ! -e x.nrm2 ]
	verdict refused_before_it_ran $?
	echo "skip ${suite}_records this user may not have them"
	exit $((failures != 0))
fi

gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o points-story "$top/tests/vm/prog/points.c" || exit 1

for scope in process system; do
	all=
	[ $scope = process ] || all=-a
	run 0 ${scope}_ran $all -t cont -s 16 -g=fp,switches -M syscall,dispatch,wakeup -o $scope.nrm2 -- ./points-story
	cp out story.out
	says ${scope}_lossless err 'none lost'
	pid=$(sed -n 's/pid: //p' story.out)

	# ---- system calls: as many as it makes, with their errors
	"$bin/post" -q -syscalls -json -o - -pid "$pid" -r $scope.nrm2 >calls.json 2>err
	calls() { # CALL FIELD
		jq -c "[.. | objects | select(.call? == \"$1\" and .pid == $pid)][0] | .$2" calls.json
	}
	is ${scope}_calls "$(calls getppid time.count)" 1234
	is ${scope}_failed "$(calls close error_count)" 57
	is ${scope}_sleeps "$(calls clock_nanosleep time.count)" 40

	# ---- dispatches: each that the kernel counted of the program; a few more before and behind it
	begun=$(sed -n 's/begun: //p' story.out) ends=$(sed -n 's/ends: //p' story.out)
	"$bin/post" -q -show -json -o - -r $scope.nrm2 2>err |
		jq -c "select(.record == \"dispatch\" and .old_tid == $pid)" >left
	ours=$(wc -l <left)
	echo "# $ours dispatches, the kernel counted $begun before main and $ends at the end"
	calc "$ours >= $ends - $begun && $ours <= $ends + 10"
	verdict ${scope}_dispatches $? "$ours, the kernel counted $begun to $ends"
	"$bin/post" -q -offcpu -csv -o - -pid "$pid" -r $scope.nrm2 >reasons 2>err
	says ${scope}_sleeping reasons sleeping

	# ---- where it slept: 40 times 2 ms
	slept=$("$bin/post" -q -offcpu -callers -json -o - -pid "$pid" -r $scope.nrm2 2>err |
		jq '.symbols[] | select(.name == "known_place") | .total')
	calc "${slept:-0} >= 80000"
	verdict ${scope}_known_place $? "'$slept' us"

	# ---- wake-ups: the child wakes its parent for each answer
	"$bin/post" -q -show -json -o - -r $scope.nrm2 2>err | jq -c "select(.record == \"wakeup\")" >woken
	by_child=$(jq -c "select(.tid == $pid and .waker_pid != $pid and .waker_pid != 0)" woken | wc -l)
	echo "# $by_child wake-ups by others, $(wc -l <woken) in all"
	calc "$by_child >= 25"
	verdict ${scope}_woken $? "$by_child"
	is ${scope}_pids "$(jq -c "select(.tid == $pid and .pid != $pid)" woken | wc -l)" 0
	# Code that another process is just generating may be cut, and its perf map may be no such
	# thing: of the trace itself nothing is.
	"$bin/post" -q -sched -json -o - -r $scope.nrm2 >sched.json 2>err
	[ $? -le 1 ] && jq -e --arg all "$all" '(.clean or $all != "") and .lost == [] and (.sched.threads | length) > 0' sched.json >out
	verdict ${scope}_sched $? "$(cat err out)"
done

# ---- also when enabled in a session that is open
"$bin/swtrace" init -B perf -p $$ -t cont -s 16 -f session.nrm2 2>err && "$bin/swtrace" enable syscall &&
	"$bin/swtrace" on && ./points-story >story.out && "$bin/swtrace" off && "$bin/swtrace" free
verdict session $? "$(cat err)"
"$bin/post" -q -syscalls -json -o - -comm points-story -r session.nrm2 >calls.json 2>err
pid=$(sed -n 's/pid: //p' story.out)
is session_calls "$(calls getppid time.count)" 1234

# ---- what does not fit is counted lost, by its kind: records and losses are as many as when all fit
both() { # TRACE: its records of system calls, and lost ones
	"$bin/post" -q -show -json -o - -r "$1" 2>err | jq -c 'select(.record == "syscall")' | wc -l
	"$bin/post" -q -syscalls -json -o - -r "$1" 2>err |
		jq '[.lost[] | select(.kind == "system calls") | .count] | add // 0'
}
run 0 whole_ran -s 16 -M syscall -o whole.nrm2 -- ./points-story
run 0 lossy_ran -s 64k -M syscall -o lossy.nrm2 -- ./points-story
{ read -r whole; read -r none; } < <(both whole.nrm2)
{ read -r some; read -r lost; } < <(both lossy.nrm2)
echo "# $whole records, $none lost; $some records, $lost lost"
calc "$none == 0 && $lost > 0 && $some + $lost >= $whole - 4 && $some + $lost <= $whole + 4"
verdict losses_add_up $? "$whole and $none, $some and $lost"
exit $((failures != 0))
