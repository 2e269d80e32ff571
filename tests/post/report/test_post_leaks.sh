#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that nobody frees: after each report, page, writer, reader and comparison, of whole files and of files that
# are cut (tests/lib/no_memory.c tells it). test_post_memory.sh refuses memory, too, to fewer calls.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
preload=${TESTS:-$build/tests}/programs/no_memory.so
data=$top/tests/data

for story in sched calls odd whole; do
	grep -v '^#' "$here/post_$story.story" | sort -sn | "$make_script" $story.nrm2 || exit 1
done
sed 's/HELLO/\/nowhere\/hello/' "$here/post_itrace.story" | "$make_script" --collector=ptrace itrace.nrm2 || exit 1
for scene in story times stacks odd_stacks events no_samples; do
	"$make_trace" $scene $scene.nrm2 || exit 1
done

calls=0
# runs OPTION...: what it leaks, into why; the call itself may fail
runs() {
	NO_MEMORY=tell LD_PRELOAD=$preload timeout 60 "$post" -q "$@" >out 2>err
	local code=$?
	calls=$((calls + 1))
	[ "$(grep -c '^place' err)" -gt 3 ] && [ $code -le 2 ] || echo "$*: exit code $code: $(head -n 2 err)" >>why
	grep '^leak' err | sed "s|^|$*: |" >>why
}
clean() { # NAME LEAST: so many calls, and none of them leaks
	[ $calls -ge "$2" ] && [ ! -s why ]
	verdict "$1"
	calls=0
}

for trace in story times stacks odd_stacks events no_samples sched calls odd whole itrace; do
	for report in tprof sched offcpu critical irq syscalls locks faults marks calltree callers callees folded; do
		runs -$report -o - $trace.nrm2
		runs -$report -json $trace.nrm2
	done
	for report in tprof sched syscalls marks callers; do
		runs -$report -csv -o - $trace.nrm2
	done
	runs -tprof -cpu -off -nsf -v -line -inline -o - $trace.nrm2
	runs -cgroup -o - $trace.nrm2
	clean "reports_of_$trace" 33
done
for report in arc flow tree disasm verify functions calls 'tree -own' 'arc -c' 'arc -ck' 'arc -cp' 'tree -callees'; do
	for form in '-o -' -json -csv; do
		# shellcheck disable=SC2086 # options are words
		runs -$report $form itrace.nrm2
	done
done
clean instructions 36
for trace in story stacks calls whole itrace odd; do
	for report in show info stats validate; do
		runs -$report -o - $trace.nrm2
		runs -$report -json -o - $trace.nrm2
	done
	runs -pid 100 -time 10.0001-10.001 -comm 'sh*,a' -cpus 0 -tid 101,200 -o - $trace.nrm2
	runs -symbol spin_unlock,copy_to_user -o - $trace.nrm2
	runs -explain 100:0x400100:10.00003 -json $trace.nrm2
done
clean of_the_file 66
for trace in story stacks sched events whole itrace no_samples; do
	for format in pprof firefox speedscope perfetto chrome perf.data gperftools folded ctf xray; do
		rm -rf written
		runs -format $format -o written $trace.nrm2
	done
	runs -html -o page.html $trace.nrm2
done
clean written 77

# ---- a program with lines and its source
if command -v gcc >/dev/null; then
	printf 'int other(int n) { return n ^ 5; }\nint work(int n)\n{\n\treturn other(n) * 3;\n}\n' >lib.c
	gcc -g -O1 -fno-inline -shared -fPIC -nostdlib -o lib.so lib.c || exit 1
	at=$(nm lib.so | awk '$3 == "work" { print $1 }')
	"$make_trace" elf elf.nrm2 "$work/lib.so" "$at" "$at" "$at" || exit 1
	for how in '-annotate' '-annotate work' '-annotate other' '-annotate nothing' '-annotate work@lib.so -json' '-line' \
		'-line -inline -json' '-html -o page.html' '-format pprof -o written' '-sympath /nowhere:/ -line'; do
		# shellcheck disable=SC2086 # options are words
		runs $how elf.nrm2
	done
	clean lines 10
else
	echo "skip post_leaks_lines gcc is not installed"
fi

# ---- what others wrote
"$top/tests/fuzz/seeds" unpack jprof logs || exit 1
for file in "$data"/perf/perf.data.* "$data"/xray/*.xray "$data"/gperftools/*.cpu; do
	runs -o - -r "$file"
	runs -show -o - -r "$file"
	runs -validate -stats -r "$file"
	runs -html -o page.html -r "$file"
	runs -format perf.data -o written -r "$file"
done
for log in logs/rt-* logs/gen-*; do
	runs -functions -o - -r "$log"
	runs -calltree -json -r "$log"
	runs -calls -o - -r "$log"
done
clean read 60
runs -o - stacks.nrm2 "$data/gperftools/cppbench.cpu" story.nrm2
runs -show -o - story.nrm2 events.nrm2
runs -format perf.data -o written story.nrm2 events.nrm2
runs -format folded -o a.folded stacks.nrm2
runs -format folded -o b.folded story.nrm2
for form in '-o -' -json -csv '-html -o page.html'; do
	# shellcheck disable=SC2086 # options are words
	runs -diff story.nrm2 $form stacks.nrm2
	# shellcheck disable=SC2086 # options are words
	runs -diff $form a.folded b.folded
done
clean several 13

# ---- cut, and with a byte that is another
for file in story.nrm2 itrace.nrm2 "$data/perf/perf.data.branch-4.14" "$data/perf/perf.data.piped.header_features-4.16" \
	"$data/perf/perf.data.callgraph-3.8" "$data/xray/fdr-log-arg1.xray" "$data/gperftools/cppbench.cpu" logs/rt-vm logs/gen-vm; do
	size=$(stat -c %s "$file")
	for part in 0 1 20 33 50 70 90 99; do
		head -c $((size * part / 100)) "$file" >cut
		runs -o - -r cut
		runs -validate -r cut
		cp "$file" cut
		printf '\377' | dd of=cut bs=1 seek=$((size * part / 100)) conv=notrunc status=none
		runs -show -o - -r cut
	done
done
clean damaged 200
finish
