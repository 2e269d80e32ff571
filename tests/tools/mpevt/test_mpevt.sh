#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# mpevt: lists; counts of a command, of CPUs, of a process and a thread, by software events; beside perf
# stat where both count the same work; what is refused, in words.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
mpevt=$bin/mpevt
cd "$work" || exit 1
export PITRACE_COUNTERS=$work/socket
trap '"$mpevt" stop >/dev/null 2>&1; rm -rf "$work"' EXIT

run() { # CODE NAME [ARGUMENT]...
	"$mpevt" "${@:3}" >out 2>err
	is "$2" $? "$1"
}
json() { # FILE FILTER
	jq -c "$2" "$1"
}

# ---- words
run 0 version --version
is version_words "$(cat out)" "mpevt (pitrace) $(cat "$top/VERSION")"
run 125 nothing
says nothing_words err '^usage: mpevt -l '
run 125 no_subcommand count
says no_subcommand_words err "no sub-command 'count'"
run 125 no_command run -e cs
says no_command_words err '^usage: mpevt -l '
for words in '-l page-faults context-switches' 'read now' 'stop now'; do
	# shellcheck disable=SC2086
	run 125 "words_too_many_${words%% *}" $words
	says "words_too_many_${words%% *}_words" err '^usage: mpevt -l '
done
run 0 completion --complete
is completion_words "$(cut -f1 out | head -n 4 | tr '\n' ' ')" 'run start read stop '
run 125 start_of_nothing start -p $$
says start_of_nothing_words err 'no event is named'
run 125 start_of_two start -p $$ -t $$ cs
run 125 option_of_another read -c 0
run 125 no_such_cpu run -c 8191 -e cs true
says no_such_cpu_words err 'CPU 8191 is not online'
run 125 no_such_event run -e no-such-event touch ran
says no_such_event_words err "no event 'no-such-event'"
run 125 too_many run -e cs,cs,cs,cs,cs,cs,cs,cs,cs touch ran
says too_many_words err 'at most 8 events'
run 125 no_such_process start -p 1073741824 cs
says no_such_process_words err 'no process 1073741824'
[ ! -e ran ]
verdict nothing_ran $?

# ---- lists: the same names as swtrace has
run 0 names -l
is names_alone "$(cat err)" ''
is names_are_lines "$(grep -cx page-faults out) $(grep -c ' ' out)" '1 0'
run 0 described -ld faults
says described_words out '^  page-faults .* page faults'
is described_alone "$(cat err)" ''
run 125 no_match -l no-such-event
says no_match_words err '^mpevt: no event matches$'
is no_match_alone "$(cat out)" ''
"$mpevt" -ld >all
"$bin/swtrace" event list >theirs
is as_swtraces "$(grep '^  ' all | md5sum)" "$(grep '^  ' theirs | md5sum)"
run 0 json_list -l --json
is json_has_all "$(jq length out)" "$(grep -c '^  ' all)"
is json_event "$(json out '.[] | select(.name == "page-faults")')" \
	'{"json_version":1,"source":"kernel","name":"page-faults","description":"page faults"}'
run 0 pmu -l --pmu kernel
is pmu_alone "$(wc -l <out)" "$(jq -n 'input | map(select(.source == "kernel")) | length' \
	<("$mpevt" -l --json))"
run 0 csv_list -l --csv page-faults
is csv_event "$(sed -n 2p out | tr -d '\r')" 'kernel,page-faults,page faults'
run 125 no_pmu -l --pmu nothing
says no_pmu_words err '^mpevt: no event matches$'

if ! "$mpevt" run -e page-faults,context-switches -- true >out 2>err; then
	echo "skip mpevt_counts perf events are not to be had here: $(head -n 1 err)"
	exit $((failures != 0))
fi

# ---- a command: its own code; all that it creates; its output is its own
run 7 code run -e page-faults -- sh -c 'echo mine; exit 7'
is output "$(cat out)" mine
says counts_on_stderr err ' page-faults'
run 143 signal run -- sh -c 'kill -TERM $$'
run 127 not_found run -- ./no-such-command
run 126 cannot run -- "$work"
run 0 file run -o counts.json --json -- true
is file_events "$(json counts.json '[.scope, (.events[] | .event)]')" \
	'["command","task-clock","context-switches","cpu-migrations","page-faults"]'
is file_alone "$(cat err)" ''
is states "$(json counts.json '[.events[].state] | unique')" '["counted"]'
faults() { # MB: of memory that is touched
	"$mpevt" run -e minor-faults -o faults.json --json -- perl -e 'my $s; vec($s, $ARGV[0] << 20, 8) = 1' "$1" &&
		jq '.events[0].count' faults.json
}
few=$(faults 8) many=$(faults 24)
want=$(((16 << 20) / $(getconf PAGE_SIZE)))
if grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null; then
	calc "$many >= $few"
else
	calc "$many - $few > $want * 0.98 && $many - $few < $want * 1.02"
