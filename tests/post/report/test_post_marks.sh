#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What programs wrote themselves: pairs of begin and end by name, nested, left open, cut by losses.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
make_script=${make_trace%trace}script

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

# Deeper than any program means: the outermost are told as open, the rest is right.
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
finish
