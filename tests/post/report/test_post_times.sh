#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Reports of threads, interrupts, system calls and page faults, of stories that can be added up by
# hand (post_*.story): the texts (UPDATE=1 writes the golden files anew: then read them), JSON, CSV.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

tell() { # STORY FILE [OPTION]...
	local story=$1 file=$2
	shift 2
	[ "$story" = /dev/stdin ] || story=$here/$story
	"$make_script" "$@" "$file" <"$story" || exit 1
}

tell post_sched.story sched.nrm2
tell post_calls.story calls.nrm2
tell post_odd.story odd.nrm2

# ---- text
code 0 "$post" -sched -offcpu -irq sched.nrm2 && same out post_sched.screen
verdict screen
for report in sched offcpu irq; do
	same $report.out post_sched.$report
	verdict $report
done
code 0 "$post" -irq -o - sched.nrm2 && cp out dash && cmp dash irq.out >why
verdict dash_is_the_same_report

code 0 "$post" -syscalls -faults calls.nrm2 && same out post_calls.screen
verdict calls_screen
same syscalls.out post_calls.syscalls
verdict syscalls
same faults.out post_calls.faults
verdict faults
code 1 "$post" -sched -offcpu -irq -syscalls -o - odd.nrm2 && same out post_odd.all
verdict odd
cmp -s err /dev/null
verdict losses_are_no_contradictions

# ---- JSON
code 0 "$post" -sched -json sched.nrm2 && jq -e '
	(.sched.cpus | map({cpu, wall_ns, busy_ns, idle_ns, interrupt_ns, unknown_ns}) == [
	{cpu: 0, wall_ns: 1000000, busy_ns: 620000, idle_ns: 350000, interrupt_ns: 30000, unknown_ns: 0},
	{cpu: 1, wall_ns: 1000000, busy_ns: 920000, idle_ns: 80000, interrupt_ns: 0, unknown_ns: 0}]) and
	([.sched.threads[].run_ns] | add == 1570000) and
	(.sched.threads[] | select(.tid == 100) | .run_ns == 300000 and .interrupted_ns == 30000 and
	.off_ns == {sleeping: 180000, blocked: 400000} and
	.wait_ns == {sleeping: 20000, blocked: 100000} and .left == {sleeping: 1, blocked: 1} and
	.latency.count == 1 and .latency.max_ns == 20000)' out >why
verdict json
code 0 "$post" -syscalls -json calls.nrm2 && jq -e '
	(.syscalls.calls | map({key: .call,
	value: [.time.count, .time.total_ns, .off_ns, .wait_ns, .error_count]}) | from_entries ==
	{openat: [3, 6000, 0, 0, 3], read: [1, 100000, 60000, 10000, 0], "write/32": [1, 10000, 0, 0, 0],
	futex: [1, 200000, 0, 80000, 1], fork: [1, 20000, 0, 0, 0], execve: [1, 20000, 0, 0, 0],
	exit_group: [0, 0, 0, 0, 0], getpid: [1, 1000, 0, 0, 0], nanosleep: [0, 0, 0, 0, 0]}) and
	(.syscalls.calls[] | select(.call == "openat").errors) == {ENOENT: 2, EACCES: 1} and
	([.syscalls.calls[].no_return] | add == 1) and ([.syscalls.calls[].open] | add == 1) and
	.syscalls.exits_without_entry == 1' out >why
verdict syscalls_json
code 0 "$post" -faults -json calls.nrm2 &&
	jq -e '[.faults[] | {tid, symbol, count}] | sort_by(.symbol) ==
	[{tid: 300, symbol: "NoModule", count: 1}, {tid: 300, symbol: "copy_to_user", count: 2}]' out >why
verdict faults_json
code 1 "$post" -sched -irq -offcpu -syscalls -faults -tprof -json odd.nrm2 &&
	jq -e '(.sched.cpus | map([.wall_ns, .busy_ns + .idle_ns + .interrupt_ns + .unknown_ns])) ==
	[[1000000, 1000000], [815000, 815000]] and
	(.sched.threads[] | select(.tid == 100) | .unsure_ns == 120000 and .unsure_latencies == 1 and
	.latency.count == 0) and .total_ticks == 0 and (.offcpu | length > 0) and .faults == []' out >why
