#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each command of pitrace on a terminal of 80 columns: help, a wrong option, a file that is missing or that may not be
# read, a full disk. No line is wider, there is a message, and the exit code is that of pitrace(1)'s table.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PATH=$bin:$PATH NO_COLOR=1 PITRACE_PAGER=
page=$top/tools/pitrace/pitrace.1

# code KIND ROW: from the table: its columns are recording, reports, tools, others
code() {
	sed -n '/^\.SH EXIT STATUS/,/^\.SH ENVIRONMENT/p' "$page" |
		awk -v row="$2" -v column="$1" 'index($0, row) == 1 {
			n = split("recording reports tools others", name, " ")
			for (i = 1; i <= n; i++)
				if (name[i] == column)
					print $(NF - n + i)
		}'
}
# The kinds, from the page's own words.
kind_of() {
	case $1 in
	run | stat | trace | calls | java) echo recording ;;
	compare | heap) echo tools ;;
	top | check | list) echo others ;;
	*) echo reports ;;
	esac
}
run() { # COMMAND: in a terminal; into seen, and its exit code
	script -qec "stty cols 80 rows 50; $1" /dev/null </dev/null >raw
	local code=$?
	tr -d '\r' <raw >seen
	return $code
}
# fits CODE WANTED: what is wrong with what was seen
fits() {
	[ "$1" = "$2" ] || echo "exit code $1, not $2"
	[ "$(LC_ALL=C.UTF-8 wc -L <seen)" -le 80 ] || echo "wider than 80: $(LC_ALL=C.UTF-8 grep -E '.{81}' seen | head -n 1)"
	grep -q '[a-z]' seen || echo 'no message'
	! grep -qiE 'internal error|segmentation|assert' seen || echo 'a crash'
}
# Who typed pitrace is sent to pitrace.
sends_elsewhere() {
	grep -m 1 -E '(usage:|Try:|see) (swtrace|post|mpevt|arcf|hdump|run\.)' seen
}

pitrace run -q -B timer -g -o good.nrm2 -- sh -c 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done' &&
	cp good.nrm2 swtrace.nrm2
verdict recorded $?
echo 'a;b 3' >good.folded
mkdir closed && cp good.nrm2 closed/file
chmod 0 closed/file
chmod 711 .
as_nobody=
[ "$(id -u)" != 0 ] || as_nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
: >empty
file_argument() { # COMMAND FILE: how the file is named
	case $1 in
	annotate) echo "'*' -i $2" ;;
	convert) echo "folded -o out -i $2" ;;
	diff) echo "good.nrm2 $2" ;;
	compare | heap) echo "$2" ;;
	*) echo "-i $2" ;;
	esac
}

pitrace --complete | cut -f 1 | grep '^[a-z]' | grep -vxE 'help|record|itrace|script' >names
[ "$(wc -l <names)" -ge 20 ]
verdict commands $? "$(cat names)"
for column in recording reports tools others; do
	[ "$(code $column 'written, or wrong usage')" ] || code $column 'written, or wrong usage'
done >out
[ ! -s out ] && [ "$(code reports 'written, or wrong usage')$(code others 'written, or wrong usage')" = 2125 ]
verdict table $?

while read -r name; do
	kind=$(kind_of "$name")
	wrong=$(code "$kind" 'written, or wrong usage')
	bad=
	run "pitrace $name --help"
	why=$(fits $? 0)
	[ -z "$why" ] || bad="$bad --help: $why;"
	run "pitrace $name --no-such-option-as-this-one-is"
	why=$(fits $? "$wrong" && sends_elsewhere)
	[ -z "$why" ] || bad="$bad a wrong option: $why;"
	case $kind in
	recording | tools | others)
		[ "$name" = top ] || run "pitrace $name"
		why=$(sends_elsewhere)
		[ -z "$why" ] || bad="$bad nothing: $why;"
		;;
	esac
	case $kind in
	recording)
		run "pitrace $name -- ./no/such/program-as-this-one"
		why=$(fits $? "$(code recording 'the command was not found')")
		[ -z "$why" ] || bad="$bad a missing program: $why;"
		run "pitrace $name -- ./empty"
		why=$(fits $? "$(code recording 'the command cannot be executed')")
		[ -z "$why" ] || bad="$bad a file that is not a program: $why;"
		;;
	reports | tools)
		run "pitrace $name $(file_argument "$name" /no/such/folder/with/a/long/name/and/no/such/file/as/this-one-in-it.nrm2)"
		why=$(fits $? "$wrong")
		[ -z "$why" ] || bad="$bad a missing file: $why;"
		run "pitrace $name $(file_argument "$name" empty)"
		why=$(fits $? "$wrong")
		[ -z "$why" ] || bad="$bad an empty file: $why;"
		# Root may read every file.
		run "$as_nobody pitrace $name $(file_argument "$name" closed/file)"
		why=$(fits $? "$wrong")
		grep -qi 'permission denied' seen || why="$why no word about permission"
		[ -z "$why" ] || bad="$bad a file that cannot be read: $why;"
		;;
	esac
	[ -z "$bad" ]
	verdict "$name" $? "$bad$(cat seen)"
done <names

# A full disk: the screen alone is a result (1) where there is one; else there is none (2).
for each in 'report 2 -o /dev/full' 'show 2 -o /dev/full' 'convert 2 folded -o /dev/full' 'html 2 -o /dev/full' \
	'sched 2 -o /dev/full' 'offcpu 2 -o /dev/full' 'critical 2 -o /dev/full' 'syscalls 2 -o /dev/full' \
	'locks 2 -o /dev/full' 'faults 2 -o /dev/full' 'marks 2 -o /dev/full' 'annotate 2 * -o /dev/full'; do
	read -r name want rest <<<"$each"
	run "pitrace $name ${rest/#\*/"'*'"} -i good.nrm2"
	why=$(fits $? "$want")
	[ -z "$why" ] && grep -q 'No space left' seen
	verdict "full_disk_$name" $? "$why $(cat seen)"
done
for command in 'check' 'list' 'stat --help' 'report -json' 'top -n 1 -d 100ms --json' 'compare good.folded' 'diff good.nrm2 good.nrm2'; do
	pitrace $command >/dev/full 2>messages
	code=$?
	[ $code != 0 ] && grep -q 'No space left' messages
	verdict "full_output_$(tr -cd a-z <<<"$command")" $? "$code: $(cat messages)"
done
exit $((failures > 0))
