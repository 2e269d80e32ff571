#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post -critical, of stories that can be added up by hand: whom the time of threads that wait is blamed
# on; that all of it is, to the nanosecond.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

# shellcheck disable=SC2120 # options: some stories have none
# blamed STORY-ON-STDIN [OPTION]...: `got` is a line for each blame: kind, thread or source, us, own us
blamed() {
	"$make_script" ${scope:+--scope="$scope"} story.nrm2 || exit 1
	blames story.nrm2 "$@"
}
blames() { # TRACE [OPTION]...
	code "${ends:-0}" "$post" -critical -json "${@:2}" "$1" || return 1
	jq -r '.critical.blame[] | select(.blame_ns > 0) | [.kind, (.thread // .source // "-"),
		.blame_ns / 1000, .own_ns / 1000] | join(" ")' out | sort >got
	adds_up
}
# Each ns is somewhere: of the threads, of wall time.
adds_up() {
	jq -e '.critical | .time_ns > 0 and ([.blame[].blame_ns] | add) == .time_ns and
		([.threads[].time_ns] | add) == .time_ns and
		([.blame[].system_ns | numbers] | add) + .none_seen_ns + .out_of_scope_ns == .wall_ns' out >why
}

# 300 threads on four CPUs, that wake each other and sleep
wakes_at_random() { # SEED
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		print "0 on"
		for (i = 1; i <= 300; i++) print "0 task walk " 1000 + i " 1 t" i
		for (n = 1; n <= 20000; n++) {
			cpu = int(rand() * 4)
			who = 1001 + int(rand() * 300)
			if (rand() < 0.45 && who != on[0] && who != on[1] && who != on[2] && who != on[3]) {
				irq = !on[cpu] || rand() < 0.2
				if (irq) print n " irq " cpu " in timer 0 " on[cpu] + 0
				print n " wake " cpu " " on[cpu] + 0 " " who (irq ? " irq" : "")
				if (irq) print n " irq " cpu " out timer 0 " on[cpu] + 0
				ready[who] = 1
			} else {
				next_one = 0
				for (r in ready) { next_one = r; break }
				if (next_one == on[cpu]) continue
				delete ready[next_one]
				state = rand() < 0.3 ? "preempted" : rand() < 0.5 ? "blocked" : "sleep"
				print n " dispatch " cpu " " on[cpu] + 0 " " (on[cpu] ? state : "running") " " next_one
				if (on[cpu] && state == "preempted") ready[on[cpu]] = 1
				on[cpu] = next_one
			}
		}
		print "20010 off"
	}'
}

# ---- the longest wait is not the bottleneck: a client waits for a server, which waits for another
blamed <<'END'
	0 on
	0 task walk 100 1 client
	0 task walk 200 1 front
	0 task walk 300 1 deep
	10 dispatch 1 200 sleep 0
	20 dispatch 1 0 running 300
	30 dispatch 1 300 sleep 0
	100 wake 0 100 200
	100 dispatch 0 100 sleep 200
	110 wake 0 200 300
	110 dispatch 0 200 sleep 300
	500 wake 0 300 200
	500 dispatch 0 300 sleep 200
	540 wake 0 200 100
	540 dispatch 0 200 sleep 100
	600 off
END
cat >want <<'END'
not_woken deep 100 100
not_woken front 60 60
ran client 320 160
ran deep 1180 400
ran front 120 60
unknown deep 20 20
END
# client: ran 0-100 and 540-600; waited 100-540 for front, which ran 100-110 and 500-540 and else waited
# for deep, which ran. front waited for client 10-100, deep for front 30-110: to 100 that is client.
# deep: 0-20 unseen, ran 20-30.
diff want got >why
verdict chain
jq -e '[.critical.waits[] | [.thread, .waker_thread // .waker_source, .waited_ns / 1000,
	.handed_on_ns / 1000, .count]] == [["client", "front", 440, 390, 1], ["front", "deep", 390, 0, 1],
	["front", "client", 90, 0, 1], ["deep", "front", 80, 70, 1]]' out >why