verdict all_in_one_json

# ---- CSV: the same sums
code 0 "$post" -sched -csv sched.nrm2 && awk -F, '
	NR == 1 { for (i = 1; i <= NF; i++) if ($i == "run_ns") c = i }
	NR > 1 { n += $c } END { exit n != 1570000 }' out
verdict sched_csv
code 0 "$post" -syscalls -csv calls.nrm2 && has out '100,make,100,make,openat,257,3,0,0,0,0,0,3,6000,' &&
	code 0 "$post" -irq -csv sched.nrm2 && has out '0,device,27,"virtio0-req.0, eth0",15000,0,1,20000,' &&
	code 0 "$post" -offcpu -csv sched.nrm2 && has out '100,make,100,make,sleeping,180000,20000,1,200000' &&
	code 0 "$post" -faults -csv calls.nrm2 && has out '300,next,300,next,vmlinux,copy_to_user,2'
verdict csv

# ---- a second opinion: the same computed from the records alone, in another way
for story in sched calls odd; do
	code=0
	"$here/judge_times" "$post" $story.nrm2 >why || code=1
	[ $code = 0 ]
	verdict "judged_$story"
done
for seed in 1 2 3; do
	"${make_trace%post_trace}gen_trace" --clock=monotonic --samples=0 --events=20000 --seed=$seed \
		--cpus=$seed many.nrm2 >/dev/null && "$here/judge_times" "$post" many.nrm2 >why
	verdict "judged_random_$seed"
done
# The judge can fail: an idle CPU's dispatch that post does not see.
"$here/judge_times" "$post" many.nrm2 "$work/calls.nrm2" >why
[ $? = 1 ] && grep -q 'post says' why
verdict judge_can_fail

# ---- what is counted together by name is the sum of its parts, in every report; nothing else changes
tell /dev/stdin named.nrm2 <<-'END'
	0 on
	0 task walk 100 1 make
	0 task walk_thread 100/101 1 w
	0 task walk_thread 100/102 1 w
	0 task walk 200 1 make
	0 task walk_thread 200/201 1 w
	0 task walk 300 1 cc
	0 task walk_thread 300/301 1 w
	10 call 0 100/101 1
	20 ret 0 100/101 1 -2
	30 dispatch 0 100/101 sleep 100/102
	35 call 0 100/102 1
	50 fault 0 100/102 0xffffffff81002010 0x1000
	60 ret 0 100/102 1 -2
	65 wake 0 100/102 100/101
	70 dispatch 0 100/102 sleep 100/101
	80 wake 0 100/101 200/201
	85 wake 0 100/101 100/102
	90 dispatch 0 100/101 sleep 200/201
	95 call 0 200/201 1
	100 ret 0 200/201 1 5
	105 fault 0 200/201 0xffffffff81002010 0x1000
	110 dispatch 0 200/201 preempted 300/301
	115 call 0 300/301 1
	120 ret 0 300/301 1 5
	122 fault 0 300/301 0xffffffff81002010 0x1000
	125 wake 0 300/301 100
	130 dispatch 0 300/301 blocked 100
	200 dispatch 0 100 sleep 200/201
	250 dispatch 0 200/201 sleep 100/102
	300 off
