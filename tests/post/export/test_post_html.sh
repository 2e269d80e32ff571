#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of post -html in Debian's chromium (tests/browser/look.js): its numbers are the text reports',
# in each view and under filters; it asks nobody for anything, complains of nothing, and what hostile names
# say is text. Screenshots stay in build/html.
set -u
# shellcheck source=tests/lib/page_lib.sh
. "$(dirname "$0")/../../lib/page_lib.sh"

# Names of the JSON reports, as text has them.
escaped='def text: gsub("\t"; "\\x09") | gsub("\n"; "\\x0a") | gsub("\u001b"; "\\x1b");'

"$make_trace" stacks stacks.nrm2 || exit 1
"$post" -q -html -o stacks.html stacks.nrm2
[ $? -le 1 ]
verdict written
size=$(sed '/^<script type="application\/octet-stream" id="data-/d' stacks.html | wc -c)
[ "$size" -le 60000 ] || { echo "the page without data has $size bytes" >why; false; }
verdict template_small

look stacks stacks.html 'view=table' 'view=table&sort=-name' 'view=sandwich' 'search=spin' \
	'type #search /walk|vfs/' 'search=' 'drag #strip 0 0.4' 'click #whole' 'choose #process java (4156)' \
	'view=table&group=process' 'view=table&group=thread' 'view=table&group=CPU' 'reverse&view=flame' \
	'view=time' 'press #strip ArrowRight' 'click #reset' 'view=flame&up&by=name&merged' 'zoom=99999999&of=-5&cpu=77'
verdict no_request_no_complaint

# Own and total values of functions: the report of callers, as JSON.
"$post" -q -json -callers stacks.nrm2 >callers.json
jq -r "$escaped"' .. | objects | select(has("recursive")) | "\(.self) \(.total) \(.name) \(.module | text)"' callers.json | sort >want.rows
step 1 '.table[] | "\(.[0]) \(.[2]) \(.[4]) \(.[5])"' | sort >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict functions_are_the_reports
want "$("$post" -q -json stacks.nrm2 | jq -r '"\(.total_ticks) ticks"')" "$(step 0 .sum)"
verdict total
# The callers and callees of one function, compared with the text report.
step 3 '.callers[] | "\(.[0]) \(.[1]) \(.[2])"' >have.callers
"$post" -q -callers -o - stacks.nrm2 | grep -B 5 -m 1 'NoSymbols .*within itself' | grep 'called by' |
	sed -E 's/ +/ /g; s/^ //' >want.callers
[ -s want.callers ] && diff want.callers have.callers >why
verdict callers_are_the_reports
"$post" -q stacks.nrm2 >screen
"$post" -o /dev/null stacks.nrm2 2>/dev/null | grep -E '^(kernel|unknown:|lost:)' >want.notes
step 0 .notes | grep -E '^(kernel|unknown:|lost:)' >have.notes
[ -s want.notes ] && diff want.notes have.notes >why
verdict notes_are_the_reports
want '1 function: 42 ticks (42.00 %)' "$(step 4 .found)"
verdict search_total
step 5 .found | grep -q '^2 functions: ' || { step 5 .found >why; false; }
verdict search_expression
step 7 .sum | grep -qE '^[0-9]+ of 100 ticks' && step 7 .hash | grep -q 'from=0&to='
verdict stretch_filters
want '100 ticks' "$(step 8 .sum)"
verdict stretch_left
want "$("$post" -q -json -pid 4156 stacks.nrm2 | jq -r .total_ticks)" "$(step 9 .sum | cut -d' ' -f1)"
verdict process_filters
"$post" -q -json stacks.nrm2 | jq -r "$escaped"' .processes[] | "\(.ticks) \(.name | text) (\(.pid))"' | sort >want.rows
step 10 '.table[] | "\(.[0]) \(.[2])"' | sort >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict processes_are_the_reports
"$post" -q -json stacks.nrm2 | jq -r "$escaped"' .processes[].threads[] | "\(.ticks) \(.name | text) (\(.tid))"' | sort >want.rows
step 11 '.table[] | "\(.[0]) \(.[2])"' | sort >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict threads_are_the_reports
want 100 "$(step 12 '[.table[][0] | tonumber] | add')"
verdict cpus_add_up
want 'flame 100 ticks' "$(step 18 '"\(.view) \(.sum)"')"
verdict wrong_links_are_harmless
want 0 "$(step 0 .nameless)"
verdict all_controls_have_names
DARK=1 look stacks-dark stacks.html 'view=table'
verdict dark

