#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# pitrace: each command reaches its program, with its words and options, its exit code and its name in messages;
# what it lists, the page and what there is are the same; wrong commands, and programs that are missing.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export LC_ALL=C
front=$bin/pitrace

# Prints the listed NAMEs, one per command; a second name follows a comma.
listed() {
	sed -nE 's/^  ([a-z]+)(, ([a-z]+))? .*/\1 \3/p' "$1" | tr ' ' '\n' | grep . | sort
}
"$front" >list
is alone $? 0
"$front" --help | cmp -s - list && "$front" help | cmp -s - list
verdict help $?
listed list >names
[ "$(wc -l <names)" -ge 20 ]
verdict lists_commands $? "$(cat names)"
sed -nE 's/^\.BR? ([a-z].*)/\1/p' "$top/tools/pitrace/pitrace.1" |
	sed '/^[a-z]*( ", " [a-z]*)*$/!{/^[a-z]*\( ", " [a-z]*\)*$/!d}; s/ ", "//g' | tr ' ' '\n' | sort -u >paged
is page_has_each "$(comm -23 names paged)" ''
"$front" --complete | cut -f1 | grep -v '^-' | grep -vx help | sort >completed
is completes_each "$(diff names completed)" ''
is version "$("$front" --version)" "pitrace $("$bin/swtrace" --version | sed 's/.* //')"
# Every command has a page of its own name.
for page in "$top"/tools/*/*.1 "$top/post/post.1"; do
	"$top/scripts/man-names" "$page"
done | sed -n 's/^pitrace-//p' | sort >pages
is has_pages "$(diff names pages)" ''

# Each shows its own line first, then its program's options.
while read -r name; do
	"$front" "$name" --help >out 2>&1
	[ $? = 0 ] && grep -q '^usage: pitrace ' out && [ "$(wc -l <out)" -gt 8 ] &&
		"$front" help "$name" | cmp -s - out
	verdict "${name}_help" $?
done <names

# From a command to a report, compared with the programs themselves.
"$front" run -q -g -B timer -o a.nrm2 -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; exit 7'
is run_code $? 7
for each in 'report:' 'report -g:-calltree' 'sched:-sched' 'marks:-marks' 'show:-show -o -' 'convert folded:-format folded' \
	'convert:-format list'; do
	read -ra words <<<"${each%%:*}"
	read -ra post <<<"${each#*:}"
	rm -f ./*.out*
	"$front" "${words[@]}" -i a.nrm2 >have 2>have.err
	code=$?
	rm -f ./*.out*
	"$bin/post" "${post[@]}" -i a.nrm2 >want 2>want.err
	[ $code = $? ] && cmp -s have want && [ -s have ]
	verdict "as_post_$(tr -d ' -' <<<"${each%%:*}")" $? "$(diff have want)"
done
"$front" record -q -o b.nrm2 -- true && [ -s b.nrm2 ]
verdict record $?
"$front" script -i a.nrm2 -o words && [ -s words ]
verdict show_to_a_file $?
"$front" diff a.nrm2 a.nrm2 >out && grep -q '^A  a.nrm2: ' out
verdict diff $?
is stat "$("$front" stat -e task-clock --json -- true 2>&1 | jq -r '[.. | .name? // empty][0] // "none"' | head -n 1)" \
	"$("$bin/mpevt" run -e task-clock --json -- true 2>&1 | jq -r '[.. | .name? // empty][0] // "none"' | head -n 1)"

# Its programs speak by its name.
"$front" report -i nowhere >out 2>&1
is report_code "$? $(head -n 1 out)" '2 pitrace report: nowhere: No such file or directory'
"$front" run -- ./nowhere >out 2>&1
is run_not_found "$? $(cut -d: -f 1 out)" '127 pitrace run'
"$front" calls -p 0 >out 2>&1
[ $? = 125 ] && grep -q '^pitrace calls: .*0' out
verdict calls_of_a_process $? "$(cat out)"

# A user at a terminal is shown the next command.
script -qec "$front run -g -B timer -o t.nrm2 -- true" /dev/null >out </dev/null
grep -q '^next: pitrace report -i t.nrm2, and with it -calltree' out
verdict next_step $?
script -qec "$bin/swtrace run -B timer -o u.nrm2 -- true" /dev/null >out </dev/null
is next_step_plain "$(grep '^next' out | tr -d '\r')" 'next: post -r u.nrm2'
script -qec "$front report -i a.nrm2" /dev/null >out </dev/null
is next_reports "$(grep '^also' out | tr -d '\r')" 'also in this trace: -calltree -callers -html'
"$front" report -i a.nrm2 | grep -q '^also'
is next_not_in_a_pipe $? 1

# At a terminal, long output is shown in a pager.
at_terminal() { # COMMAND: out is what it showed, without the terminal's returns; its code
	TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r' >out
	return "${PIPESTATUS[0]}"
}
printf '#!/bin/sh\nsed "s/^/paged: /"\necho "LESS=$LESS"\n' >reader && chmod +x reader
PAGER=$work/reader at_terminal "$front show -i a.nrm2"
[ $? = 0 ] && [ "$(tail -n 1 out)" = LESS=FRX ] && [ "$(grep -c '^paged: ' out)" = "$("$front" show -i a.nrm2 | wc -l)" ]
verdict pager $? "$(head -n 3 out)"
LESS=-M PAGER=$work/reader at_terminal "$front show -i nowhere"
is pager_code "$? $(cat out)" $'2 paged: pitrace show: nowhere: No such file or directory\nLESS=-M'
for without in "$front --no-pager show -i a.nrm2" "PAGER= $front show -i a.nrm2" "PAGER=cat $front show -i a.nrm2" \
	"PITRACE_PAGER= $front show -i a.nrm2" "PAGER=/nowhere $front show -i a.nrm2" "TERM=dumb $front show -i a.nrm2"; do
	PAGER=$work/reader at_terminal "$without"
	[ $? = 0 ] && ! grep -q '^paged' out && [ "$(wc -l <out)" -gt 20 ]
	verdict "no_pager_$(sed "s,$front,,g;s/ .*//;s/[^A-Za-z]//g" <<<"$without")" $? "$(head -n 3 out)"
