#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Other formats compared with their own readers: calls and times of functions of an XRay log of 12 million records
# with llvm-xray, call stacks of a gperftools profile of 600,000 records with google-pprof.
. "$(dirname "$0")/lib.sh"

trap 'rm -f "$work"/calls.* "$work"/stacks.*' EXIT
room 1000 || exit 0
cat >"$work/calls.cc" <<'END'
#include <cstdlib>
#include "xray/xray_interface.h"
#include "xray/xray_log_interface.h"
#define TRACED [[clang::xray_always_instrument, gnu::noinline]]
TRACED int leaf(int x) { volatile int y = x; for (int i = 0; i < 50; i++) y = y + i; return y; }
TRACED int mid(int x) { return leaf(x) + leaf(x + 1); }
TRACED int deep(int n) { return n ? deep(n - 1) + leaf(n) : mid(n); }
int main(int argc, char **argv)
{
	int n = atoi(argv[1]), sum = 0;
	__xray_log_select_mode("xray-fdr");
	__xray_log_init_mode("xray-fdr", "buffer_size=110000000:buffer_max=2:func_duration_threshold_us=0");
	__xray_patch();
	for (int i = 0; i < n; i++)
		sum += deep(i % 6) + mid(i);
	__xray_unpatch();
	__xray_log_finalize();
	__xray_log_flushLog();
	return sum == 42 && argc > 9;
}
END
# A round has 24 records.
clang++ -O1 -fxray-instrument -o "$work/calls.bin" "$work/calls.cc" -pthread || exit 1
(cd "$work" && rm -f xray-log.* && ./calls.bin 500000 >out 2>&1 && mv xray-log.* calls.xray) || exit 1
cat "$work/calls.xray" >/dev/null
cost 3 "$O/bin/post" -functions -q -r "$work/calls.xray" -o "$work/calls.out"
ours=$cpu memory=$rss
cost 1 llvm-xray account -k "$work/calls.xray"
beside "XRay account of 12 M records" "$ours" s "$cpu" llvm-xray ">= 5"
beside "  peak memory" "$memory" MB "$rss" llvm-xray "<= 100 MB"

preload=$(ldconfig -p | awk '/libprofiler.so.0/ { print $NF; exit }')
LD_PRELOAD=$preload CPUPROFILE=$work/stacks.prof CPUPROFILE_FREQUENCY=1000 "$O/tests/bench/deep" 2 \
	>"$work/out" 2>&1 || exit 1
"$O/tests/bench/many_stacks" "$work/stacks.prof" "$work/stacks.large" 600000 || exit 1
cat "$work/stacks.large" >/dev/null
cost 3 "$O/bin/post" -tprof -q -r "$work/stacks.large" -o "$work/stacks.out"
ours=$cpu memory=$rss
cost 3 "$O/bin/post" -calltree -q -r "$work/stacks.large" -o "$work/stacks.out"
tree=$cpu
cost 1 google-pprof --text --no-auto-signal-frm "$O/tests/bench/deep" "$work/stacks.large"
beside "gperftools, 600,000 records: profile" "$ours" s "$cpu" "google-pprof --text" ">= 100"
beside "  peak memory" "$memory" MB "$rss" google-pprof
cost 1 google-pprof --collapsed --no-auto-signal-frm "$O/tests/bench/deep" "$work/stacks.large"
beside "  call tree" "$tree" s "$cpu" "google-pprof --collapsed"
