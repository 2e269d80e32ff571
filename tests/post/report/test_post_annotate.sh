#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A function's instructions and source lines with their ticks. objdump and addr2line are the judges.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

for tool in gcc objdump addr2line objcopy; do
	command -v $tool >/dev/null && continue
	echo "skip post_annotate $tool is not installed"
	exit 77
done
cat >lib.c <<'END'
int other(int n) { return n ^ 5; }
int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += other(i) * 3;
	return sum;
}
END
gcc -g -O1 -fno-inline -shared -fPIC -nostdlib -Wl,-z,noseparate-code -o lib.so lib.c || exit 1

# Every instruction of `work` by objdump: address, words. The 1st, 3rd and last are hit, and a place
# between instructions.
objdump -d --no-show-raw-insn --disassemble=work lib.so |
	sed -nE 's/^ +([0-9a-f]+):\t(.*)$/\1 \2/p' | sed -E 's/ +$//' >judge
first=$(sed -n '1s/ .*//p' judge)
third=$(sed -n '3s/ .*//p' judge)
last=$(sed -n '$s/ .*//p' judge)
# The trace knows the file by its inode: once more for each one in its place.
traced() { "$make_trace" elf at.nrm2 "$work/lib.so" "$first" "$third" "$last"; }
traced
base=$((0x$first))

# ---- instructions
code 0 "$post" -annotate work at.nrm2 && has out 'work  [' && has out '60 ticks, 100.00 % of all' &&
	has out "code from $work/lib.so"
verdict text
code 0 "$post" -annotate work -json at.nrm2 && cp out all.json &&
	jq -r '.annotated[0].instructions[] | "\(.offset) \(.text)"' out |
	while read -r offset words; do
		printf '%x %s\n' $((base + offset)) "$words"
	done >ours
# Targets of jumps and calls are written in other ways.
plain() { sed -E 's/ +/ /g; s/(j[a-z]+|callq?|b(\.[a-z]+|l)?|cb?n?z) .*/\1/; s/ [#/].*//' "$1"; }
diff <(plain judge) <(plain ours) >why
verdict instructions_as_objdump
jq -e --argjson base "$base" '.annotated | length == 1 and (.[0] |
	.ticks == 60 and .astray == 0 and ([.instructions[].ticks] | add == 60) and
	([.lines[].ticks] | add) + .line_not_known == 60 and
	(.instructions | .[0].ticks == 10 and .[2].ticks == 20 and .[-1].ticks == 30))' all.json >why
verdict ticks_by_instruction

# ---- lines
jq -r '.annotated[0].instructions[] | "\(.offset) \(.source):\(.line)"' all.json |
	while read -r offset line; do
		printf '%s %s\n' "$(addr2line -e lib.so "$(printf %x $((base + offset)))" |
			sed 's/ (discr.*//')" "$line"
	done | awk '$1 != $2' >why
! [ -s why ]
verdict lines_as_addr2line
line=$(addr2line -e lib.so "$first" | sed 's/.*:\([0-9]*\).*/\1/')
jq -e --argjson line "$line" '.annotated[0] |
	([.lines[] | select(.line == $line).ticks] | add) ==
	([.instructions[] | select(.line == $line).ticks] | add) and
	([.lines[].ticks] | add) == 60 and .line_not_known == 0' all.json >why
verdict ticks_by_line

# ---- what stands in those lines: the file's own words, or how it is told that there are none
jq -r '.annotated[0].lines[].line' all.json | while read -r number; do
	jq -j --argjson n "$number" '.annotated[0].lines[] | select(.line == $n).source_text' all.json |
		cmp - <(sed -n "${number}p" lib.c | tr -d '\n')
done >why 2>&1
! [ -s why ] && code 0 "$post" -annotate work at.nrm2 && has out "lib.c:$line  {" &&
	has out 'sum += other(i) * 3;' && ! has out 'is newer' 2>/dev/null
verdict source_text
code 0 "$post" -annotate work -csv at.nrm2 && has out ',{'
verdict source_text_csv
text_is() { # JQ: of the report
	code 0 "$post" -annotate work -json "${@:2}" at.nrm2 && jq -e "$1" out >why
}
cp lib.c kept.c
touch -d '1 hour' lib.c
text_is '.annotated[0].sources == [{"source": (.annotated[0].lines[0].source), "newer": true}]' &&
	code 0 "$post" -annotate work at.nrm2 && has out 'is newer than the code'
verdict source_newer
# Not its words: a terminal's orders, half a character, a line that is longer than a buffer.
{
	sed 's/$/ \\ \x1b[31m \xff/' kept.c
} | sed "s/work/$(head -c 700 /dev/zero | tr '\0' w)/" >lib.c
code 0 "$post" -annotate work at.nrm2 && has out '\x1b[31m \xff' && has out ' \ \x1b' &&
	! grep -q $'\033' out
verdict source_is_escaped
for bad in link pipe folder none large; do
	rm -rf lib.c
	case $bad in
	link) ln -s kept.c lib.c ;;
	pipe) mkfifo lib.c ;;
	folder) mkdir lib.c ;;
	none) ;;
	large) truncate -s 17M lib.c ;;
	esac
	text_is '[.annotated[0].lines[].source_text] - [null] == [] and
		(.annotated[0].sources[0].no_text | length > 5)' &&
		code 0 "$post" -annotate work at.nrm2 && has out "lib.c:$line  -"
	verdict "source_no_file_$bad"
