#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs' own records: pairs of begin and end by name, nested, left open, cut by losses; spans by name and id,
# across threads and processes; other records within them; the slowest.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

cat >marks.story <<'END'
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 app
0 task walk 200 1 app
# 100 us, with 30 + 10 inside
10 mark 0 100 0xb0 0 outer
20 mark 0 100 0xb0 0 inner
50 mark 0 100 0xb0 0x80 inner
60 mark 0 100 0xb0 0 inner
70 mark 0 100 0xb0 0x80
110 mark 0 100 0xb0 0x80 outer
# another thread at the same time, on another CPU where it ends
15 mark 0 100/101 0xb0 0 outer
35 mark 1 100/101 0xb0 0x80 outer
# the end of inner is missing: outer's own takes it along
120 mark 0 100 0xb0 0 outer
130 mark 0 100 0xb0 0 inner
150 mark 0 100 0xb0 0x80 outer
# ends without a beginning: of another name, of nothing at all
160 mark 0 100 0xb0 0 outer
165 mark 0 100 0xb0 0x80 nobody
170 mark 0 100 0xb0 0x80 outer
175 mark 0 100 0xb0 0x80
# of one with the same name as another process's; it exits inside
200 mark 1 200 0xb0 0 outer
210 task exit 200 1 app
# a new owner of the pid; no name; then one that records are lost in
220 task fork 200 100 next
230 mark 1 200 0xb0 0
240 mark 1 200 0xb0 0x80
250 mark 1 200 0xb0 0 lossy
260 lost 1 10 3
270 mark 1 200 0xb0 0x80 lossy
280 mark 1 200 0xb0 0 lossy
290 mark 1 200 0xb0 0x80 lossy
# others; and a name that a terminal must not get
300 mark 0 100 0xb0 7 x
310 mark 0 100 0xd0 1 x
320 mark 0 100 0xd0 1 y
330 mark 0 100/101 0xff 0x80000000
340 mark 0 100 0xb0 0 ESC
345 mark 0 100 0xb0 0x80 ESC
# still open at the end; not whole
400 mark 0 100 0xb0 0 open
410 raw 0 0xd0 1 8
500 off
END
# A CPU's records are in the order of time.
grep -v '^#' marks.story | sort -sn | sed $'s/ESC/\033[31m/' | "$make_script" marks.nrm2 || exit 1
pairs=$(grep -c ' 0xb0 ' marks.story)

code 1 "$post" -marks -json marks.nrm2 && cp out marks.json && jq -e '
	(.marks.names | map({key: .name, value: [.time.count, .time.total_ns, .self_ns, .open, .cut,
	.time.max_ns]}) | from_entries) == {
	outer: [4, 160000, 120000, 1, 0, 100000], inner: [2, 40000, 40000, 0, 1, 30000],
	"": [1, 10000, 10000, 0, 0, 10000], lossy: [1, 10000, 10000, 0, 1, 10000],
	"\u001b[31m": [1, 5000, 5000, 0, 0, 5000], open: [0, 0, 0, 1, 0, 0]} and
	.marks.ends_without_beginning == 2' out >why
verdict pairs
jq -e '[.marks.threads[] | select(.name == "outer") | {tid, n: .time.count, t: .time.total_ns, o: .open}] |
	sort_by(.tid) == [{tid: 100, n: 3, t: 140000, o: 0}, {tid: 101, n: 1, t: 20000, o: 0},
	{tid: 200, n: 0, t: 0, o: 1}]' marks.json >why
verdict by_thread
jq -e --argjson pairs "$pairs" '([.marks.others[] | [.tid, .major, .minor, .records]] | sort) == [[100, 176, 7, 1],
	[100, 208, 1, 2], [101, 255, 2147483648, 1]] and
	.user_records == {"0xb0": $pairs, "0xd0": 3, "0xff": 1}' marks.json >why