END
sums() { # WHO OPTION...: each report's lines, those of one WHO (jq) added up; and how many they were
	code 0 "$post" -sched -offcpu -syscalls -faults -json "${@:2}" named.nrm2 && jq -S "
		def plus: if type == \"object\" then add else . end;
		def sums(key): length as \$lines | group_by(key) | {lines: \$lines, groups: map({who: (.[0] | key),
			run: ([.[].run_ns] | add), wait: ([.[].wait_ns | plus] | add),
			off: ([.[].off_ns | plus] | add), unknown: ([.[].unknown_ns] | add),
			dispatches: ([.[].dispatches] | add), count: ([.[].count] | add),
			slept: ([.[].slept_ns] | add), left: ([.[].left | plus] | add),
			latencies: ([.[].latency.count?] | add), latency: ([.[].latency.max_ns?] | max),
			longest: ([.[].longest_ns] | max), calls: ([.[].time.count?] | add),
			time: ([.[].time.total_ns?] | add), errors: ([.[].error_count] | add)})};
		def who: $1;
		{sched: (.sched.threads | sums(who)), offcpu: (.offcpu | sums([who, .reason])),
		wakeups: (.sched.wakeups | sums([.waker_process, .waker_thread, who])),
		calls: (.syscalls.threads | sums([who, .call])), faults: (.faults | sums([who, .symbol]))}" out
}
for names in '-tnm [.pid,.process,.thread]' '-tnm -pnm [.process,.thread]'; do
	who=${names##* } names=${names% *}
	sums "$who" >apart
	# shellcheck disable=SC2086
	sums "$who" $names >together
	diff <(jq 'map_values(.groups)' apart) <(jq 'map_values(.groups)' together) >why &&
		jq -e 'all(.[]; .lines == (.groups | length))' together >>why &&
		jq -e '.sched.lines > (.sched.groups | length) and .calls.lines > (.calls.groups | length)' \
			apart >>why
	verdict "counted_together${names// /}"
	# shellcheck disable=SC2086
	jq -e '[.sched.threads[], .offcpu[], .sched.wakeups[], .syscalls.threads[], .faults[] |
		(has("pid") | tostring) + (has("tid") | tostring)] | unique == [$want]' \
		--arg want "$([ "$names" = -tnm ] && echo truefalse || echo falsefalse)" out >why
	verdict "no_numbers${names// /}"
done
code 0 "$post" -pnm -tnm -sched -offcpu -syscalls -o - named.nrm2 && has out ' w of make' &&
	has out ' w of cc' && has out ' make -> ' && ! grep -E '(w|make|cc) \([0-9]+\)' out >why
verdict no_numbers_in_text
for report in sched offcpu syscalls faults; do
	code 0 "$post" -$report -csv -pnm -tnm named.nrm2 && ! tail -n +2 out | grep -vE '^,[a-z]+,,[a-z]+,' >why
	verdict "no_numbers_csv_$report"
done

# ---- woken at 100 before it has left, which it then does not; it sleeps from 200 to 500, on a CPU at 520
tell /dev/stdin early.nrm2 <<-'END'
	0 on
	0 task walk 100 1 a
	5 wake 0 0 100 irq
	10 dispatch 0 0 running 100
	100 wake 1 0 100 irq
	200 dispatch 0 100 sleep 0
	500 wake 1 0 100 irq
	520 dispatch 0 0 running 100
	1000 off
END
code 0 "$post" -sched -json early.nrm2 && jq -e '.sched.threads[] | select(.tid == 100) |
	.latency.count == 2 and .latency.max_ns == 20000 and .off_ns == {sleeping: 300000}' out >why &&
	"$here/judge_times" "$post" early.nrm2 >why
verdict woken_before_it_left

# ---- where threads left their CPUs: 300 us in copy_to_user called from spin_unlock, 50 in spin_unlock
# alone; b, whose dispatch has no stack, is in none
tell /dev/stdin away.nrm2 <<-'END'
	0 on
	0 task walk 100 1 a
	0 task walk 200 1 b
	100 dispatch 0 100 sleep 0 0xffffffff81002010 0xffffffff81001010 0x1234
	350 wake 0 0 100 irq
	400 dispatch 0 0 running 100
	410 dispatch 1 200 preempted 0
	420 dispatch 1 0 running 200
	450 dispatch 0 100 blocked 0 0xffffffff81001020
	455 wake 1 200 100
	500 dispatch 0 0 running 100
	1000 off