verdict who_waited_for_whom
# Threads that ran before a CPU's first record are unknown: client until 100, front until 10.
jq -e '.critical | .wall_ns == 600000 and .none_seen_ns == 90000 and ([.blame[] | select(.kind == "ran") |
	[.thread, .system_ns / 1000]] | sort) == [["client", 60], ["deep", 400], ["front", 50]]' out >why
verdict system
code 0 "$post" -critical -q -o - story.nrm2 && has_line out 1.180 65.56 0.400 0.780 0.400 deep '(300)' ran &&
	has_line out 0.440 0.390 1 0.440 client '(100)' '->' front '(200)' &&
	has out 'Time of threads 1.800 ms, all of it blamed below. Wall time 0.600 ms, while none was seen to run 0.090 ms.' &&
	has out 'no syscall records' && has out 'no interrupt records'
verdict text
code 0 "$post" -critical -csv story.nrm2 && has out 'kind,source,number,pid,process,tid,thread,blame_ns,own_ns,others_ns,system_ns' &&
	has out 'ran,,,300,deep,300,deep,1180000,400000,780000,400000'
verdict csv

# ---- of some threads' time alone: whom they waited for is found all the same
cp story.nrm2 chain.nrm2
judged() { # NAME: `got`, and `out`, against `want`
	diff want got >why
	verdict "$1"
}
blames chain.nrm2 -comm client && cat >want <<'END' && judged one_thread
ran client 160 160
ran deep 390 0
ran front 50 0
END
blames chain.nrm2 -tid 200,300 && jq -e '[.critical.threads[].thread] == ["deep", "front"] or
	[.critical.threads[].thread] == ["front", "deep"]' out >why
verdict two_threads

# ---- who has the CPU: a lock's holder is kept from its CPU by one who has nothing to do with it
blamed <<'END' && cat >want <<'END2' && judged inversion
	0 on
	0 task walk 100 1 high
	0 task walk 200 1 low
	0 task walk 300 1 middle
	10 dispatch 0 100 sleep 200
	20 wake 0 200 300 irq
	20 dispatch 0 200 preempted 300
	420 dispatch 0 300 sleep 200
	450 wake 0 200 100
	450 dispatch 0 200 preempted 100
	500 off
END
had_cpu high 50 0
had_cpu middle 800 0
not_woken middle 80 80
ran high 60 60
ran low 80 40
ran middle 400 400
unknown low 10 10
unknown middle 20 20
END2
# high's wait, 10-450: low ran 10-20 and 420-450, and was ready 20-420, when middle had the CPU.

# ---- what wakes is not a thread: a timer, a device, a softirq, an interrupt that nobody saw; nobody
blamed <<'END' && cat >want <<'END2' && judged interrupts
	0 on
	0 task walk 100 1 a
	10 dispatch 0 100 sleep 0
	40 irq 0 in timer 0 0
	40 wake 0 0 100 irq
	40 irq 0 out timer 0 0
	50 dispatch 0 0 running 100
	60 dispatch 0 100 blocked 0
	160 irq 0 in device 27 0
	160 wake 0 0 100 irq
	160 irq 0 out device 27 0
	165 dispatch 0 0 running 100
	170 dispatch 0 100 sleep 0
	180 irq 0 in softirq 8 0
	180 wake 0 0 100 irq
	180 irq 0 out softirq 8 0
	180 dispatch 0 0 running 100
	190 dispatch 0 100 sleep 0
	200 irq 0 in softirq 3 0
	200 wake 0 0 100 irq
	200 irq 0 out softirq 3 0
	200 dispatch 0 0 running 100
	210 dispatch 0 100 sleep 0
	240 wake 0 0 100 irq
	240 dispatch 0 0 running 100
	250 dispatch 0 100 sleep 0
	300 dispatch 0 0 running 100
	310 dispatch 0 100 sleep 0
	400 off