done
PAGER=$work/reader "$front" show -i a.nrm2 | grep -q '^paged'
is no_pager_in_a_pipe $? 1
PAGER=$work/reader at_terminal "$front show -i a.nrm2 -o words2" && ! grep -q paged out && [ -s words2 ]
verdict no_pager_for_a_file $?
PITRACE_PAGER="head -n 2 | cat" PAGER=/nowhere at_terminal "$front show -i a.nrm2"
is pager_by_shell "$(wc -l <out)" 2
# It is left early: the program ends as well.
"$front" run -q -B timer -o long.nrm2 -- sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); /bin/true; [ $i -lt 300 ] || exit 0; done'
PAGER='head -n 1' at_terminal "timeout 20 $front show -i long.nrm2"
code=$?
[ $code = 141 ] || [ $code = 2 ]
verdict pager_left $? "code $code"

# Wrong commands.
"$front" reprot >out 2>&1
is near "$? $(cat out)" "125 pitrace: no command 'reprot': did you mean report?"
"$front" zzzzzz >out 2>&1
is unknown "$? $(cat out)" "125 pitrace: no command 'zzzzzz'; pitrace lists them"
"$front" "$(printf 'r\033[31m%0200d' 0)" >out 2>&1
[ $? = 125 ] && ! grep -q "$(printf '\033')" out
verdict hostile_name $?
"$front" '' >out 2>&1
is empty $? 125
cp "$front" pitrace && ./pitrace report >out 2>&1
is alone_in_a_folder "$? $(cat out)" '125 pitrace: the program post, which does that, is not beside pitrace'
PATH=/nowhere "$front" >out 2>&1
grep -q 'there is no java in PATH' out
verdict says_what_lacks $?
exit $((failures > 0))