fi
verdict faults_of_more_work $? "$few, then $many: $want pages more"
"$mpevt" run -e minor-faults -o one.json --json -- sh -c true
"$mpevt" run -e minor-faults -o ten.json --json -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do (true); done'
one=$(jq '.events[0].count' one.json) ten=$(jq '.events[0].count' ten.json)
calc "$ten > $one + 100"
verdict children "$?" "$one alone, $ten with ten children"

# An ordinary user has what the kernel shows to one, without being asked.
if [ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2 ]; then
	chmod 755 . && cp "$mpevt" mpevt
	setpriv --reuid 65534 --regid 65534 --clear-groups ./mpevt run --json -- true >out 2>err
	is ordinary_code $? 0
	is ordinary "$(json err '[.events[] | [.event, .user_only]]')" '[["task-clock",false],["page-faults",true]]'
	setpriv --reuid 65534 --regid 65534 --clear-groups ./mpevt run -e cs -- true >out 2>err
	says ordinary_words err "in the kernel's code, which perf_event_paranoid 2"
fi

# ---- CPUs
if "$mpevt" run -c all -e cpu-clock,context-switches -o cpus.json --json -- sleep 0.2 2>err; then
	is cpus_all "$(json cpus.json '[.events[] | select(.event == "cpu-clock") | .cpu] | length')" \
		"$(getconf _NPROCESSORS_ONLN)"
	is cpus_clock "$(json cpus.json '.elapsed_ns as $e | [.events[] | select(.event == "cpu-clock") |
		.count > 200000000 and .count <= $e] | unique')" '[true]'
	run 0 start_cpus start -c 0 context-switches
	run 0 read_cpus read --csv
	is read_cpus_csv "$(sed -n 2p out | cut -d, -f1,2,4)" 'context-switches,0,counted'
	run 0 stop_cpus stop
else
	says cpus_refused err 'perf_event_paranoid'
fi

# ---- a process that somebody else began, beside perf stat: from when it waits to when it waits again
coproc WORK { exec perl -e '$| = 1; while (<STDIN>) { push @kept, ""; vec($kept[-1], 4 << 20, 8) = 1;
	select(undef, undef, undef, 0.002) for 1 .. 20; print "done\n" }'; }
pid=$WORK_PID
waits() {
	for _ in $(seq 200); do
		grep -q '^State:.*S' /proc/$pid/status && grep -q pipe /proc/$pid/wchan 2>/dev/null && break
		sleep 0.02
	done
}
work() {
	echo go >&"${WORK[1]}"
	read -r _ <&"${WORK[0]}"
	waits
}
work
run 0 start start -p $pid minor-faults context-switches
run 125 start_again start -p $pid minor-faults
says start_again_words err 'busy: counters are held already'
run 0 read_nothing read --json
nothing=$(json out '[.scope, .pid, [.events[].count]]')
is nothing_yet "$nothing" "[\"process\",$pid,[0,0]]"
perf=
if command -v perf >/dev/null && mkfifo control ack &&
	{ perf stat -x, -e minor-faults,context-switches -p $pid -D -1 --control fifo:control,ack -o perf.csv 2>perf.err & } &&
	perf=$!; then
	exec 7<>control 8<>ack
	echo enable >&7
	read -r -t 60 answer <&8
	is perf_ready "${answer//[^a-z]/}" ack
else
	echo "skip mpevt_beside_perf perf is not installed"
fi
work
run 0 read read --json
first=$(json out '[.events[].count]')
work
if [ -n "$perf" ]; then
	kill -INT $perf
	wait $perf
	theirs=$(awk -F, '$3 ~ /^(minor-faults|context-switches)/ { print $1 }' perf.csv | paste -sd,)
fi
run 0 stop stop --json
both=$(json out '[.events[].count]')
echo "minor faults, context switches: $first, $both; perf stat: [${theirs-}]"
# 4 MB each time; with huge pages fewer faults.
least=$((want / 4))
! grep -q '\[always\]' /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || least=1
calc "$(jq -n "${first}[0]") >= $least && $(jq -n "${both}[0]") >= 2 * $least && $(jq -n "${both}[1]") > 20"
verdict counts $? "$first, $both, at least $least faults a turn"
if [ -n "$perf" ]; then
	is as_perf_stat "$both" "[$theirs]"
fi
run 125 stopped read
says stopped_words err 'no counters are held'
[ ! -e socket ]
verdict no_socket_left $?

# A single thread; and the counts after its exit.
run 0 start_thread start -t $pid page-faults
work
to_work=${WORK[1]}
exec {to_work}>&-
wait $pid
run 0 stop_thread stop --json
is thread_scope "$(json out "[.scope, .events[0].state, .events[0].count >= $least]")" '["thread","counted",true]'

# ---- hardware events, or why not
"$bin/swtrace" event cycles >event
run "$(grep -q 'not counted' event && echo 125 || echo 0)" cycles run -e cycles -- true
if grep -q 'not counted' event; then
	says cycles_words err 'event cycles: this machine has no counter for it'
fi
exit $((failures != 0))
