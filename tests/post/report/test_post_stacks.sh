#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Call stacks of a trace that can be counted by hand: the tree, callers and callees, folded; their
# sums; stacks that make no sense; traces of several events.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

"$make_trace" stacks stacks.nrm2 || exit 1
"$make_trace" odd_stacks odd.nrm2 || exit 1
"$make_trace" events events.nrm2 || exit 1
"$make_trace" story story.nrm2 || exit 1

# ---- the tree
code 0 "$post" -calltree -o - stacks.nrm2 && same out post_stacks.calltree
verdict calltree
code 0 "$post" -calltree stacks.nrm2 && same calltree.out post_stacks.calltree &&
	has out 'full report: calltree.out' && same out post_stacks.screen
verdict calltree_file
code 0 "$post" -callers stacks.nrm2 && same out post_stacks.callers_screen
verdict callers_screen
code 0 "$post" -calltree -json stacks.nrm2 && cp out tree.json && jq -e '
	.total_ticks == 100 and .idle_ticks == 10 and .event == "timer" and
	(.stacks | .with == 79 and .without == 11 and .malformed == 0 and
	(.ended_early | map(.ticks) == [20, 6, 7, 3])) and
	([.calls[].self] | add == 100) and
	([.calls[] | select(.depth == 0).total] | add == 100) and
	(.calls as $c | INDEX($c[]; .id) as $by | all($c[]; . as $x |
		.total == .self + ([$c[] | select(.parent == $x.id).total] | add // 0) and
		(.depth == 0 or $by[.parent | tostring].depth == .depth - 1)))' tree.json >why
verdict calltree_json_adds_up
# Each symbol's own ticks are what the flat report gives it.
code 0 "$post" -json stacks.nrm2 &&
	jq -S '[.processes[].threads[].modules[] | .name as $m | .symbols[] | {m: $m, s: .name, t: .ticks}]
		| group_by([.m, .s]) | map({k: (.[0].m + " " + .[0].s), t: (map(.t) | add)})' \
		out >flat && jq -S '[.calls[] | select(.depth > 0 and .self > 0)]
		| group_by([.module, .name]) |
		map({k: (.[0].module + " " + .[0].name), t: (map(.self) | add)})' tree.json >own &&
	diff flat own >why
verdict own_ticks_are_the_flat_ones
code 0 "$post" -calltree -csv stacks.nrm2 &&
	[ "$(awk -F, 'NR > 1 { n += $(NF - 2) } END { print n }' out)" = 100 ] &&
	has out 'id,parent,depth,pid,name,module,kernel,self,total,percent'
verdict calltree_csv
code 0 "$post" -calltree -clip 20 -o - stacks.nrm2 && ! grep -q '  Idle' out &&
	has_line out 30 30.00 0 0.00 walk_tree '[vmlinux]'
verdict calltree_clip
code 1 "$post" -calltree -pnm -json story.nrm2 &&
	jq -e '[.calls[] | select(.depth == 0 and .name == "java")] | length == 1' out >why
verdict calltree_by_name
code 1 "$post" -calltree -o - story.nrm2 && has out "The trace has no call stacks" &&
	has out "swtrace run -g"
verdict no_stacks

# ---- callers and callees
code 0 "$post" -callers -callees -o - stacks.nrm2 && same out post_stacks.callers
verdict callers
code 0 "$post" -callers=copy_to_user -o - stacks.nrm2 &&
	has_line out 20 20.00 called by vfs_read '[vmlinux]' &&
	has_line out 30 30.00 called by walk_tree '[vmlinux]' &&
	has_line out 50 50.00 20 20.00 copy_to_user '[vmlinux]' && ! grep -q 'called walk' out
verdict callers_of_one
code 0 "$post" -callees -json stacks.nrm2 && jq -e '
	all(.symbols[]; .total == ([.callers[].ticks] | add) and
		.total == .self + ([.callees[].ticks] | add // 0)) and
	([.symbols[].self] | add == 100) and
	(.symbols[] | select(.name == "walk_tree") | .total == 30 and .recursive == 30 and
		(.callees | map({name, ticks}) == [{name: "spin_unlock", ticks: 30}]))' out >why
verdict callers_json_add_up
code 0 "$post" -callers -csv stacks.nrm2 &&
	has out 'copy_to_user,vmlinux,1,walk_tree,vmlinux,1,20,50,30' &&
	[ "$(awk -F, '$6 == ""' out | cut -d, -f4-6 | sort -u)" = ,, ]
verdict callers_csv
# A symbol has one shape in all of them: each of the callers' is one of the tree's.
alike() { # FORM, columns or members by it
	code 0 "$post" -callers "-$1" stacks.nrm2 && cp out callers &&
		code 0 "$post" -calltree "-$1" stacks.nrm2 && cp out tree || return
	if [ "$1" = json ]; then
		jq -c '.symbols[] | ., .callers[] | [.name, .module, .kernel] | select(.[0])' callers >of_callers
		jq -c '.calls[] | select(has("parent")) | [.name, .module, .kernel]' tree >of_tree
	else
		sed 1d callers | cut -d, -f1-3 >of_callers
		sed 1d callers | cut -d, -f4-6 | grep -vx ,, >>of_callers
		sed 1d tree | awk -F, '$2 != ""' | cut -d, -f5-7 >of_tree
	fi
	[ "$(sort -u of_tree | wc -l)" -gt 3 ] && diff <(sort -u of_tree) <(sort -u of_callers) >why
}
every alike json csv
verdict frames_alike
absent() { # FORM
	# shellcheck disable=SC2086
	code 2 "$post" -callers=nobody $1 stacks.nrm2 &&
		[ "$(cat err)" = 'post: no call stack has the symbol nobody: post -callers lists all' ] &&
		! [ -s out ] && ! [ -e absent.out ]
}
every absent '' '-o -' -json -csv '-o absent.out'
verdict callers_absent

# ---- folded
code 0 "$post" -folded stacks.nrm2 && has out \
	'java;NoSymbols;NoSymbols;do_syscall_64_[k];vfs_read_[k];copy_to_user_[k] 20' &&
	[ "$(awk '{ n += $NF } END { print n }' out)" = 100 ]
verdict folded

# ---- samples that a thread took itself stand for the timer's, until it says that there are no more
"$make_script" own.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 other
5 sample 0 100 0x400100
10 own 0 100 0x100 1000000 0x200000003 0x400110 0x400120
15 sample 0 100 0x400200
20 sample 0 100/101 0x400200
25 own 0 100 0x100 2000000 0x200000001 0x400130 0x400120
27 own 0 100 0x100 1000000 0x1000200000001 0x400140 0x400120 0xffffffff81001010
30 own 0 100 0x110
35 sample 0 100 0x400300
60 off
END
code 0 "$post" -q -folded -o - own.nrm2 && diff - out >why <<'END'
app;NoModule 3
app;NoModule;NoModule 4
app;NoModule;NoModule;spin_unlock_[k] 1
END
verdict own_samples
code 0 "$post" -show -json -o - own.nrm2 && [ "$(grep -c '"tprof"' out) $(grep -c '"user"' out)" = "6 5" ]
verdict own_samples_shown

# ---- what makes no sense is a sample all the same
code 1 "$post" -calltree -json odd.nrm2 &&
	jq -e '.total_ticks == 5 and .stacks.with == 2 and .stacks.malformed == 3' out >why &&
	has err 'its stack is not whole'
verdict malformed_stacks
code 0 "$post" -q -o flat.out odd.nrm2 && has flat.out 'TOTAL TICKS                5'
verdict malformed_stacks_are_samples

# ---- events
code 0 "$post" -o - events.nrm2 && has_line out 1 '*' 20 ticks cycles:u &&
	has_line out 2 10 ticks cache-misses && has_line out 3 0 ticks never &&
	has out 'event cycles:u, a tick is 100000 of them; 2000000 counted in all' &&
	has out 'TOTAL TICKS               20' && ! grep -q copy_to_user out
verdict first_event
for event in 2 cache-misses; do
	code 0 "$post" -e $event -o - events.nrm2 && has out 'TOTAL TICKS               10' &&
		has out 'about 500 samples a second' && ! grep -q spin_unlock out
	verdict "event_$event"
done
code 0 "$post" events.nrm2 && has out 'not in this report (-e NAME): cache-misses 10 ticks' &&
	has out ', 2 CPUs, cycles:u, 2.000 s, 20 ticks'
verdict events_screen
code 0 "$post" -json -e cache-misses events.nrm2 && jq -e '.event == "cache-misses" and
	.total_ticks == 10 and (.events | map({name, ticks, counted}) == [
	{name: "cycles:u", ticks: 20, counted: 2000000},
	{name: "cache-misses", ticks: 10, counted: 1000000}, {name: "never", ticks: 0, counted: 0}])
	' out >why
verdict events_json
code 2 "$post" -e bogus events.nrm2 && has err 'it has cycles:u, cache-misses, never'
verdict event_absent
code 0 "$post" -e never -o - events.nrm2 && has out 'The trace has no samples'
verdict event_without_samples

code 0 "$post" -show -o - events.nrm2 &&
	grep -q 'sysinfo event .* number=0 flags=0x0 period=100000 name="cycles:u"$' out &&
	grep -q 'sysinfo event .* number=1 flags=0x1(rate) period=500 name="cache-misses"$' out &&
	! grep -q ' data=' out
verdict event_in_words
code 0 "$post" -show -json -o - events.nrm2 && jq -s -c 'map(select(.kind == "event") |
	{record, number, flags, period, name})[:2]' out >got &&
	echo '[{"record":"sysinfo","number":0,"flags":[],"period":100000,"name":"cycles:u"},' \
		'{"record":"sysinfo","number":1,"flags":["rate"],"period":500,"name":"cache-misses"}]' |
	jq -c . | diff - got >why
verdict event_in_json

# Numbers that are wider than their columns stay apart.
code 1 "$post" -calltree -q -o - "$top/tests/data/gperftools/edge/24_count_sum_overflow.prof" &&
	grep -qE '^9223372036854775807 100\.00 9223372036854775807 100\.00    ' out
verdict wide_numbers_stay_apart

# ---- what doesn't go together
refused() { # OPTIONS
	# shellcheck disable=SC2086
	code 2 "$post" $1 stacks.nrm2
}
every refused '-calltree -folded' '-callers -calltree' '-calltree -cpu' '-folded -json' \
	'-callers -callees -csv' '-folded -show'
verdict contradictions
finish
