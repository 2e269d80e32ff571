#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A perf.data of 500,000 samples in each format that post writes; pprof also read back. Beside perf
# script over the same file, which is what converters that read text have to wait for.
. "$(dirname "$0")/lib.sh"

trap 'rm -rf "$work"/formats.*' EXIT
room 1000 || exit 0
recording mix '' tests/bench/mix.sh
"$O/tests/bench/repeat_perf" "$work/mix.data" "$work/formats.data" 500000 >"$work/out" || exit 1
cat "$work/formats.data" >/dev/null
cost 1 "$PERF" script -i "$work/formats.data"
script=$cpu script_memory=$rss
for f in perf.data pprof folded speedscope firefox chrome perfetto ctf; do
	cost 1 sh -c "rm -rf '$work/formats.out' &&
		'$O/bin/post' -q -format $f -r '$work/formats.data' -o '$work/formats.out'"
	beside "500,000 samples as $f" "$cpu" s "$script" "perf script"
	echo "  peak memory $rss MB (perf script $script_memory), $(du -sm "$work/formats.out" | cut -f1) MB written"
	[ $f = pprof ] && mv "$work/formats.out" "$work/formats.pprof"
done
cost 1 "$O/bin/post" -q -r "$work/formats.pprof" -o "$work/formats.profile"
beside "a profile of that pprof" "$cpu" s "$script" "perf script"
echo "  peak memory $rss MB"
