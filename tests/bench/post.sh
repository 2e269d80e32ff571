#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# post's profile of 10 million samples beside perf report's, and beside xxhsum over the same file,
# which is the least that reading it can cost. Both programs read a recording of the same run,
# repeated in the same way (repeat.h).
. "$(dirname "$0")/lib.sh"

trap 'rm -f "$work"/large.*' EXIT
room 800 || exit 0
recording mix '' tests/bench/mix.sh
"$O/tests/bench/repeat" "$work/mix.nrm2" "$work/large.nrm2" 10000000 >"$work/out" || exit 1
"$O/tests/bench/repeat_perf" "$work/mix.data" "$work/large.data" 10000000 >"$work/out" || exit 1
cat "$work"/large.* >/dev/null

cost 3 "$O/bin/post" -q -r "$work/large.nrm2" -o "$work/large.out"
ours=$cpu memory=$rss
cost 5 xxhsum "$work/large.nrm2"
hashed=$cpu
cost 1 "$PERF" report -i "$work/large.data" --stdio --no-children -g none --no-inline
beside "profile of 10 M samples" "$ours" s "$cpu" "perf report" ">= 10"
beside "  peak memory" "$memory" MB "$rss" "perf report" "<= 256 MB"
beside "  beside hashing the file" "$ours" s "$hashed" xxhsum ">= 0.25"

# The same of perf's own file, which is larger a sample and is put in the order of time; of 3 million
# samples, so what is done once a symbol counts for more.
"$O/tests/bench/repeat_perf" "$work/mix.data" "$work/large.data" 3000000 >"$work/out" || exit 1
cat "$work/large.data" >/dev/null
cost 3 "$O/bin/post" -q -r "$work/large.data" -o "$work/large.out"
ours=$cpu memory=$rss
cost 1 "$PERF" report -i "$work/large.data" --stdio --no-children -g none --no-inline
beside "perf.data, 3 M samples: profile" "$ours" s "$cpu" "perf report" ">= 10"
beside "  peak memory" "$memory" MB "$rss" "perf report"
cost 3 "$O/bin/post" -stats -r "$work/large.data"
ours=$cpu memory=$rss
cost 1 "$PERF" report -i "$work/large.data" --stats
beside "  --stats" "$ours" s "$cpu" "perf report"
cost 1 "$O/bin/post" -q -show -json -r "$work/large.data" -o /dev/null
ours=$cpu
cost 1 "$PERF" script -i "$work/large.data"
beside "  JSON lines" "$ours" s "$cpu" "perf script" ">= 5"
