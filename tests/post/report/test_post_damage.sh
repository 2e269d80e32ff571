#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Damage to files beside the trace (jitdumps and logs of generated code), of processes that have samples, have none
# and are not in the trace: exit code, JSON, the text's own lines and messages on stderr agree, in each report and
# format.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

dump() { # PID BYTES: a jitdump of one function, cut after so many bytes of its record
	perl -e 'my ($pid, $n) = @ARGV; my $code = "\x90" x 16;
		print pack("LLLLLLQQ", 0x4A695444, 1, 40, 62, 0, $pid, 0, 0);
		print substr pack("LLQLLQQQQ", 0, 56 + 6 + 16, 500, $pid, $pid, 0x7f0000000000, 0x7f0000000000, 16, 1) .
			"quick\0" . $code, 0, $n' "$1" "$2" >"jit-$1.dump"
}
# Process 100 has samples, 200 has none, 300 is not in the trace.
trace() {
	"$make_script" trace.nrm2 <<END || exit 1
0 on
0 task walk 100 1 busy
0 task walk 200 1 lazy
0 map 100 0x7e0000000000 0x1000 0 $PWD/jit-100.dump
0 map 200 0x7e0000000000 0x1000 0 $PWD/jit-200.dump
1000 sample 0 100 0x401010
2000 sample 0 100 0x7f0000000008
5000 off
END
}
reports=('' -cpu -sched -offcpu -irq -syscalls -faults -marks -calltree -callers '-symbol nothing' '-pid 100' '-pid 200')
# CODE FILE: the end of each report, JSON and stderr agree: only that file is reported, once
agree() {
	local code=$1 clean=true beside=0 form
	[ "$code" = 0 ] || { clean=false && beside=1; }
	for form in "${reports[@]}"; do
		# shellcheck disable=SC2086 # options are words
		"$post" -q -json $form trace.nrm2 >json 2>err
		echo "$form: $? clean $(jq .clean json), $(jq "[.damage[] | select(.file | endswith(\"$2\"))] | length" json) of" \
			"$(jq '.damage | length' json) in it, $(grep -c "/$2: at byte" err) of $(wc -l <err) said" >>have
		echo "$form: $code clean $clean, $beside of $beside in it, $beside of $beside said" >>want
	done
	diff want have >why
	form=$?
	rm -f want have
	return $form
}
# In text: the file of the report and stderr, with and without a word on the screen; a page, other formats.
agree_in_text() { # CODE FILE
	code "$1" "$post" trace.nrm2 && code "$1" "$post" -q -o - trace.nrm2 || return 1
	[ "$(grep -c "^  .*/$2: at byte [0-9]*: " out)" = "$1" ] && [ "$(grep -c '^Damage' out)" = "$1" ] || {
		cp out why
		return 1
	}
	for format in folded pprof chrome perf.data speedscope; do
		code "$1" "$post" -q -format $format -o written trace.nrm2 && [ "$(grep -c "/$2: at byte" err)" = "$1" ] || return 1
	done
	code "$1" "$post" -q -html -o page.html trace.nrm2 || return 1
	code "$1" "$post" -q -diff -json trace.nrm2 trace.nrm2 || return 1
}

trace
dump 100 78
dump 200 78
agree 0 jit-
verdict whole
agree_in_text 0 jit-
verdict whole_in_text
for pid in 100 200; do
	dump $pid 50
	agree 1 jit-$pid.dump
	verdict cut_$pid
	agree_in_text 1 jit-$pid.dump
	verdict cut_${pid}_in_text
	dump $pid 78
done
printf 'pitrace-jita2n 1\nnonsense\n' >log-jita2n_300
agree 1 log-jita2n_300
verdict of_another
agree_in_text 1 log-jita2n_300
verdict of_another_in_text
rm log-jita2n_300

# Faults found while reading are also in the JSON: a truncated log of functions.
"$here/../input/odd_image" bad-log-gen >log-gen
"$post" -q -functions -json log-gen >json 2>err
[ "$? $(jq .clean json) $(jq '.damage | length > 0' json) $(grep -q 'at byte' err && echo said)" = '1 false true said' ]
verdict on_the_way
finish