END
code 0 "$post" -offcpu -folded away.nrm2 && sort out >got &&
	printf '%s\n' 'a;NoModule;spin_unlock_[k];copy_to_user_[k] 300' 'a;spin_unlock_[k] 50' |
	diff - got >why
verdict offcpu_folded
code 0 "$post" -offcpu -calltree -json away.nrm2 && jq -e '.unit == "us off the CPU" and
	.total_ticks == 350 and .stacks.with == 350 and ([.calls[].self] | add == 350)' out >why
verdict offcpu_tree
code 0 "$post" -offcpu -calltree -o - away.nrm2 && has_line out TOTAL us 350 &&
	code 0 "$post" -offcpu -callers -o - away.nrm2 && has out 'copy_to_user'
verdict offcpu_callers
code 0 "$post" -offcpu -calltree -o - sched.nrm2 && has out 'no call stacks of dispatches'
verdict offcpu_without_stacks

# ---- written again while tracing goes on (a rotated file begins): no pause, all reports as before;
# a resume is one: what lies before each CPU's next record is unknown
awk '{ print } $1 == 200 && $2 == "dispatch" || $1 == 330 && !n++ || /^625/ { print $1, "again" }' \
	"$here/post_sched.story" >again.story
awk '{ print } /^625/ { print "650 resume" }' "$here/post_sched.story" >resume.story
[ "$(grep -c again again.story)" = 2 ] && tell /dev/stdin again.nrm2 <again.story
tell /dev/stdin resume.nrm2 <resume.story
for report in sched offcpu irq; do
	code 0 "$post" -$report -json sched.nrm2 && jq 'del(.file, .records)' out >whole.$report
	code 0 "$post" -$report -json again.nrm2 && jq 'del(.file, .records)' out >again.$report
	diff whole.$report again.$report >why
	verdict "again_is_no_pause_$report"
done
# CPU 0's last record before is at 500 us, CPU 1's at 625.
code 0 "$post" -sched -json resume.nrm2 && jq -e '.sched.cpus | map([.wall_ns, .unknown_ns]) ==
	[[1000000, 150000], [1000000, 25000]]' out >why
verdict resume_is_a_pause
"$here/judge_times" "$post" again.nrm2 >why
verdict judged_again

# ---- off and on again: each stretch counts, what lies between does not; the second begins with nothing
# known, and a wake-up is no latency of before
cat >twice.story <<-'END'
	0 on
	0 task walk 100 1 a
	0 task walk 200 1 b
	100 dispatch 0 100 sleep 200
	150 call 0 200 1
	160 ret 0 200 1 0
	300 off
	700 on
	720 wake 0 0 200 irq
	800 dispatch 0 0 running 200
	850 irq 0 in device 27 200
	860 irq 0 out device 27 200
	900 dispatch 0 200 sleep 0
	1000 off
END
tell /dev/stdin twice.nrm2 <twice.story
code 0 "$post" -sched -irq -offcpu -syscalls -json twice.nrm2 && jq -e '
	(.sched.cpus | map([.wall_ns, .busy_ns, .idle_ns, .interrupt_ns, .unknown_ns, .dispatches]) ==
	[[600000, 390000, 200000, 10000, 0, 3]]) and
	([.sched.threads[] | {key: .thread, value: [.run_ns, .unknown_ns, .off_ns, .wait_ns, .latency.total_ns]}] |
	from_entries == {a: [100000, 300000, {sleeping: 200000}, {}, 0],
	b: [300000, 120000, {sleeping: 100000}, {before: 80000}, 80000]}) and
	(.irq.cpus | map([.wall_ns, .interrupt_ns])) == [[600000, 10000]] and
	([.offcpu[] | [.thread, .reason, .off_ns]] | sort) ==
	[["a", "sleeping", 200000], ["b", "before", 0], ["b", "sleeping", 100000]] and
	(.syscalls.calls | map([.call, .time.count, .open])) == [["write", 1, 0]]' out >why