verdict others
grep -q "not a program's record" err
verdict malformed_is_told
code 1 "$post" -marks marks.nrm2 && has out ' outer' && has marks.out '2 ends without a beginning' &&
	has marks.out '\x1b[31m' && ! grep -q $'\033' marks.out out &&
	has marks.out "User records    $pairs of major 0xb0, 3 of major 0xd0, 1 of major 0xff"
verdict text
code 1 "$post" -o - marks.nrm2 && has out "User records    $pairs of major 0xb0"
verdict told_by_other_reports
code 1 "$post" marks.nrm2 && has out "$pairs  user " && has out 'post -marks'
verdict told_where_no_samples_are
code 1 "$post" -marks -pnm -tnm -json marks.nrm2 && jq -e --slurpfile all marks.json '
	([.marks.threads[].time.total_ns] | add) == ([$all[0].marks.threads[].time.total_ns] | add) and
	([.marks.threads[] | select(.name == "outer") | has("pid") or has("tid")] == [false])' out >why
verdict counted_together
code 1 "$post" -marks -csv marks.nrm2 && [ "$(awk -F, 'NR > 1 { n += $13 } END { print n }' out)" = \
	"$(jq '[.marks.names[].time.total_ns] | add' marks.json)" ]
verdict csv
"$make_trace" clean clean.nrm2
code 0 "$post" -marks -o - clean.nrm2 && has out 'swtrace enable user' &&
	code 0 "$post" -marks -json clean.nrm2 && jq -e '.marks.names == [] and .user_records == {}' out >why
verdict nothing

# Deeper than any real program: the outermost are reported as open, the rest is correct.
{
	echo '0 on'
	echo '0 task walk 100 1 deep'
	for ((i = 1; i <= 100; i++)); do echo "$i mark 0 100 0xb0 0 n$i"; done
	for ((i = 100; i > 36; i--)); do echo "$((301 - i)) mark 0 100 0xb0 0x80 n$i"; done
	echo '400 off'
} >deep.story
"$make_script" deep.nrm2 <deep.story && code 0 "$post" -marks -json deep.nrm2 && jq -e '
	([.marks.names[].time.count] | add) == 64 and ([.marks.names[].open] | add) == 36 and
	(.marks.names[] | select(.name == "n37").time.total_ns) == 227000 and
	([.marks.names[].self_ns] | add) == 227000' out >why
verdict deep

