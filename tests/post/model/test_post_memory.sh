#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that is refused, once, at each place of post's code that asks for it (tests/lib/no_memory.sh).
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
# shellcheck source=tests/lib/no_memory.sh
. "$top/tests/lib/no_memory.sh"
script=${TESTS:-$build/tests}/programs/post_script

more_words() { # what a page says in words is compressed there
	local block
	[ ! -f out.file ] || sed -n 's/.*id="data-[a-z]*">\([^<]*\)<.*/\1/p' out.file | while read -r block; do
		base64 -d <<<"$block" | gzip -dc >>out 2>/dev/null
	done
	true
}

for trace in story events stacks; do
	"$make_trace" $trace $trace.nrm2 || exit 1
done
for story in sched calls itrace; do
	"$script" $story.nrm2 <"$top/tests/post/report/post_$story.story" || exit 1
done
"$script" spans.nrm2 <<'END' || exit 1
0 on
0 task walk 100 1 app
0 task walk_thread 100/101 1 app
0 task walk 200 1 app
5 sample 0 100 0x400100
10 mark 0 100 0xb0 0 request 1
15 mark 0 100 0xb0 0 outer
20 mark 0 100 0xb0 0 request 0xfffffffffffffffe
25 mark 1 100/101 0xd0 7 lonely
30 mark 1 100/101 0xb0 0x80 request 1
35 mark 0 100 0xb0 0x80 outer
40 mark 0 100 0xb0 0x80 request 0xfffffffffffffffe
50 mark 0 100 0xb0 1 job 4
55 mark 1 200 0xb0 0x81 job 4
60 off
END
data=$top/tests/data

each tprof "$post" -q -o - -cpu -off stacks.nrm2
each tprof_json "$post" -q -json events.nrm2
each sched "$post" -q -sched -o - sched.nrm2
each offcpu "$post" -q -offcpu -o - sched.nrm2
each critical "$post" -q -critical -o - sched.nrm2
each irq "$post" -q -irq -o - sched.nrm2
each syscalls "$post" -q -syscalls -faults -json calls.nrm2
each marks "$post" -q -marks -o - events.nrm2
each spans "$post" -q -marks -o - spans.nrm2
each spans_firefox "$post" -q -format firefox -o out.file spans.nrm2
each spans_ctf "$post" -q -format ctf -o out.folder spans.nrm2
each calltree "$post" -q -calltree -o - stacks.nrm2
each callers "$post" -q -callers -o - stacks.nrm2
each folded_report "$post" -q -folded stacks.nrm2
each show "$post" -q -show -json -o - story.nrm2
each stats "$post" -q -stats story.nrm2
each info "$post" -q -info story.nrm2
each validate "$post" -q -validate story.nrm2
for format in pprof firefox speedscope perfetto chrome perf.data gperftools folded; do
	each "$format" "$post" -q -format "$format" -o out.file stacks.nrm2
done
each ctf "$post" -q -format ctf -o out.folder sched.nrm2
each html "$post" -q -html -o out.file story.nrm2
each html_of_stacks "$post" -q -html -o out.file stacks.nrm2
each html_of_calls "$post" -q -html -o out.file calls.nrm2
each html_of_spans "$post" -q -html -o out.file spans.nrm2
each html_of_waits "$post" -q -html -o out.file sched.nrm2
each explain "$post" -q -explain 4156:0xffffffff81001010:10.5 -o - story.nrm2
each diff "$post" -q -diff story.nrm2 -o - stacks.nrm2
each arc "$post" -q -arc -o - itrace.nrm2
each flow "$post" -q -flow -o - itrace.nrm2
# ---- what others wrote
each perf "$post" -q -show -json -o - -r "$data/perf/perf.data.branch-4.14"
each perf_stacks "$post" -q -calltree -o - -r "$data/perf/perf.data.callgraph-3.8"
each perf_pipe "$post" -q -info -r "$data/perf/perf.data.piped.header_features-4.16"
each xray "$post" -q -show -json -o - -r "$data/xray/fdr-log-arg1.xray"
each xray_basic "$post" -q -functions -o - -r "$data/xray/basic-log-version-3.xray"
each gperftools_read "$post" -q -o - -r "$data/gperftools/cppbench.cpu"
cp file.pprof one.pb.gz
each pprof_read "$post" -q -o - -r one.pb.gz
"$top/tests/fuzz/seeds" unpack jprof logs || exit 1
for log in rt-vm rt-columns; do
	each "$log" "$post" -q -functions -o - -r logs/$log
	each "$log.tree" "$post" -q -calltree -o - -r logs/$log
done
for log in gen-vm gen-two; do
	each "$log" "$post" -q -functions -o - -r logs/$log
	each "$log.calls" "$post" -q -calls -json -o - -r logs/$log
done
each merged "$post" -q -o - stacks.nrm2 "$data/gperftools/cppbench.cpu"
[ $failures = 0 ]
