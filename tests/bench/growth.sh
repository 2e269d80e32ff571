#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# post's cost for 1, 10 and 100 million samples of the same programs (each further million should cost the same, and
# the memory stay constant), and other shapes of traces. The files are removed at once.
. "$(dirname "$0")/lib.sh"

trap 'rm -f "$work"/grown.*' EXIT
recording mix '' tests/bench/mix.sh
before='' fewer=''
for millions in 1 10 100; do
	room $((millions * 33)) || break
	"$O/tests/bench/repeat" "$work/mix.nrm2" "$work/grown.nrm2" ${millions}000000 >"$work/out" ||
		exit 1
	cost 2 "$O/bin/post" -q -r "$work/grown.nrm2" -o "$work/grown.out"
	printf '%-44s %8s s, %s MB%s\n' "growth: $millions M samples" "$cpu" "$rss" "${before:+; each \
further million $(calc "1000 * ($cpu - $before) / ($millions - $fewer)") ms}"
	before=$cpu fewer=$millions
	rm -f "$work"/grown.*
done

# Shapes for which some profilers take quadratic time: n, 2n and 4n of each, without rounds, compared with perf report
# on the same file. The exponent is that of time from n to 4n: 1 is linear.
exponent() { # SMALL LARGE
	calc "log(($2 + 0.001) / ($1 + 0.001)) / log(4)"
}
for shape in samples:500000 mappings:50000 overlaps:16000 forks:2000 chain:2000; do
	n=${shape#*:} shape=${shape%:*}
	for times in 1 2 4; do
		perl tests/bench/growth_perf.pl "$shape" $((n * times)) >"$work/grown.data" || exit 1
		cost 1 "$O/bin/post" -q -r "$work/grown.data" -o "$work/grown.out"
		ours=$cpu memory=$rss
		cost 1 "$PERF" report --stdio --no-children -g none --no-inline -i "$work/grown.data"
		[ $times != 1 ] || { ours_small=$ours peer_small=$cpu; }
		printf '%-44s %8s s, %s MB, perf report %s s, %s MB: time x%s, memory x%s%s\n' \
			"growth: $((n * times)) $shape" "$ours" "$memory" "$cpu" "$rss" "$(calc "$cpu / $ours")" \
			"$(calc "$rss / $memory")" "$([ $times != 4 ] || echo "; exponents $(exponent "$ours_small" "$ours"), $(exponent "$peer_small" "$cpu")")"
		rm -f "$work"/grown.*
	done
done

# The memory of exports: formats that have each thread's samples together.
for format in speedscope firefox; do
	for millions in 1 2 4; do
		"$O/tests/programs/gen_trace" --samples=${millions}000000 --stacks=1 --depth=8 "$work/grown.nrm2" >"$work/out" || exit 1
		cost 1 "$O/bin/post" -q --format $format -r "$work/grown.nrm2" -o "$work/grown.out"
		printf '%-44s %8s s, %s MB\n' "growth: $millions M samples as $format" "$cpu" "$rss"
		rm -f "$work"/grown.*
	done
done