done
rm lib.c
mkdir -p "root$work" && cp -p kept.c "root$work/lib.c" &&
	text_is '[.annotated[0].lines[].source_text] | index("{") != null' -sympath "$PWD/root"
verdict source_by_sympath
mkdir -p sub && cp kept.c sub/lib.c && cp -p lib.so absolute.so &&
	gcc -g -O1 -fno-inline -shared -fPIC -nostdlib -Wl,-z,noseparate-code -o lib.so sub/lib.c && traced &&
	text_is '[.annotated[0].lines[] | .source, .source_text] | index("'"$PWD/sub/lib.c"'", "{") != null'
verdict source_by_the_compilers_folder
mv absolute.so lib.so && traced
# Root reads for a program no more than the program's owner may.
if [ "$(id -u)" = 0 ]; then
	cp -p kept.c lib.c && chmod 600 lib.c && chmod 711 . && chown 65534:65534 lib.so
	text_is '.annotated[0].sources[0].no_text == "may not be read"'
	verdict source_of_others
	chown 65534 lib.c && text_is '.annotated[0].sources[0] | has("newer")'
	verdict source_of_the_owner
	chown 0:0 lib.so
fi
cp -p kept.c lib.c

# ---- the line table from a separate debug file, by its debug link
cp lib.so with_debug.so
objcopy --only-keep-debug lib.so lib.debug && objcopy --strip-debug --add-gnu-debuglink=lib.debug lib.so
mkdir -p .debug && mv lib.debug .debug/ && traced
code 0 "$post" -annotate work -json at.nrm2 && diff <(jq .annotated[0].lines out) \
	<(jq .annotated[0].lines all.json) >why
verdict separate_debug_file
rm -r .debug
code 0 "$post" -annotate work at.nrm2 && has out 'not known: no line table'
verdict no_line_table

# ---- beside an instruction's start; a symbol that is named by its module too
if [ "$(uname -m)" = x86_64 ]; then
	before=
	while read -r address _; do
		[ -n "$before" ] && [ $((0x$address - 0x$before)) -gt 1 ] && break
		before=$address
	done <judge
	"$make_trace" elf odd.nrm2 "$work/lib.so" "$first" "$(printf %x $((0x$before + 1)))"
	code 0 "$post" -annotate work -json odd.nrm2 && jq -e '.annotated[0] | .ticks == 30 and
		.astray == 20 and ([.instructions[].ticks] | add) == 10' out >why
	verdict astray
else
	echo "skip post_annotate_astray its instructions are x86-64's"
fi
code 0 "$post" -annotate work@lib.so at.nrm2 && code 0 "$post" -annotate "work@$work/lib.so" at.nrm2 &&
	code 2 "$post" -annotate work@libother.so at.nrm2 &&
	code 2 "$post" -annotate nobody at.nrm2 && has err 'no ticks are in the symbol nobody: names are as in' &&
	code 2 "$post" -annotate wrok@lib.so at.nrm2 && has err 'no ticks are in the symbol wrok@lib.so; similar names: work'
verdict named_by_module
# Without a name it is the one with the most ticks, whatever options follow; an empty name is an error.
hottest() { # ARGUMENT...
	code 0 "$post" "$@" && diff out named >why
}
code 0 "$post" -annotate work at.nrm2 && cp out named && hottest at.nrm2 -annotate && hottest -annotate -r at.nrm2 &&
	hottest -annotate=work at.nrm2 && code 0 "$post" -annotate -json at.nrm2 && jq -e '.annotated | length == 1' out >why &&
	code 2 "$post" -annotate '' at.nrm2 && has err 'empty argument' &&
	code 2 "$post" -annotate '-[Class name]' at.nrm2 && has err 'in the symbol -[Class name]'
verdict hottest
absent() { # FORM
	# shellcheck disable=SC2086
	code 2 "$post" -annotate nobody $1 at.nrm2 && ! [ -s out ] && ! [ -e absent.out ] &&
		[ "$(wc -l <err)" = 1 ]
}
every absent '' -json -csv '-o absent.out'
verdict absent
code 0 "$post" -annotate work -csv at.nrm2 &&
	[ "$(awk -F, 'NR > 1 { n += $5 } END { print n }' out)" = 60 ]
verdict csv

# ---- no bytes, and why
mv lib.so hidden.so && mkdir -p elsewhere && code 0 "$post" -annotate NoSymbols at.nrm2 &&
	has out 'no instructions: the file that ran is not here' && has out '-sympath FOLDER'
verdict file_is_gone
cp hidden.so elsewhere/lib.so && code 0 "$post" -sympath "$PWD/elsewhere" -annotate work at.nrm2 &&
	has out "code from $PWD/elsewhere/lib.so"
verdict sympath
"$make_trace" clean clean.nrm2
code 0 "$post" -annotate spin_unlock clean.nrm2 &&
	has out "no instructions: the kernel's code is in no file that post reads" &&
	has_line out 60 100.00 0x10
verdict kernel
! grep -q $'\033' out
verdict no_colour_in_a_file
code 2 "$post" -annotate work -calltree at.nrm2 && code 2 "$post" -annotate work -show at.nrm2
verdict contradictions
finish