# ---- time: what ran, waited, was called, interrupted, noted, woken, as in the reports
cat >events.story <<'END'
	0 on
	0 task walk 100 1 client
	0 task walk 200 1 server
	0 task walk 300 1 </script>"<b
	1000 sample 0 100 0x1000
	2000 call 0 100 0
	3000 wake 0 100 200
	3500 dispatch 1 0 running 200
	4000 dispatch 0 100 sleep 300
	5000 irq 1 in timer 0 200
	5100 irq 1 in softirq 1 200
	5200 irq 1 out softirq 1 200
	5250 irq 1 out timer 0 200
	6000 sample 1 200 0x2000
	8000 wake 1 200 100
	8500 dispatch 1 200 sleep 0
	9000 dispatch 0 300 preempted 100
	9500 ret 0 100 0 5
	10000 mark 0 100 0xd0 0x1 </script><b> 7
	11000 fault 0 100 0x1000 0x2000
	12000 sample 0 100 0x1000
	14000 dispatch 0 100 sleep 300
	15000 call 0 300 1
	20000 off
END
"$make_script" events.nrm2 <events.story || exit 1
"$post" -q -html -o events.html events.nrm2
look events events.html 'view=time' 'view=time&lanes=CPU&cpu=1' 'view=time&from=2&to=9' \
	'view=time&from=2&to=9&near' 'view=time&thread=0' 'view=time&near&from=99&to=1&events=x&lanes=y'
verdict events_no_complaint
kind() { # WHAT: who, ms and name of rows of that kind in all of the time
	step 1 ".events[] | select(.[0] == \"$1\") | \"\(.[2]) \(.[1])${2:-}\"" | sort
}
ms='def ms: (. / 1000 | round | tostring) as $u | ("000" + $u)[-([4, ($u | length)] | max):] | .[:-3] + "." + .[-3:];'
sched() { # OF-A-THREAD: its ms and name
	"$post" -q -json -sched "$1" | jq -r "$escaped$ms .sched.threads[] | ($2) as \$ns | select(\$ns > 0) |
		\"\(\$ns | ms) \(.thread | text) (\(.tid))\"" | sort
}
sched events.nrm2 .run_ns >want.rows
kind ran >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict run_times_are_the_reports
sched events.nrm2 '[.wait_ns[]] | add // 0' >want.rows
kind 'waited for a CPU' >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict waits_are_the_reports
"$post" -q -json -syscalls events.nrm2 | jq -r "$escaped$ms"' .syscalls.threads[] | select(.time.count > 0) |
	"\(.time.total_ns | ms) \(.thread | text) (\(.tid)) \(.call) \(.time.count)"' >want.rows
kind 'system call' ' \(.[4]) \(.[3])' >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict calls_are_the_reports
printf '%s\n' '0.100 CPU 1 softirq TIMER' '0.250 CPU 1 timer 0' >want.rows
kind interrupt ' \(.[4])' | sed 's/timer [^0].*/timer 0/' >have.rows
diff want.rows have.rows >why
verdict interrupts
printf '%s\n' ' client (100) by server (200) 1' ' server (200) by client (100) 1' >want.rows
kind woken ' \(.[4]) \(.[3])' >have.rows
diff want.rows have.rows >why
verdict wakes
printf '%s\n' ' client (100) </script><b> 1' >want.rows
kind mark ' \(.[4]) \(.[3])' >have.rows
diff want.rows have.rows >why && ! grep -q '<b> ' events.html && want 1 "$(kind 'page fault' | wc -l)"
verdict marks
step 2 '.events[] | .[0]' | sort -u >have.rows
printf '%s\n' interrupt ran >want.rows
diff want.rows have.rows >why
verdict events_of_a_cpu
# Slices have 2^20 ns; the stretch's ticks are those that -time has.
from=$(step 3 .from) to=$(step 3 .to)
want "$("$post" -q -json -time "$from-$to" events.nrm2 | jq .total_ticks) of 3 ticks (33.33 %)" "$(step 3 .sum)"
verdict stretch_is_exact
want '2 arrows' "$(step 4 .lanes | cut -d';' -f1)"
verdict arrows
want "$(step 3 '[.events[] | .[:3]] | tostring')" "$(step 4 '[.events[] | .[:3]] | tostring')"
verdict near_has_the_same
want 'client (100)' "$(step 5 '[.events[] | select(.[0] != "woken" and .[0] != "waited") | .[1]] | unique | join(",")')"
verdict events_of_a_thread
want 'time 3 ticks' "$(step 6 '"\(.view) \(.sum)"')"
verdict wrong_links_of_time

# More stretches than a page has: the shortest are not drawn, but counted, and it says so.
awk 'BEGIN {
	print "0 on"
	for (i = 0; i < 3; i++) print "0 task walk " 100 + i " 1 t" i
	for (n = 1; n <= 150000; n++) {
		time += n % 7 + 1
		print time " dispatch 0 " 100 + (n - 1) % 3 " preempted " 100 + n % 3
		if (n % 50 == 0) print time " mark 0 " 100 + n % 3 " 0xd0 1 note" n % 9
	}
	print time + 5 " off"
}' | "$make_script" many.nrm2 || exit 1
"$post" -q -html -o many.html many.nrm2
look many many.html 'view=time'
verdict many_no_complaint
sched many.nrm2 .run_ns >want.rows
kind ran >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict many_run_times_are_the_reports
step 1 .lanes | grep -qE 'stretches of less than [1-9][0-9]* ns are not drawn' || { step 1 .lanes >why; false; }
verdict what_is_not_drawn_is_told
[ "$(wc -c <many.html)" -lt 2000000 ] || { wc -c many.html >why; false; }
verdict many_bounded

