#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The page of post -html in Debian's chromium (tests/browser/look.js): its numbers are the text reports',
# in each view and under filters; it asks nobody for anything, complains of nothing, and what hostile names
# say is text. Screenshots stay in build/html.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
packages=$("$top/tests/viewers/get" ../browser) || exit 1
shots=$build/html
mkdir -p "$shots"

look() { # NAME PAGE STEP...: lines of JSON to `seen`, faults to `why`
	local name=$1 page=$2
	shift 2
	timeout 100 node "$top/tests/browser/look.js" "$packages/playwright-core" "$page" "$shots/$name" "$@" \
		>seen 2>why && [ ! -s why ]
}
# Names of the JSON reports, as text has them.
escaped='def text: gsub("\t"; "\\x09") | gsub("\n"; "\\x0a") | gsub("\u001b"; "\\x1b");'
step() { # N FILTER: what stands there after a step
	sed -n "$(($1 + 1))p" seen | jq -r "$2"
}
want() { # WANTED HAVE
	[ "$1" = "$2" ] || {
		printf 'is "%s", not "%s"\n' "$2" "$1" >why
		false
	}
}

"$make_trace" stacks stacks.nrm2 || exit 1
"$post" -q -html -o stacks.html stacks.nrm2
[ $? -le 1 ]
verdict written
size=$(sed '/^<script type="application/d' stacks.html | wc -c)
[ "$size" -le 60000 ] || { echo "the page without data has $size bytes" >why; false; }
verdict template_small

look stacks stacks.html 'view=table' 'view=table&sort=-name' 'view=sandwich' 'search=spin' \
	'type #search /walk|vfs/' 'search=' 'drag #strip 0 0.4' 'click #whole' 'choose #process java (4156)' \
	'view=table&group=process' 'view=table&group=thread' 'view=table&group=CPU' 'reverse&view=flame' \
	'view=time' 'press #strip ArrowRight' 'click #reset' 'view=flame&up&by=name&merged' 'zoom=99999999&of=-5&cpu=77'
verdict no_request_no_complaint

# What functions have themselves and in all: the report of callers, as JSON.
"$post" -q -json -callers stacks.nrm2 >callers.json
jq -r "$escaped"' .. | objects | select(has("recursive")) | "\(.self) \(.total) \(.name) \(.module | text)"' callers.json | sort >want.rows
step 1 '.table[] | "\(.[0]) \(.[2]) \(.[4]) \(.[5])"' | sort >have.rows
[ -s want.rows ] && diff want.rows have.rows >why
verdict functions_are_the_reports
want "$("$post" -q -json stacks.nrm2 | jq -r '"\(.total_ticks) ticks"')" "$(step 0 .sum)"
verdict total
# Of one function its callers and callees, in the text's words.
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

# A name that would be markup, with what turns text round (a process's has 15 bytes).
printf '%s\n' '0 on' $'0 task walk 100 1 </script>\xe2\x80\xae"<b' '100 sample 0 100 0x1000' \
	'200 sample 0 100 0x2000' | "$make_script" hostile.nrm2 2>why
"$post" -q -html -o hostile.html hostile.nrm2
[ $? -le 1 ] && look hostile hostile.html 'view=table&group=process' && step 1 '.table[][2]' >rows &&
	has rows '</script>\xe2\x80\xae"<b (100)' && ! grep -q '"<b' hostile.html
verdict hostile_names
finish