# Spans with ids: those of one name go on at the same time, and end in whichever thread.
story() { # FILE: a story on standard input, CPUs' records in the order of time
	grep -v '^#' | sort -sn | "$make_script" "$1"
}
story spans.nrm2 <<'END'
0 on
0 task walk 100 1 server
0 task walk_thread 100/101 1 server
0 task walk_thread 100/102 1 server
0 task walk 200 1 server
# 2.1 ms within 9.2 ms, in one thread: the issue's two
1000 mark 0 100 0xb0 0 request 1
1100 mark 0 100 0xb0 0 request 2
3200 mark 0 100 0xb0 0x80 request 2
10200 mark 0 100 0xb0 0x80 request 1
# interleaved, and ended by another thread than began it; the same id elsewhere is another span's
11000 mark 0 100/101 0xb0 0 request 3
11010 mark 1 200 0xb0 0 request 3
11500 mark 0 100/101 0xb0 0 request 4
12000 mark 1 100/102 0xb0 0x80 request 3
12020 mark 1 200 0xb0 0x80 request 3
12600 mark 1 100/102 0xb0 0x80 request 4
# the same twice: that begun last ends first
13000 mark 0 100 0xb0 0 again 0xffffffffffffffff
13100 mark 0 100 0xb0 0 again 0xffffffffffffffff
13110 mark 0 100 0xb0 0x80 again 0xffffffffffffffff
13500 mark 1 100/101 0xb0 0x80 again 0xffffffffffffffff
# ends that nobody began: of another id, name, process; of one that has no id
14000 mark 0 100 0xb0 0 alone 7
14010 mark 0 100 0xb0 0x80 alone 8
14020 mark 0 100 0xb0 0x80 nobody 7
14030 mark 1 200 0xb0 0x80 alone 7
14040 mark 0 100 0xb0 0x80 alone
14050 mark 0 100/101 0xb0 0x80 alone 7
# by ids of all processes: its own process's begin is not theirs
15000 mark 0 100 0xb0 0 job 9
15010 mark 1 200 0xb0 1 job 9
15050 mark 0 100 0xb0 0x81 job 9
15090 mark 0 100 0xb0 0x80 job 9
# without an integer minor 1 is not a span
15100 mark 0 100 0xd0 1 x
# a thread's end leaves open what others may end, a process's does not, but for those of all
16000 mark 1 100/102 0xb0 0 left 1
16100 task thread_exit 100/102 1 server
16300 mark 0 100 0xb0 0x80 left 1
16400 mark 1 200 0xb0 0 left 2
16410 mark 1 200 0xb0 1 kept 1
16500 task exit 200 1 server
16600 task fork 200 100 next
16700 mark 1 200 0xb0 0x80 left 2
16800 mark 1 200 0xb0 0x81 kept 1
# records were lost meanwhile; still open
17000 mark 0 100 0xb0 0 lossy 1
17100 lost 1 10 3
17200 mark 0 100 0xb0 0x80 lossy 1
17300 mark 0 100 0xb0 0 lossy 1
18000 off
END
code 1 "$post" -marks -json spans.nrm2 && cp out spans.json && jq -e '
	(.marks.names | map({key: .name, value: [.time.count, .time.total_ns, .time.min_ns, .time.max_ns,
		.open, .cut, .crossed]}) | from_entries) == {
	request: [5, 14410000, 1000000, 9200000, 0, 0, 2], again: [2, 510000, 10000, 500000, 0, 0, 1],
	alone: [1, 50000, 50000, 50000, 0, 0, 1], job: [2, 130000, 40000, 90000, 0, 0, 1],
	left: [1, 300000, 300000, 300000, 1, 0, 1], kept: [1, 390000, 390000, 390000, 0, 0, 1],
	lossy: [0, 0, 0, 0, 1, 1, 0]} and .marks.ends_without_beginning == 5' out >why
verdict spans
# Which are the two of the request; where each ended; the other data of their records.
jq -e '[.marks.slowest[] | select(.name == "request") | [.id, .took_ns, .began_ns, .pid, .tid, .within, .end_tid]] == [
	[1, 9200000, 1000000, 100, 100, "thread", null], [2, 2100000, 1100000, 100, 100, "thread", null],
	[4, 1100000, 11500000, 100, 101, "process", 102], [3, 1010000, 11010000, 200, 200, "thread", null],
	[3, 1000000, 11000000, 100, 101, "process", 102]] and
	([.marks.slowest[] | select(.name == "job") | [.took_ns, .within, .end_pid, .end_tid]] ==
		[[90000, "thread", null, null], [40000, "processes", 100, 100]]) and
	([.marks.slowest[] | select(.name == "again").id] == ["0xffffffffffffffff", "0xffffffffffffffff"])' spans.json >why
verdict spans_slowest
code 1 "$post" -marks -csv spans.nrm2 && awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["took_ns"] != "" && $at["name"] == "request" { print $at["id"] "," $at["took_ns"] "," $at["end_tid"] }' out >have &&
	printf '%s\n' 1,9200000, 2,2100000, 4,1100000,102 3,1010000, 3,1000000,102 | diff - have >why
verdict spans_csv
code 1 "$post" -marks spans.nrm2 && grep -qE '^ *9200\.000 .* 1  *thread .*request  server \(100\)' marks.out &&
	grep -qE '^ *1100\.000 .* 4  *process .*request  server \(101\) of' marks.out && has marks.out '0xffffffffffffffff'
verdict spans_text

