#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What 1, 10 and 100 million samples of the same programs cost post: each further million should cost
# the same, and the memory stay. The files are pitrace's alone, and removed at once.
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