verdict second_stretch
# The off record is missing: it ends with the last record.
sed '/^300 off/d' twice.story >untold.story
tell /dev/stdin untold.nrm2 <untold.story
code 0 "$post" -sched -json untold.nrm2 && jq -e '(.sched.cpus | map([.wall_ns, .busy_ns, .idle_ns]) ==
	[[460000, 250000, 200000]])' out >why
verdict second_stretch_untold
# The time between off and on is in no segment.
sed 's/^700 on/400 dispatch 0 100 sleep 200\n450 wake 0 0 100 irq\n&/' twice.story >between.story
tell /dev/stdin between.nrm2 <between.story
code 0 "$post" -sched -json twice.nrm2 && jq "del(.file, .records, .sched.wakeup_records)" out >without &&
	"$post" -sched -json between.nrm2 | jq "del(.file, .records, .sched.wakeup_records)" | diff without - >why
verdict nothing_between_stretches

# ---- what a trace may lack
tell /dev/stdin wrapped.nrm2 --wrap <<-'END'
	0 on
	0 task walk 100 1 a
	500 dispatch 0 100 sleep 0
	700 dispatch 1 0 running 100
	1000 off
END
code 0 "$post" -sched -json wrapped.nrm2 && jq -e '.sched.cpus | map([.wall_ns, .unknown_ns]) ==
	[[500000, 0], [500000, 200000]]' out >why
verdict wrapped_begins_with_its_oldest_record
tell /dev/stdin stopped.nrm2 --stopped <<-'END'
	0 on
	0 task walk 100 1 a
	100 dispatch 0 100 sleep 0
	400 dispatch 0 0 running 100
	1000 off
END
"$post" -sched -json stopped.nrm2 >out && jq -e '.sched.cpus | map([.wall_ns, .idle_ns]) ==
	[[400000, 300000]]' out >why
verdict stopped_ends_with_its_last_record
tell /dev/stdin scope.nrm2 --scope=100 <<-'END'
	0 on
	0 task ancestor 1 0 shell
	0 task walk 100 1 a
	100 dispatch 0 100 sleep 50
	300 wake 0 60 100
	310 dispatch 0 60 running 100
	400 dispatch 0 100 preempted 1
	1000 off
END
code 0 "$post" -sched -json scope.nrm2 && jq -e '(.sched.cpus | map([.busy_ns, .others_ns, .unknown_ns])) ==
	[[190000, 810000, 0]] and (.sched.threads | map([.tid, .run_ns]) == [[100, 190000]])' out >why
verdict scope_knows_its_own
tell /dev/stdin wrong.nrm2 <<-'END'
	0 on
	0 task walk 100 1 a
	0 task walk 200 1 b
	100 dispatch 0 100 sleep 0
	300 dispatch 0 200 sleep 0
	1000 off
END
code 1 "$post" -sched -irq wrong.nrm2 && has err 'contradict' && [ "$(wc -l <err)" = 1 ]
verdict contradiction_is_told
code 0 "$post" -sched -json calls.nrm2 && jq -e '[.sched.threads[] | select(.tid == 300) | .thread] |
	sort == ["app", "next", "tool"]' out >why
verdict tid_used_again
tell /dev/stdin leader.nrm2 <<-'END'
	0 on
	0 task walk 100 1 a
	0 task walk_thread 100/101 1 a
	100 dispatch 0 100 sleep 100/101
	150 call 0 100/101 59
	200 task exec 100 1 new
	210 ret 0 100/101 59 0
	400 dispatch 0 100 sleep 0
	1000 off
END
code 0 "$post" -sched -syscalls -json leader.nrm2 &&
	jq -e '([.sched.threads[] | {key: .thread, value: .run_ns}] | group_by(.key) |
	map({key: .[0].key, value: (map(.value) | add)}) | from_entries == {a: 200000, new: 200000}) and
	.syscalls.calls[0].time.total_ns == 60000' out >why
verdict exec_by_another_thread
tell /dev/stdin none.nrm2 <<-'END'
	0 on
	1000 off