# ---- code: what -annotate tells of the function that has most ticks
cat >lib.c <<'END'
int other(int n) { return n ^ 5; }
int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += other(i) * 3;
	return sum; // </script><b>
}
END
gcc -g -O1 -fno-inline -shared -fPIC -nostdlib -Wl,-z,noseparate-code -o lib.so lib.c || exit 1
objdump -d --no-show-raw-insn --disassemble=work lib.so | sed -nE 's/^ +([0-9a-f]+):\t(.*)$/\1/p' >places
"$make_trace" elf at.nrm2 "$work/lib.so" "$(sed -n 1p places)" "$(sed -n 3p places)" "$(sed -n '$p' places)"
"$post" -q -html -o code.html at.nrm2
look code code.html 'view=code' 'view=code&code=99'
verdict code_no_complaint
"$post" -q -json -annotate work at.nrm2 >code.json
jq -r '.annotated[0].instructions[] | [if .ticks > 0 then .ticks else "" end, .offset, .text] | @tsv' code.json >want.rows
step 1 '.instructions[] | [.[0], .[2], .[3]] | @tsv' >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict instructions_are_annotates
jq -r '.annotated[0].lines[] | "\(.ticks) \(.source):\(.line)  \(.source_text // "-" | gsub("\t"; "    "))"' code.json >want.rows
step 1 '.lines[] | "\(.[0]) \(.[3])"' >have.rows
[ -s want.rows ] && grep -q '<b>' want.rows && diff want.rows have.rows >why
verdict lines_are_annotates
step 1 .code | head -1 | grep -q '^work .*: 60 ticks, 100.00 % of all' || { step 1 .code >why; false; }
verdict code_title
want "$(step 1 .code)" "$(step 2 .code)"
verdict code_wrong_links

# ---- two traces: the report's lines, and what chance explains is grey
cat >a.folded <<'END'
prog;main;spin 5000
prog;main;walk 3000
prog;main;walk;inner_[k] 2000
prog;main;</script><i>gone 500
END
cat >b.folded <<'END'
prog;main;spin 5600
prog;main;walk 3010
prog;main;walk;inner_[k] 2140
other;main;new 700
END
code 0 "$post" -q -diff -html -o diff.html a.folded b.folded
verdict difference_written
look diff diff.html 'view=table' 'view=table&lines=name' 'base' 'press #flame ArrowDown' 'press #flame ArrowDown' \
	'search=new' 'view=sandwich&reverse&lines=x' 'view=table&group=process'
verdict difference_no_complaint
"$post" -q -diff -csv a.folded b.folded >diff.csv
"$post" -q -json -diff a.folded b.folded | jq -r '.lines[] | [.a, .b, .name, .significant] | @tsv' | sort >want.rows
step 1 '.table[] | [.[0], .[1], .[5]] | @tsv' | sort >have.rows
[ -s want.rows ] && diff <(cut -f1-3 want.rows) have.rows >why
verdict difference_values_are_the_reports
# DELTA, +- and P in the text's own digits, in its order.
"$post" -q -diff -o - a.folded b.folded | awk '/^ *[0-9]+ +[0-9]+ +/ { print $5, $6, $NF }' >want.rows
step 1 '.table[] | "\(.[2]) \(.[3]) \(.[5])"' >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict difference_order_and_digits
"$post" -q -json -diff a.folded b.folded | jq -r '.lines[] | "\(if .significant == 0 or .significant == false then "same"
	elif .delta > 0 then "more" else "less" end) \(.name)"' | sort >want.rows
step 1 '.looks[] | "\(.[0]) \(.[1])"' | sort >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict difference_confidence
want '10500 ticks, the first' "$(step 3 .sum | sed 's/[a-z]* *, the/ticks, the/')"
verdict difference_base
step 5 .said | grep -q 'base 10500, now 10750: .*more than chance' ||
	{ step 5 .said >why; false; }
verdict difference_said
want 'flame' "$(step 7 .view)"
verdict difference_wrong_links
has diff.html '<i>gone'
want 1 $?
verdict difference_hostile_names
code 2 "$post" -q -diff -html -json a.folded b.folded && grep -q -- '-diff -html cannot be combined' err
verdict difference_page_alone

# A name that would be markup, with what turns text round (a process's has 15 bytes).
printf '%s\n' '0 on' $'0 task walk 100 1 </script>\xe2\x80\xae"<b' '100 sample 0 100 0x1000' \
	'200 sample 0 100 0x2000' | "$make_script" hostile.nrm2 2>why
"$post" -q -html -o hostile.html hostile.nrm2
[ $? -le 1 ] && look hostile hostile.html 'view=table&group=process' && step 1 '.table[][2]' >rows &&
	has rows '</script>\xe2\x80\xae"<b (100)' && ! grep -q '"<b' hostile.html
verdict hostile_names
finish