END
cpu_idle - 15 0
interrupt device 100 0
interrupt softirq 10 0
not_woken a 90 90
ran a 65 65
slept a 40 40
some_interrupt a 30 30
unknown_waker a 50 50
END2
jq -e '[.critical.waits[] | [.waker_source, .waker_number, .waited_ns / 1000, .handed_on_ns / 1000]] | sort ==
	[["cpu", null, 15, 15], ["device", 27, 100, 0], ["softirq", 3, 10, 0], ["softirq", 8, 10, 0],
	["timer", 0, 30, 0], ["unknown", null, 30, 0], ["unseen", null, 50, 0]]' out >why
verdict wakers
jq -e '.critical | .wall_ns == 400000 and .none_seen_ns == 345000' out >why
verdict none_ran
code 0 "$post" -critical -q -o - story.nrm2 && has_line out 0.100 25.00 0.000 0.100 - device 27 '(virtio0-req.0,' 'eth0)' was waited for &&
	has out 'a (100) slept until its timer' && has out 'a (100) -> unknown waker' && has out 'a (100) -> a CPU'
verdict interrupts_text
code 0 "$post" -critical -csv story.nrm2 && has out 'interrupt,device,27,,,,,100000,0,100000,' && has out 'cpu_idle,,,,,,,15000'
verdict interrupts_csv

# ---- in what: a lock by its address, a call, a page fault; nothing
blamed <<'END' || exit 1
	0 on
	0 task walk 100 1 a
	0 task walk 200 1 b
	10 call 0 100 202
	20 dispatch 0 100 sleep 200
	100 wake 0 200 100
	100 dispatch 0 200 sleep 100
	105 ret 0 100 202 0
	110 fault 0 100 0x401000 0x7f0000001000
	120 wake 0 100 200
	120 dispatch 0 100 blocked 200
	180 wake 0 200 100
	180 dispatch 0 200 sleep 100
	190 call 0 100 0
	200 wake 0 100 200
	200 dispatch 0 100 sleep 200
	230 wake 0 200 100
	230 dispatch 0 200 sleep 100
	240 ret 0 100 0 0
	250 wake 0 100 200
	250 dispatch 0 100 sleep 200
	270 wake 0 200 100
	270 dispatch 0 200 sleep 100
	300 off
END
jq -e '[.critical.places[] | select(.process == "a") | [.in, .waited_ns / 1000, .count]] ==
	[["futex 0x1", 80, 1], ["page fault", 60, 1], ["read", 30, 1], ["", 20, 1]]' out >why
verdict places
code 0 "$post" -critical -q -o - story.nrm2 && has_line out 0.080 0.000 1 0.080 futex 0x1 a '(100)' &&
	has_line out 0.060 0.000 1 0.060 page fault a '(100)' '->' b '(200)'
verdict places_text

# ---- a new thread: who waited for it since before there was one waited for who made it
blamed <<'END' && cat >want <<'END2' && judged new_thread
	0 on
	0 task walk 100 1 a
	0 task walk 200 1 maker
	10 dispatch 0 100 sleep 200
	110 task fork 300 200 maker
	110 wake 0 200 300 new
	120 dispatch 0 200 sleep 300
	220 wake 0 300 100
	220 dispatch 0 300 dead 100
	300 off
END
had_cpu maker 20 0
not_woken maker 180 180
ran a 90 90
ran maker 200 100
ran maker 210 110
unknown maker 10 10
END2

# ---- kernel threads are not victims, unless they are asked for
blamed <<'END' || exit 1
	0 on
	0 task kthread 50 2 kworker
	0 task walk 100 1 a
	10 dispatch 0 100 sleep 50
	60 wake 0 50 100
	70 dispatch 0 50 idle 100
	100 off
END
cat >want <<'END'
had_cpu kworker 10 0
ran a 40 40
ran kworker 50 0
END
judged kernel_threads
code 0 "$post" -critical -comm kworker -json story.nrm2 && adds_up && jq -e '[.critical.threads[].thread] == ["kworker"]' out >why
verdict kernel_thread_asked_for