END
empty() { # REPORT
	code 0 "$post" "-$1" none.nrm2 && has out 'swtrace enable' && code 0 "$post" "-$1" -json none.nrm2 &&
		jq -e . out >why && code 0 "$post" "-$1" -csv none.nrm2
}
every empty sched offcpu irq syscalls faults
verdict nothing_recorded
# Records that a collector does not have cannot be enabled.
tell /dev/stdin perf_none.nrm2 --collector=perf <<-'END'
	0 on
	1000 off
END
# Threads that samples find on one CPU and then on another came there unseen.
tell /dev/stdin seen.nrm2 --collector=perf <<-'END'
	0 on
	0 task walk 100 1 shop
	10 sample 0 100 0x400100
	20 sample 1 100 0x400100
	30 sample 0 100 0x400100
	1000 off
END
unmoved() { # REPORT
	code 0 "$post" "-$1" seen.nrm2 && [ ! -s err ]
}
every unmoved sched offcpu marks
verdict migration_without_dispatches
# Not with what would be refused: perf has no interrupts, and who has dispatches need not have them.
code 0 "$post" -sched perf_none.nrm2 && has out 'swtrace run -M dispatch,wakeup -- COMMAND' &&
	code 0 "$post" -critical none.nrm2 && has out 'swtrace run -M dispatch,wakeup,interrupt,syscall -- COMMAND'
verdict hints_can_be_followed
lacking() { # REPORT
	code 0 "$post" "-$1" perf_none.nrm2 && has out 'the collector perf has none. They need the collector driver'
}
every lacking irq faults
verdict collector_lacks
tell /dev/stdin timer_none.nrm2 --collector=timer <<-'END'
	0 on
	1000 off
END
code 0 "$post" -sched timer_none.nrm2 && has out 'the collector timer has none. They need the collector driver or perf'
verdict collector_lacks_dispatch
# Without wake-ups, interrupts and priorities: what is not known has no number.
tell /dev/stdin perf.nrm2 --collector=perf <<-'END'
	0 on
	0 task walk 100 1 make
	0 task walk 200 1 cc
	100 dispatch 0 100 sleep 200
	400 dispatch 0 200 sleep 100
	1000 off
END
code 0 "$post" -sched perf.nrm2 && has_line out 0 100.00 0.00 - 0.00 0.00 2 &&
	has_line out 70.00 0.700 0.000 0.300 1 - make '(100)' &&
	has out 'no wake-up records: no latencies' &&
	has out 'no interrupt records (the collector perf has none): their time is' &&
	has_line sched.out 0.700 70.00 - 0.000 0.000 0.300 0.000 0.000 0.000 0.000 1 0 0 - make '(100)'
verdict unknown_has_no_number
code 0 "$post" -sched -json perf.nrm2 && jq -e '[.sched.threads[].priority] == [null, null] and
	.sched.wakeup_records == 0 and .sched.interrupt_records == 0' out >why
verdict unknown_json
code 0 "$post" -sched -csv perf.nrm2 && has out '100,make,100,make,,700000,0,'
verdict unknown_csv
code 0 "$post" -sched -json sched.nrm2 && jq -e '[.sched.threads[].priority] | index(120) and
	all(. == null or . == 120)' out >why && jq -e '.sched.wakeup_records > 0' out >why
verdict known_json
code 0 "$post" -offcpu perf.nrm2 && has out 'no wake-up records'
verdict offcpu_without_wakeups
tell /dev/stdin short.nrm2 <<-'END'
	0 on
	10 raw 0 0x12 0 16
	20 raw 0 0xC6 0 20
	30 raw 0 4 1 4
	40 raw 0 5 1 28
	50 raw 0 5 0x80000001 12
	60 raw 0 3 0x20 28
	1000 off
END
code 1 "$post" -sched -syscalls -irq -faults short.nrm2 && has err 'of 16 bytes: not a dispatch' && has err 'and 5 more'
verdict short_records
refused() { # OPTIONS
	# shellcheck disable=SC2086
	code 2 "$post" $1 sched.nrm2
}
every refused '-sched -csv -irq' '-sched -show' '-sched -calltree' '-csv -json -irq'
verdict contradictions
finish
