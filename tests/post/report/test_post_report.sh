#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post's reports of a small trace that can be counted by hand: the whole text (UPDATE=1 writes the
# golden files anew: then read them), the sums, JSON, CSV, post.show.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

"$make_trace" story story.nrm2 || exit 1
"$make_trace" clean clean.nrm2 || exit 1
"$make_trace" no_samples none.nrm2 || exit 1

# ---- text
code 1 "$post" story.nrm2 && same out post_story.screen
verdict screen
same tprof.out post_story.tprof
verdict tprof_out
code 1 "$post" -o - -off -cpu story.nrm2 && same out post_story_cpu_off.tprof
verdict cpu_off
cmp -s err /dev/null
verdict nothing_else_on_stderr
code 1 "$post" -o - story.nrm2 && cp out dash && code 1 "$post" -q story.nrm2 &&
	cmp dash tprof.out >why
verdict dash_is_the_same_report
code 1 "$post" -q story.nrm2 && ! [ -s out ]
verdict quiet

# Every report's lines of one label add up to all ticks.
sums() { # FILE TOTAL: reports whose innermost lines don't
	awk -v total="$2" '
		function close_report() { if (name != "" &&
			sum[deep] != total) print name, sum[deep] }
		/^ \)\) / { close_report(); name = $2; deep = 0; delete sum; wanted = 1; next }
		/^ *(PID|TID|MOD|SYM|OFF) / {
			match($0, /[A-Z]/); sum[RSTART] += $2; if (RSTART > deep) deep = RSTART; n++
		}
		END { close_report(); if (n == 0) print "no lines" }' "$1"
}
code 1 "$post" -q story.nrm2 && [ "$(grep -c '^ )) ' tprof.out)" = 8 ] &&
	sums tprof.out 200 >why && ! [ -s why ]
verdict eight_reports_add_up

# ---- clipping, merging by name
code 1 "$post" -clip 20 -o - story.nrm2 &&
	[ "$(sed -n '/)) Process$/,/)) Process_M/p' out | grep -c PID)" = 2 ] &&
	has out "Clipping level         20.00 %"
verdict clip
code 1 "$post" --clip=100 -o - story.nrm2 && ! grep -q 'PID  *[0-9]' out
verdict clip_all
code 1 "$post" -pnm -o - story.nrm2 && has_line out PID 95 47.50 java "(14 unsure)"
verdict by_process_name
code 1 "$post" -tnm -o - story.nrm2 && has_line out TID 20 10.00 GC
verdict by_thread_name

# ---- JSON
code 1 "$post" -json story.nrm2 && jq -e '
	.total_ticks == 200 and .samples == 115 and .idle_ticks == 85 and .kernel_ticks == 61 and
	.user_ticks == 54 and .late_samples == 7 and .clean == false and .complete == true and
	.duration_ns == 2000000000 and .collector == "driver" and .cpus == 2 and .rate == 1000 and
	.unknown == {no_module: 7, no_symbols: 47, no_symbol_found: 0, jit_unannounced: 0,
		jit_freed: 0, jit_ambiguous: 0, unsure: 16}' out >why
verdict json_totals
jq -e '[.processes[].ticks] | add == 200' out >why &&
	jq -e '[.processes[].threads[].ticks] | add == 200' out >why &&
	jq -e '[.processes[].threads[].modules[].symbols[].ticks] | add == 200' out >why &&
	jq -e '[.modules[].ticks] | add == 200' out >why
verdict json_adds_up
jq -e '.processes[] | select(.pid == 4156) |
	.name == "java" and .ticks == 95 and .percent == 47.5 and
	(.threads | map({tid, name, ticks}) == [{tid: 4156, name: "java", ticks: 75},
	{tid: 4157, name: "GC", ticks: 20}]) and
	(.threads[1].modules | map(.name) == ["/nowhere/bin/java", "[ext4]"])' out >why
