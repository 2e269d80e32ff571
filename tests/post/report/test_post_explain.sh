#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post -explain: the answer for each sample is the one that the profile counts; each span has its time
# and the record or file that told it; what cannot be explained is refused in words.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

"$make_trace" times times.nrm2 || exit 1

# ---- every sample, explained one by one: as many of each module as the profile has
"$post" -show -json -o - times.nrm2 >show
jq -r 'select(.record == "tprof" and .kind == "user") | "\(.pid):\(.address):\(.time)"' show |
	sed -E 's/(.{9})$/.\1/' >samples
code 0 "$post" -csv -o - times.nrm2 &&
	awk -F, 'NR > 1 && $1 != "0" { n[$5] += $7 } END { for (m in n) print m, n[m] }' out | sort >profile
while read -r sample; do
	"$post" -explain "$sample" -json times.nrm2 || echo "{}"
done <samples >answers
jq -r .explained.module answers | sort | uniq -c | awk '{ print $2, $1 }' | sort | diff profile - >why &&
	[ "$(wc -l <profile)" -ge 5 ]
verdict as_the_profile
# The deciding span is present once, includes that time, and has the module's name.
jq -e '.explained | .time as $t | .module as $m | [.spans[] | select(.decides)] |
	if $m == "NoModule" then all(.what == "unmapped")
	else length == 1 and .[0].name == $m and .[0].from <= $t and (.[0].until == null or .[0].until > $t)
	end' answers | sort | uniq -c >why
[ "$(awk '{ print $2 }' why)" = true ]
verdict what_decides
# Spans of one image follow each other without a gap.
jq -e '[.explained.spans[] | select(.what == "mapped" or .what == "unmapped")] as $s |
	[range(1; $s | length) | $s[.].from == $s[. - 1].until] | all' answers | sort | uniq -c >why
[ "$(awk '{ print $2 }' why)" = true ]
verdict no_gap
# The record of every span is in -show with that stamp, and mentions that address.
jq -r '.explained.spans[].source | "\(.record) \(.pid) \(.stamp)"' answers | sort -u >told
jq -r 'select(.stamp) | "\(.kind) \(.pid) \(.stamp)"' show | sort -u >there
[ "$(wc -l <told)" -gt 20 ] && comm -23 told there >why && [ ! -s why ]
verdict sources_are_there

# ---- in words
sample=$(grep '^51:' samples | tail -n 1)
code 0 "$post" -explain "$sample" -q times.nrm2 && has out 'process is forked: sharer' &&
	has out 'Why             this was mapped there' && grep -q '^\* .*  mapped: /nowhere/shared, ' out &&
	grep -q '^ *by record mte module, pid 51, cpu ' out
verdict words
code 0 "$post" -explain "$sample" -csv times.nrm2 && [ "$(grep -c ',1,module,' out)" = 1 ] &&
	grep -q '^from_ns,until_ns,what,name,' out
verdict csv
code 0 "$post" -explain "$sample" -o file times.nrm2 && has file /nowhere/shared
verdict to_a_file

# ---- what cannot be
time=${sample##*:}
for wrong in 1 1:2 1:2: :2:3 1:0xg:3 1:2:3x 1:2:-3 -1:2:3 1:2:3.0000000001 1:2:3: 1:10000000000000000f:3; do
	code 2 "$post" -explain "$wrong" times.nrm2 && has err "expected PID:ADDRESS:TIME"
	verdict "refused_$wrong"
done
code 2 "$post" -explain "4711:1000:$time" times.nrm2 && has err 'the trace has no process 4711'
verdict no_process
code 2 "$post" -explain "50:1000:1.5" times.nrm2 && has err 'the trace is from' && has err '1.500000000 is not in it'
verdict other_time
for other in -sched -show "-annotate x" -line -cpu -calltree; do
	# shellcheck disable=SC2086
	code 2 "$post" -explain "$sample" $other times.nrm2 && has err ' cannot be combined with'
	verdict "contradiction${other%% *}"
done
finish
