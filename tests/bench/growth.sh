#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What 1, 10 and 100 million samples cost post: beside ten times less it should be ten times more,
# and the memory stay. The files are pitrace's alone, and removed at once.
. "$(dirname "$0")/lib.sh"

trap 'rm -f "$work"/grown.*' EXIT
recording mix
before=
for millions in 1 10 100; do
	room $((millions * 33)) || break
	"$O/tests/bench/repeat" "$work/mix.nrm2" "$work/grown.nrm2" ${millions}000000 >"$work/out" ||
		exit 1
	cost 2 "$O/bin/post" -q -r "$work/grown.nrm2" -o "$work/grown.out"
	printf 'growth: %3s M samples %41s s, %s MB%s\n' $millions "$cpu" "$rss" \
		"${before:+; beside a tenth: $(calc "$cpu / $before") x}"
	before=$cpu
	rm -f "$work"/grown.*
done