verdict json_names
jq -e '.processes[] | select(.pid == 77) | .name == "ev\u001b[31mil\n"' out >why
verdict json_escapes
jq -e '.lost == [{cpu: 0, kind: "names", count: 3}, {cpu: 1, kind: "samples", count: 7},
	{cpu: 1, kind: "overruns", count: 1}]' out >why
verdict json_lost
code 1 "$post" -json -cpu -off story.nrm2 && jq -e '
	(.per_cpu |
	map({cpu, total_ticks}) == [{cpu: 0, total_ticks: 137}, {cpu: 1, total_ticks: 63}]) and
	([.per_cpu[].processes[].threads[].modules[].symbols[].offsets[].ticks] | add == 200) and
	([.processes[].threads[].modules[].symbols[] |
	select(.name == "spin_unlock").offsets[].offset] |
	unique == ["0x10"])' out >why
verdict json_cpu_off
! [ -e out.json ] && code 1 "$post" -json -o report.json story.nrm2 &&
	jq -e .total_ticks report.json >why &&
	[ "$(grep -c . out)" -le 1 ]
verdict json_to_file

# ---- CSV
code 1 "$post" -csv story.nrm2 &&
	[ "$(awk -F, 'NR > 1 { n += $(NF - 2) } END { print n }' out)" = 200 ] &&
	has out 'pid,process,tid,thread,module,symbol,ticks,percent,unsure' &&
	has out '4156,java,4156,java,vmlinux,spin_unlock,40,20.0000,0'
verdict csv
code 1 "$post" -csv -cpu -off story.nrm2 &&
	has out '0,4156,java,4156,java,vmlinux,spin_unlock,0x10,40,29.1971,0'
verdict csv_cpu_off

# ---- post.show
code 0 "$post" -show clean.nrm2 && same post.show post_clean.show
verdict show
code 1 "$post" -show -json -o - story.nrm2 && cp out lines &&
	[ "$(jq -c . lines | wc -l)" = 129 ] &&
	[ "$(jq -s 'map(select(.record == "tprof" and .kind != "idle")) | length' lines)" = 115 ] &&
	[ "$(jq -s 'map(select(.late)) | length' lines)" = 7 ]
verdict show_json
jq -s -e '(map(.time) | . == sort) and (map(select(.kind == "fork")) | length == 1 and
	.[0].pid == 78 and .[0].ppid == 77 and .[0].comm == "ev\u001b[31mil\n") and
	(map(select(.path? == "/nowhere/a\tb\\x80")) | length == 1)' lines >why
verdict show_json_fields
[ "$(stat -c %a post.show)" = 600 ]
verdict show_is_private

# ---- no samples: what there is, and by which report it is seen
"$make_script" calls.nrm2 <"$here/post_calls.story"
code 0 "$post" calls.nrm2 && has out 'The trace has no samples, which this report is of' &&
	grep -qE '^ +[0-9]+  syscall +post -syscalls$' out && grep -qE '^ +[0-9]+  dispatch +post -sched, -offcpu$' out &&
	grep -qE '^ +[0-9]+  fault +post -faults$' out && ! grep -q 'interrupt' out &&
	diff <(grep -A9 'The trace has no samples' tprof.out) <(sed -n '/The trace has no samples/,/post -faults/p' out) >why &&
	! grep -q ')) Process' tprof.out
verdict other_records_than_samples
code 0 "$post" none.nrm2 && has out "The trace has no samples" && has out "swtrace enable tprof" &&
	has tprof.out "The trace has no samples"
verdict no_samples
has out "the trace buffer of CPU 1 filled" && has out "swtrace init -s)" &&
	has tprof.out "the trace buffer of CPU 1 filled"
verdict stopped_by_a_full_buffer
code 0 "$post" -json none.nrm2 && jq -e '.total_ticks == 0 and .processes == []' out >why
verdict no_samples_json
finish
