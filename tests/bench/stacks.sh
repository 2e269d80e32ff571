#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# post's call tree beside perf report's, of one run recorded with call stacks by frame pointers: a
# program some twenty calls deep (deep.c), eight times.
. "$(dirname "$0")/lib.sh"

samples=${1:-10000000}
trap 'rm -f "$work"/large.*' EXIT
room 4000 || exit 0
recording stacks -g sh -c "for i in 1 2 3 4 5 6 7 8; do $O/tests/bench/deep 2; done"
"$O/tests/bench/repeat" "$work/stacks.nrm2" "$work/large.nrm2" "$samples" >"$work/out" || exit 1
"$O/tests/bench/repeat_perf" "$work/stacks.data" "$work/large.data" "$samples" >"$work/out" || exit 1
cat "$work"/large.* >/dev/null
size=$(stat -c %s "$work/large.nrm2")

cost 2 "$O/bin/post" -q -calltree -r "$work/large.nrm2" -o "$work/large.out"
ours=$cpu memory=$rss
cost 1 "$PERF" report -i "$work/large.data" --stdio --no-children -g caller --no-inline
beside "call tree of $((samples / 1000000)) M samples, $(((size / samples - 48) / 8)) calls each" "$ours" s \
	"$cpu" "perf report -g"
beside "  peak memory" "$memory" MB "$rss" "perf report -g"