# Their use of PTT's metrics: the differences, for spans that ended in their thread.
story metrics.nrm2 <<'END'
0 on
0 task walk 100 1 server
0 task walk_thread 100/101 1 server
1000 mark 0 100 0xb0 0 sort 1 5000 7 ptt:ns:task-clock ptt::page-faults:u
1100 mark 0 100 0xb0 0 sort 2 6000 8 ptt:ns:task-clock ptt::page-faults:u
1200 mark 0 100 0xb0 0x80 sort 2 6500 8 ptt:ns:task-clock ptt::page-faults:u
1300 mark 0 100 0xb0 0x80 sort 1 9000 17 ptt:ns:task-clock ptt::page-faults:u
# ended by another thread; of another metric; less than before; a begin without
2000 mark 0 100 0xb0 0 sort 3 1 1 ptt:ns:task-clock ptt::page-faults:u
2100 mark 1 100/101 0xb0 0x80 sort 3 2 2 ptt:ns:task-clock ptt::page-faults:u
3000 mark 0 100 0xb0 0 other 4 100 ptt:ns:cpu-clock
3100 mark 0 100 0xb0 0x80 other 4 200 ptt:ns:task-clock
3200 mark 0 100 0xb0 0 other 5 100 ptt:ns:task-clock
3300 mark 0 100 0xb0 0x80 other 5 99 ptt:ns:task-clock
3400 mark 0 100 0xb0 0 other 6
3500 mark 0 100 0xb0 0x80 other 6 99 ptt:ns:task-clock
3600 mark 0 100 0xb0 0 other 7 18446744073709551000 ptt:ns:task-clock
3700 mark 0 100 0xb0 0x80 other 7 18446744073709551615 ptt:ns:task-clock
4000 off
END
code 0 "$post" -marks -json metrics.nrm2 && jq -ce '.marks.metrics == [
	{records: 2, name: "sort", field: "task-clock", type: "u64", unit: "ns", min: 500, mean: 2250, max: 4000, sum: 4500},
	{records: 2, name: "sort", field: "page-faults:u", type: "u64", unit: "", min: 0, mean: 5, max: 10, sum: 10},
	{records: 1, name: "other", field: "task-clock", type: "u64", unit: "ns", min: 615, mean: 615, max: 615, sum: 615}]' out >why
verdict metrics "$(jq -c .marks.metrics out)"
code 0 "$post" -marks -csv metrics.nrm2 && awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
	$at["field"] != "" { print $at["name"] "," $at["field"] "," $at["unit"] "," $at["mean"] "," $at["sum"] }' out >have &&
	printf '%s\n' sort,task-clock,ns,2250,4500 sort,page-faults:u,,5,10 other,task-clock,ns,615,615 | diff - have >why
verdict metrics_csv
code 0 "$post" -marks metrics.nrm2 &&
	grep -qE '^ +2 +500 +2250(\.0*)? +4000 +4500 +sort\.task-clock \(ns\)$' marks.out &&
	grep -qE '^ +2 +0 +5(\.0*)? +10 +10 +sort\.page-faults:u$' marks.out
verdict metrics_text

