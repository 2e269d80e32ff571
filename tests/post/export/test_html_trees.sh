#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Further views of the page of post -html, in Debian's chromium: nested calls, the flow of an instruction trace,
# what is to blame for waits, several events, control groups, a heap's profile, paper, and what an old browser is told.
set -u
# shellcheck source=tests/lib/page_lib.sh
. "$(dirname "$0")/../../lib/page_lib.sh"

same() { # want.rows and have.rows, which are not empty
	[ -s want.rows ] && diff want.rows have.rows >why
}
# Rows of a tree, all open, as -folded has them. Fields: level, total, %, self, %, [calls,] name, module.
folded() { # N COLUMN-OF-NAME
	step "$1" ".tree[] | [.[0], .[3], (.[$2] | sub(\" \\\\([0-9]+\\\\)$\"; \"\"))] | @tsv" | awk -F '\t' '
		{ at[$1] = $3 }
		$2 { line = at[1]; for (i = 2; i <= $1; i++) line = line ";" at[i]; print line " " $2 }' | sort
}

# ---- log-rt: its tree
{
	printf 'pitrace log-rt\nmetric: instructions completed\n\n LV CALLS CEE BASE DELTA DS IN NAME\n'
	cat <<'END'
 0     0    1       1       0  -  - main_77
 1     1 4000     100     200  0  3 J:hellop.main([Ljava/lang/String;)V
 2  1000 1000   11888 2378000  1  6 J:hellop.myA()V
 3  1000    0 7004919 1225000  0 12 J:hellop.myC()V
 2  1000 1000    9200 2384000  0  7 J:java/lang/StringBuffer.<init>()V
 3  1000    0    3880 1221000  0  5 J:java/lang/Object.<init>()V
END
} >log-rt.1_4242
"$post" -q -html -o rt.html log-rt.1_4242
verdict log_rt_written
look rt rt.html 'view=tree' 'unfold #tree' 'choose #event calls: 4001 calls' 'view=tree&open=x(' 'click #closed'
verdict log_rt_no_complaint
"$post" -q -folded log-rt.1_4242 | sort >want.rows
folded 2 5 >have.rows
same
verdict log_rt_tree_is_folded
"$post" -q -e calls -folded log-rt.1_4242 | sort >want.rows
step 3 '"\(.sum) \(.view)"' >got
want "$("$post" -q -e calls -folded log-rt.1_4242 | awk '{ n += $NF } END { print n }') calls tree" "$(cat got)"
verdict log_rt_other_metric
want 'tree false' "$(step 5 '"\(.view) \(.tree[0][-2])"')"
verdict close_all

# ---- a link keeps which rows are open; keys
at='[role=row][tabindex="0"]'
look keys rt.html 'view=tree&open=' "press $at ArrowRight" "press $at ArrowRight" "press $at ArrowRight" "press $at End" \
	"press $at ArrowLeft" "press $at Home" "press $at ArrowLeft"
verdict keys_no_complaint
want '1 2 2 3 1' "$(for i in 1 2 3 4 8; do step $i '[.tree[][0] | tonumber] | max'; done | paste -sd ' ')"
verdict keys_open_and_close
want '2 1 1' "$(for i in 5 6 7; do step $i '.tree[] | select(.[-1] == 0) | .[0]'; done | paste -sd ' ')"
verdict keys_move
look link rt.html "$(step 4 '.hash | ltrimstr("#")')"

step 1 '[.tree[][0] | tonumber] | max' | grep -qx 3
verdict link_keeps_open_rows

# ---- an instruction trace: added up, and in the order of time
sed 's/HELLO/\/nowhere\/hello/' "$top/tests/post/report/post_itrace.story" | "$make_script" --collector=ptrace itrace.nrm2 || exit 1
"$post" -q -html -tree -o itrace.html itrace.nrm2
look itrace itrace.html 'view=tree' 'unfold #tree' 'view=tree&order=time&open=' 'unfold #tree' 'search=main'
verdict itrace_no_complaint
"$post" -q -tree -folded itrace.nrm2 | sort >want.rows
folded 2 5 | sed 's/ \([0-9]*\)$/ \1/' >have.rows
want "$(awk '{ n += $NF } END { print n }' want.rows)" "$(awk '{ n += $NF } END { print n }' have.rows)"
verdict itrace_tree_adds_up
# The text report's lines: all instructions, by function; calls that are entered are a row each.
"$post" -q -flow -csv -o - itrace.nrm2 >flow.csv
step 4 '.tree[] | select(.[0] != "1") | "\(.[6] | sub("  \\(not contin.*"; "")) \(.[3])"' | awk '{ n[$1] += $2 } END { for (i in n) print i, n[i] }' | sort >have.rows
"$post" -q -flow -json -o - itrace.nrm2 >flow.json
jq -r '.. | objects | select(has("depth") and has("instructions")) | "\(.symbol // "?") \(.instructions)"' flow.json |
	awk '{ n[$1] += $2 } END { for (i in n) print i, n[i] }' | sort >want.rows
same
verdict flow_is_the_reports
want "$(jq -s '[.. | objects | select(has("depth") and has("instructions"))] | length' flow.json)" \
	"$(step 4 '.caption' | sed 's/ .*//')"
verdict flow_has_all_lines
want "$(step 0 .sum | cut -d' ' -f1)" "$(step 4 '[.tree[] | select(.[0] == "1") | .[1] | tonumber] | add')"
verdict flow_adds_up

# ---- why threads waited: as in -critical
cat >waits.story <<'END'
	0 on
	0 task walk 100 1 client
	0 task walk 200 1 server
	1000 dispatch 1 0 running 200
	2000 dispatch 0 100 sleep 0
	7000 dispatch 1 200 sleep 0
	9000 irq 1 in device 5 0
	9000 wake 1 0 200 irq
	9100 irq 1 out device 5 0
	9500 dispatch 1 0 running 200
	12000 wake 1 200 100
	13000 dispatch 0 0 running 100
	15000 dispatch 0 100 sleep 0
	20000 off
END
"$make_script" waits.nrm2 <waits.story || exit 1
"$post" -q -html -o waits.html waits.nrm2
look waits waits.html 'view=time' 'view=time&thread=0' 'view=time&from=2&to=6&near'
verdict blame_no_complaint
"$post" -q -critical -json waits.nrm2 | jq -r '.critical.blame[] |
	(if .kind == "ran" or .kind == "unknown" then .blame_ns - .own_ns else .blame_ns end) as $ns |
	select($ns > 0) | "\($ns / 1000) \(.kind) \(.thread // .number // "-")"' | sort >want.rows
step 1 '.blames[] | "\(.[0] | tonumber * 1000) \(.[2])"' | sed -E 's/ ran$/ ran/
	s/^([0-9.]+) (.*) \(([0-9]+)\) ran$/\1 ran \2/; s/^([0-9.]+) .*idle yet$/\1 cpu_idle -/; s/^([0-9.]+) device 5 .*/\1 interrupt 5/
	s/^([0-9.]+) (.*) \(([0-9]+)\) was not woken any more$/\1 not_woken \2/; s/^([0-9.]+) (.*) \(([0-9]+)\) had the CPU$/\1 had_cpu \2/' |
	sort >have.rows
same
verdict blame_is_the_reports
step 1 '[.events[] | select(.[0] == "waited") | .[2] | tonumber] | add' >sum
want "$(step 1 '[.blames[][0] | tonumber] | add')" "$(cat sum)"
verdict blame_by_thread_adds_up

# ---- several events: each is a choice, and no sum of them
"$make_trace" events events.nrm2 || exit 1
"$post" -q -html -o events.html events.nrm2
look events events.html 'view=table' 'event=1&view=table' 'event=2&view=table' 'event=99'
verdict events_no_complaint
step 0 '.event_list[]' >list
for i in 1 2; do
	name=$(sed -n "$((i + 1))s/: [0-9].*//p" list)
	[ -n "$name" ] || break
	want "$("$post" -q -json -e "$name" events.nrm2 | jq .total_ticks)" "$(step $((i + 1)) .sum | cut -d' ' -f1)" || break
	"$post" -q -json -e "$name" -callers events.nrm2 | jq -r '.. | objects | select(has("recursive")) | "\(.self) \(.total) \(.name)"' | sort >want.rows
	step $((i + 1)) '.table[] | "\(.[0]) \(.[2]) \(.[4])"' | sort >have.rows
	same || break
done
verdict events_are_the_reports
want "$(step 0 .sum)" "$(step 4 .sum)"
verdict events_wrong_link

# ---- control groups, of a perf.data
"$top/tests/post/input/perf_details_image" little >groups.data
"$post" -q -html -o groups.html groups.data
[ $? -le 1 ] && look groups groups.html 'view=table&group=cgroup'
verdict cgroups_no_complaint
want $'1 /\n1 /outer/inner\n1 number 99' "$(step 1 '.table[] | "\(.[0]) \(.[-1])"' | LC_ALL=C sort)"
verdict cgroup_of_each_sample
"$post" -q -html -time 0-0.0000025 -o groups.html groups.data
[ $? -le 1 ] && look groups groups.html 'view=table&group=cgroup'
want '1 /outer/inner' "$(step 1 '.table[] | "\(.[0]) \(.[-1])"')"
verdict cgroup_by_path

# ---- a heap's profile, of pprof's format
# pprof UNIT...: a profile with a kind of value for each unit, of lines "outer;inner VALUE..." on stdin
pprof() {
	perl -e 'sub v { my ($n, $o) = (shift, ""); while ($n >= 128) { $o .= chr($n & 127 | 128); $n >>= 7 } $o . chr $n }
	sub b { my ($f, $s) = @_; v($f << 3 | 2) . v(length $s) . $s } sub n { v($_[0] << 3) . v($_[1]) }
	my (@s, %s, %f) = (""); sub s { $s{$_[0]} //= do { push @s, $_[0]; $#s } }
	binmode STDIN; binmode STDOUT;
	print b(1, n(1, &s("inuse_$_")) . n(2, &s($_))) for @ARGV;
	while (my ($stack, $values) = (<STDIN> // "") =~ /^(.*?) ([\d ]+)$/) {
		my @at = map { my $name = $_; $f{$name} //= do { my $i = 1 + keys %f; print b(4, n(1, $i) . b(4, n(1, $i))),
			b(5, n(1, $i) . n(2, &s($name))); $i } } reverse split /;/, $stack;
		print b(2, b(1, join "", map { v($_) } @at) . b(2, join "", map { v($_) } split / /, $values));
	}
	print b(6, $_) for @s; print n(14, $s{"inuse_$ARGV[-1]"})' "$@"
}
printf '%s\n' 'main;alloc 3 3000' '</script><b>grow;main;alloc 5 70000' | pprof count bytes >heap.pb
"$post" -q -html -o heap.html heap.pb
[ $? -le 1 ] && look heap heap.html 'view=tree' 'unfold #tree' 'view=tree&event=1' 'unfold #tree' 'view=table&event=1'
verdict heap_no_complaint
"$post" -q -folded heap.pb | sort >want.rows
folded 4 5 >have.rows
same
verdict heap_tree_is_folded
want '73000 bytes, 8 ticks' "$(step 0 .sum), $(step 4 .sum)"
verdict heap_unit
folded 2 5 >have.rows
sed -E 's/ 3$/ 3000/; s/ 5$/ 70000/' want.rows >bytes.rows && cmp -s bytes.rows have.rows || { cat have.rows >why; false; }
verdict heap_bytes

# ---- names of 64 KB, of broken UTF-8, of nothing but what turns text round; a single sample
perl -e 'my $long = "L" x 65000;
	print "main;$long 5\nmain;bro\xff\xc3ken\xe2\x80 3\nmain;\xe2\x80\xae\xe2\x81\xa6 2\nmain;\xed\xa0\x80 1\n"' | pprof count >names.pb
"$post" -q -html -o names.html names.pb
[ $? -le 1 ] && look names names.html 'view=table' 'search=LLLL' 'view=sandwich&search=bro' 'view=flame&search=bro'
verdict names_no_complaint
"$post" -q -folded names.pb | sed -E 's/^.*;(.*) ([0-9]+)$/\2 \1/' | sort >want.rows
step 1 '.table[] | select(.[4] != "main") | "\(.[0]) \(.[4])"' | sort >have.rows
# A pprof's names have 4,095 bytes.
[ "$(wc -L <have.rows)" -eq 4097 ] && [ "$(grep -c . have.rows)" -eq 4 ] && diff want.rows have.rows >diff.rows
verdict names_whole $? "$(cut -c1-200 have.rows)"
want '1 function: 5 ticks (45.45 %)' "$(step 2 .found)"
verdict names_long_is_found
printf '%s\n' '0 on' '0 task walk 100 1 alone' '100 sample 0 100 0x1000' '200 off' | "$make_script" one.nrm2 2>why
"$post" -q -html -o one.html one.nrm2
[ $? -le 1 ] && look one one.html 'view=flame' 'view=sandwich' 'view=table' 'view=time'
verdict one_no_complaint
want '1 tick' "$(step 0 .sum)"
verdict one_sample

# ---- paper is light, has all rows and no controls
awk 'BEGIN { for (i = 0; i < 900; i++) print "prog;f" i " " i + 1 }' >many.folded
"$make_trace" stacks stacks.nrm2 || exit 1
"$post" -q -html -o stacks.html stacks.nrm2
"$post" -q -diff -html -o many.html many.folded many.folded
DARK=1 look paper many.html 'view=table' 'print'
verdict paper_no_complaint
want '{"rows":900,"controls":0,"ground":"#fff"}' "$(step 2 '.printed | tojson')"
verdict paper
want 400 "$(step 2 '.table | length')"
verdict screen_after_paper

# ---- a browser without DecompressionStream is told so
OLD=1 look old stacks.html
step 0 '"\(.ready) \(.loading)"' | grep -q '^failed This page cannot be shown: this browser is too old, it has no DecompressionStream' ||
	{ step 0 . >why; false; }
verdict old_browser
finish
