#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A trace's header, the record of its interval and `swtrace info` say what the collector keeps of what was
# asked for: rate, dither, seed, buffers. The driver's: suite_sampling.sh.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export PITRACE_SOCKET=$work/socket
swtrace=$bin/swtrace

# header FILE: rate and dither, as pitrace-file(5) places them
header() {
	od -An -tu4 -j168 -N8 "$1" | xargs
}
# interval FILE: those of the first record of an interval, and its seed
interval() {
	"$bin/post" -q -show -o - -r "$1" |
		sed -n 's/.* rate=\([0-9]*\) dither=\([0-9]*\) seed=\([^ ]*\).*/\1 \2 \3/p' | head -n 1
}
# made NAME RATE DITHER SEED OPTION...: a trace by these options has them, its interval too
made() {
	local rate
	"$swtrace" run -q -o "$1.nrm2" "${@:5}" -- true >out 2>&1
	verdict "$1_runs" $?
	rate=$2
	# The slowest of rates is the kernel's tick's: what the interval says.
	[ "$rate" != tick ] || rate=$(interval "$1.nrm2" | cut -d' ' -f1)
	is "$1_header" "$(header "$1.nrm2")" "$rate $3"
	is "$1_interval" "$(interval "$1.nrm2")" "$rate $3 $4"
}
made perf 997 50 0x0 -B perf
made perf_rate 499 50 0x0 -B perf -F 499
made perf_equal 499 0 0x0 -B perf -F 499 --no-dither
made perf_by_count 0 0 0x0 -B perf -e page-faults -c 10
made perf_by_time 200 50 0x0 -B perf -e cpu-clock -F 200
made timer tick 1000 0x0 -B timer
made timer_slow 50 1000 0x0 -B timer -F 50
made timer_equal 50 0 0x0 -B timer -F 50 --no-dither
made ptrace 0 0 0x0 -B ptrace --itrace
calc "$(header timer.nrm2 | cut -d' ' -f1) < 997"		# 1.05 ms at the least
verdict timer_is_no_faster_than_the_tick $? "$(header timer.nrm2)"

# Buffers are reported by owner.
system() { # FILE: what the system's section says of buffers
	"$bin/post" -info -json -o - "$1" | jq -r '.. | strings' | grep -E '^(trace buffer|mte buffer|section size)' | xargs
}
is perf_buffers "$(system perf.nrm2)" 'trace buffer: 4194304 mte buffer: 2097152 section size: 65536'
is timer_buffers "$(system timer.nrm2)" 'section size: 65536'
is ptrace_buffers "$(system ptrace.nrm2)" 'section size: 65536'

# The session's own words.
"$swtrace" init -B perf -p $$ -t cont -f info.nrm2 >out 2>&1
verdict init $?
"$swtrace" setrate 250 && "$swtrace" info >out
is info_rate "$(sed -n 's/^rate: *//p' out)" '250 ticks a second, dithered by 5.0 %'
"$swtrace" setrate 125 && "$swtrace" info >out
is info_rate_set "$(sed -n 's/^rate: *//p' out)" '125 ticks a second, dithered by 5.0 %'
"$swtrace" event -c 50 page-faults >out && "$swtrace" info >out
is info_by_count "$(sed -n 's/^rate: *//p' out)" none
"$swtrace" on && "$swtrace" off
is info_trace "$(header info.nrm2)" '0 0'
"$swtrace" free >out 2>&1
exit $((failures != 0))