# ---- what is not there: records lost, threads outside, a pause, no wake-ups
ends=1 blamed <<'END' && cat >want <<'END2' && judged lost
	0 on
	0 task walk 100 1 a
	0 task walk 200 1 b
	10 dispatch 0 100 sleep 200
	50 dispatch 0 200 sleep 0
	60 irq 1 in timer 0 0
	60 wake 1 0 200 irq
	60 irq 1 out timer 0 0
	70 dispatch 1 0 running 200
	90 lost 1 4 3
	100 wake 0 0 100 irq
	100 dispatch 0 0 running 100
	200 off
END
cpu_idle - 10 0
ran a 110 110
ran b 40 40
slept b 10 10
some_interrupt a 90 90
unknown b 140 140
END2

# A single program: a thread outside the trace's scope may be to blame, and have the CPU.
scope=100 blamed <<'END' && cat >want <<'END2' && judged scope
	0 on
	0 task walk 100 1 a
	0 task ancestor 1 0 init
	10 dispatch 0 100 sleep 900
	110 wake 0 900 100
	130 dispatch 0 900 preempted 100
	150 off
END
out_of_scope - 20 0
out_of_scope Unknown 100 0
ran a 30 30
END2
jq -e '.critical | .out_of_scope_ns == 120000 and .wall_ns == 150000' out >why
verdict scope_shares

# Twice on: what was before is not waited for, and each part has its end.
blamed <<'END' && cat >want <<'END2' && judged twice
	0 on
	0 task walk 100 1 a
	0 task walk 200 1 b
	10 dispatch 0 100 sleep 200
	100 off
	200 on
	210 wake 0 200 100
	230 dispatch 0 200 sleep 100
	300 off
END
had_cpu b 20 0
not_woken a 90 90
not_woken b 70 70
ran a 80 80
ran b 120 120
unknown a 10 10
unknown b 10 10
END2

# ---- counted together by name
blames chain.nrm2 -pnm -tnm && cp got together && blames chain.nrm2 && diff together got >why
verdict names_that_differ
"$make_script" named.nrm2 <<'END' || exit 1
	0 on
	0 task walk 100 1 make
	0 task walk_thread 100/101 1 w
	0 task walk_thread 100/102 1 w
	0 task walk_thread 100/103 1 boss
	10 dispatch 0 100/101 sleep 100/102
	20 dispatch 0 100/102 sleep 100/103
	120 wake 0 100/103 100/101
	130 wake 0 100/103 100/102
	140 dispatch 0 100/103 sleep 100/101
	150 dispatch 0 100/101 sleep 100/102
	200 off
END
blames named.nrm2 -tnm && cat >want <<'END' && judged together
had_cpu boss 30 0
had_cpu w 10 0
not_woken boss 60 60
not_woken w 50 50
ran boss 330 120
ran w 80 80
unknown boss 30 20
unknown w 10 10
END
jq -e '.critical.waits | length == 2 and (map(.count) | add) == 4 and .[0].longest_ns == 110000' out >why
verdict edges_together

# ---- many threads, at random: the program itself says when sums differ
for seed in 1 2 3; do
	"${make_trace%post_trace}gen_trace" --clock=monotonic --samples=0 --events=20000 --seed=$seed \
		--cpus=$seed many.nrm2 >/dev/null && blames many.nrm2
	verdict "random_$seed"
done
for seed in 1 2 3; do
	wakes_at_random $seed | "$make_script" --cpus=4 many.nrm2 && blames many.nrm2 && [ ! -s err ] &&
		grep -q '^had_cpu' got && grep -q '^slept' got
	verdict "random_wakes_$seed"
done

# ---- nothing to tell
printf '0 on\n10 off\n' | "$make_script" empty.nrm2 && code 0 "$post" -critical empty.nrm2 &&
	has out 'The trace has no dispatch records' && has out 'swtrace enable dispatch wakeup interrupt syscall'
verdict empty
code 0 "$post" -critical -json empty.nrm2 && jq -e '.critical == {time_ns: 0, wall_ns: 10000, none_seen_ns: 10000,
	out_of_scope_ns: 0, blame: [], places: [], waits: [], threads: []}' out >why
verdict empty_json
finish
