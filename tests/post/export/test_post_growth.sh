#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory is bounded by what is distinct: of four times the samples, marks or records post needs as much as of
# them alone. What does not fit is in files without a name; where these have no place, post says so.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
programs=${TESTS:-$build/tests}
TMPDIR=$work
export TMPDIR

# memory OPTION...: post's greatest, in KB
memory() {
	local rss
	rss=$("$programs/bench/cost" err 1 "$post" -q "$@" -o written | awk '{ print int($3 * 1024) }')
	echo "${rss:-0}"
}
# stays NAME SMALL LARGE OPTION...: a fifth more is the allocator's
stays() {
	local small large
	small=$(memory -r "$2" "${@:4}")
	large=$(memory -r "$3" "${@:4}")
	echo "$small KB, of four times as much $large KB" >why
	[ "$small" -gt 1000 ] && [ "$large" -gt 1000 ] && [ $((large * 5)) -lt $((small * 6)) ]
	verdict "$1"
	rm -f written
}

"$programs/programs/gen_trace" --samples=500000 --stacks=1 --depth=8 one.nrm2 >/dev/null
"$programs/programs/gen_trace" --samples=2000000 --stacks=1 --depth=8 four.nrm2 >/dev/null
stays speedscope one.nrm2 four.nrm2 --format speedscope
stays firefox one.nrm2 four.nrm2 --format firefox
# Each thread has all of its samples, once, in the order of time.
"$post" -q --format firefox -o f.json -r one.nrm2
jq -e '[.threads[].samples] | all(.[]; (.time | . == sort) and (.time | length) == .length and
	(.stack | length) == .length and (.weight | length) == .length)' f.json >out 2>why
verdict firefox_order
[ "$(jq '[.threads[].samples.length] | add' f.json)" = 500000 ]
verdict firefox_sum
rm -f one.nrm2 four.nrm2 f.json


# Marks: pairs, spans of which a few do not end, and named events, of three threads.
marks() { # THOUSANDS
	perl -e '
		print "0 on\n0 task walk 100 1 app\n";
		print "0 task walk_thread 100/$_ 1 app\n" for 101, 102;
		print "0 sample 0 100 0x401000\n";
		print "0 declare 0 100 7 order size:u64,kind:str\n";
		for my $i (1 .. 1000 * $ARGV[0]) {
			my ($at, $t) = (10 * $i, 100 + $i % 3);
			$t = "100/$t" if $t > 100;
			print "$at mark 0 $t 0xb0 0 pair\n";
			print $at + 1, " mark 0 $t 0xb0 0 span $i\n";
			print $at + 2, " event 0 $t 7 $i \"large\n";
			print $at + 3, " mark 0 $t 0xb0 0x80 span $i\n" if $i > 30;
			print $at + 4, " mark 0 $t 0xb0 0x80 pair\n";
		}
		print 10000 * $ARGV[0] + 10, " off\n";
	' "$1" | "$make_script" "$2"
}
marks 100 one.nrm2
marks 400 four.nrm2
stays firefox_markers one.nrm2 four.nrm2 --format firefox
marks 1 one.nrm2
"$post" -q --format firefox -o f.json -r one.nrm2
jq -r '.threads[] | .markers as $m | .stringArray as $s | "\(.tid) \($m.length) \(
	[$m.phase[] | tostring] | group_by(.) | map("\(.[0]):\(length)") | join(" ")) \(
	[range($m.length) | select($m.phase[.] == 1) | $m.endTime[.] - $m.startTime[.] | . * 1000 | round] | unique | tojson) \(
	[$m.data[] | objects | select(._kind == "large") | ._size] | [length, first, last] | tojson)"' f.json >out
cat >want <<'END'
100 1332 0:333 1:323 2:343 3:333 [2] [333,3,999]
101 1336 0:334 1:324 2:344 3:334 [2] [334,1,1000]
102 1332 0:333 1:323 2:343 3:333 [2] [333,2,998]
END
diff -u want out >why
verdict firefox_markers_whole
rm -f one.nrm2 four.nrm2 f.json

# perf.data without FINISHED_ROUND: the records of four CPUs, one CPU after the other.
perf_data() { # TIMES
	perl -e '
		my ($n, $per, $samples) = ($ARGV[0], 50000, "");
		print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, 112 + 160 * $per * $n, 0, 0, 0, 0, 0, 0);
		print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0);
		print pack("LSSLL", 3, 0, 40, 70, 70), "work\0\0\0\0", pack("LLQ", 70, 70, 1);
		print pack("LSSLLQQQ", 1, 0, 72, 70, 70, 0x400000, 0x100000, 0), "/no/prog\0\0\0\0\0\0\0\0", pack("LLQ", 70, 70, 2);
		for my $cpu (0 .. 3) {
			$samples = join "", map { pack("LSSQLLQQ", 9, 2, 40, 0x401000 + $_ % 50 * 16, 70, 70 + $_ % 3,
				1000 + $_ * 400 + $cpu * 100, 1) } 1 .. $per;
			print $samples for 1 .. $n;
		}
	' "$1"
}
perf_data 8 >one.data
perf_data 32 >four.data
stays perf_without_rounds one.data four.data -csv
"$post" -q -csv -o - -r one.data >out
[ "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ticks") t = i } NR > 1 { n += $t } END { print n }' out)" = 1600000 ]
verdict perf_all

# Where the files have no place.
wrong() { # NAME COMMAND...: exit code 2, with words
	local name=$1
	shift
	"$@" 2>err >/dev/null
	[ $? = 2 ] && has err "a temporary file in $TMPDIR: " && has err '(TMPDIR chooses another folder)'
	verdict "$name"
}
TMPDIR=$work/nowhere
wrong perf_no_folder "$post" -q -csv -r one.data
"$programs/programs/gen_trace" --samples=600000 --stacks=1 --depth=8 one.nrm2 >/dev/null
wrong speedscope_no_folder "$post" -q --format speedscope -o written -r one.nrm2
TMPDIR=$work/small
mkdir small
if unshare -rm true 2>/dev/null; then
	small() { # POST-OPTION...: with a disk of 1 MB for them
		unshare -rm sh -c 'mount -t tmpfs -o size=1m none small && exec "$@"' sh "$post" -q "$@"
	}
	wrong perf_full_disk small -csv -r one.data
	says_full() { has err 'No space left on device (TMPDIR' ; verdict "$1"; }
	says_full perf_full_disk_words
	wrong firefox_full_disk small --format firefox -o written -r one.nrm2
	says_full firefox_full_disk_words
else
	echo "skip post_growth_no_namespaces unshare is not permitted"
fi
rm -f one.nrm2 four.data

# A recursion: text of calls below each other grows as they do, not with the square.
deep() { # DEPTH
	awk -v n="$1" 'BEGIN { print "pitrace log-rt\n LV CALLS CEE BASE NAME\n0 0 1 0 main_77"
		for (i = 1; i <= n; i++) print i, 1, 1, 2, "a/B.c()V" }'
}
deep 5000 >log-rt.1_1
deep 20000 >log-rt.4_4
"$post" -q -calltree -o one.tree -r log-rt.1_1
"$post" -q -calltree -o four.tree -r log-rt.4_4
echo "$(stat -c %s one.tree) bytes, of four times the depth $(stat -c %s four.tree)" >why
[ "$(wc -l <one.tree)" -gt 5000 ] && [ "$(stat -c %s four.tree)" -lt $((5 * $(stat -c %s one.tree))) ]
verdict calltree_text
finish