# Records within them: of the thread if the span is of one thread, else of the process.
story inside.nrm2 <<'END'
0 on
0 task walk 100 1 server
0 task walk_thread 100/101 1 server
0 map 100 0x400000 0x10000 0 /usr/bin/nothing
1 dispatch 0 0 running 100
1 dispatch 1 0 running 100/101
# the thread that serves sleeps for 30 us and waits for 10; the other one has a sample, two calls
100 mark 0 100 0xb0 0 serve 1 4096
110 sample 0 100 0x400100
115 sample 1 100/101 0x400200
120 call 0 100 0
125 call 1 100/101 1
126 ret 1 100/101 1 0
127 call 1 100/101 1
128 ret 1 100/101 1 0
130 dispatch 0 100 sleep 0
160 wake 0 0 100
170 dispatch 0 0 running 100
175 ret 0 100 0 5
180 sample 0 100 0x400100
185 mark 0 100 0xb0 0 step
190 sample 0 100 0x400300
195 mark 0 100 0xb0 0x80 step
200 mark 0 100 0xb0 0x80 serve 1 200
210 sample 0 100 0x400400
# handed over
300 mark 0 100 0xb0 0 pass 1
310 sample 0 100 0x400100
320 sample 1 100/101 0x400200
330 call 1 100/101 0
340 ret 1 100/101 0 5
350 mark 1 100/101 0xb0 0x80 pass 1
360 sample 1 100/101 0x400200
500 off
END
code 0 "$post" -marks -json inside.nrm2 && cp out inside.json && jq -e '
	(.marks.slowest | map({key: .name, value: [.samples, .off_ns, .wait_ns, .syscalls, ([.symbols[].ticks] | add),
		.told_at_begin, .told_at_end]}) | from_entries) == {
	serve: [3, 30000, 10000, 1, 3, [4096, "more"], [200, "more"]], step: [1, 0, 0, 0, 1, ["more"], ["more"]],
	pass: [2, null, null, 1, 2, ["more"], ["more"]]} and
	(.marks.names | map({key: .name, value: [.samples, .off_ns, .wait_ns, .syscalls, .self_ns, .crossed]}) | from_entries) == {
	serve: [3, 30000, 10000, 1, 100000, 0], step: [1, 0, 0, 0, 10000, 0], pass: [0, 0, 0, 0, 50000, 1]}' out >why
verdict inside
code 0 "$post" -marks inside.nrm2 && has marks.out 'begin: 4096 "more"  end: 200 "more"'
verdict inside_text

# In several traces read as one, a span that begins on one machine does not end on another, whatever its id.
story here.nrm2 <<'END'
0 on
0 task walk 100 1 server
10 mark 0 100 0xb0 0 request 1
20 mark 0 100 0xb0 1 job 1
30 mark 0 100 0xb0 0 served 1
40 mark 0 100 0xb0 0x80 served 1
500 off
END
story there.nrm2 <<'END'
0 on
0 task walk 100 1 server
15 mark 0 100 0xb0 0x80 request 1
25 mark 0 100 0xb0 0x81 job 1
35 mark 0 100 0xb0 0 served 1
50 mark 0 100 0xb0 0x80 served 1
500 off
END
code 0 "$post" -marks -json here.nrm2 there.nrm2 && jq -e '
	(.marks.names | map({key: .name, value: [.time.count, .time.total_ns, .open]}) | from_entries) == {
	request: [0, 0, 1], job: [0, 0, 1], served: [2, 25000, 0]} and .marks.ends_without_beginning == 2' out >why
verdict machines

# The slowest ten of thirteen, of two names; the others of a name are only counted.
{
	echo '0 on'
	echo '0 task walk 100 1 many'
	for ((i = 1; i <= 13; i++)); do
		echo "$((i * 100)) mark 0 100 0xb0 0 many $i"
		echo "$((i * 100 + i * 7 % 13 + 1)) mark 0 100 0xb0 0x80 many $i"
	done
	echo '9000 off'
} | story many.nrm2 && code 0 "$post" -marks -json many.nrm2 && jq -e '
	[.marks.slowest[].took_ns] == [range(13; 3; -1) * 1000] and .marks.names[0].time.count == 13 and
	.marks.names[0].p90_ns >= 12000 and .marks.names[0].p90_ns < 12400' out >why
verdict ten

# 100,000 at once, ended in the order in which they began: no step looks at all that are open.
perl -e 'print "0 on\n0 task walk 100 1 many\n"; print "$_ mark 0 100 0xb0 0 many $_\n" for 1 .. 100000;
	print 100000 + $_, " mark 0 100 0xb0 0x80 many $_\n" for 1 .. 100000; print "300000 off\n"' |
	"$make_script" crowd.nrm2 && code 0 timeout 60 "$post" -marks -json crowd.nrm2 && jq -e '
	.marks.names[0] | [.time.count, .time.min_ns, .time.max_ns, .open, .cut] == [100000, 100000000, 100000000, 0, 0]' out >why
verdict crowd
finish
