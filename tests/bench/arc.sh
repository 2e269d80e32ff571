#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# post -arc beside perf script: lines a second, of a large instruction trace and of as many samples as
# perf script can be waited for; and whether memory stays as the trace grows. The trace is of `ls | sort`
# by ptrace (any machine can), repeated (repeat_runs.c).
. "$(dirname "$0")/lib.sh"

trap 'rm -f "$work"/runs.*' EXIT
million=${ARC_MILLIONS:-50}
room $((million * 45)) || exit 0
[ -e "$work/arc.nrm2" ] || "$O/bin/swtrace" run -q --itrace -B ptrace -o "$work/arc.nrm2" -- \
	sh -c 'ls / | sort' >"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
recording mix '' tests/bench/mix.sh

"$O/tests/bench/repeat_perf" "$work/mix.data" "$work/runs.data" 1000000 >"$work/out" || exit 1
cost 3 "$PERF" script -i "$work/runs.data" -F comm,pid,tid,time,ip,sym,symoff,dso
peer=$(calc "1000000 / $cpu")
"$O/tests/bench/repeat_runs" "$work/arc.nrm2" "$work/runs.nrm2" $((million / 10))000000 >"$work/out" ||
	exit 1
cost 3 "$O/bin/post" -arc -q -r "$work/runs.nrm2" -o /dev/null
small=$rss
"$O/tests/bench/repeat_runs" "$work/arc.nrm2" "$work/runs.nrm2" ${million}000000 >"$work/out" || exit 1
cost 2 "$O/bin/post" -arc -q -r "$work/runs.nrm2" -o /dev/null
beside "arc: lines of $million M runs" "$(calc "$million * 1000000 / $cpu")" lines/s "$peer" "perf script" \
	">= 10"
printf '%-44s %8s MB, of a tenth of them %s MB\n' "  peak memory" "$rss" "$small"
cost 2 "$O/bin/post" -tree -q -r "$work/runs.nrm2" -o /dev/null
printf '%-44s %8s s, %s MB\n' "  the tree of their calls" "$cpu" "$rss"
