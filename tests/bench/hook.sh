#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of a program's own record (ns, two integers, the median of many short runs) compared with LTTng-UST, USDT
# and trace_marker, with 1 and 8 threads: in bursts of 5,000 records every 20 ms, and at full speed; and the losses.
# BENCH_RECORDS: per thread.
. tests/bench/lib.sh
n=${BENCH_RECORDS:-100000}
folder=$work/hook
rm -rf "$folder"
mkdir -p "$folder"
program=$folder/marks
gcc -O2 -Idriver/uapi -Ilibperfutil/include -Itests/bench/hook -o "$program" tests/bench/hook/marks.c \
	"$O/lib/libperfutil.a" -lzstd -lpthread -llttng-ust -ldl || {
	echo "bench: hook: no LTTng-UST or sys/sdt.h here (scripts/deps bench)" >&2
	exit 1
}
# ours WHAT THREADS [BURST]: sets ns, mean and lost
ours() {
	w=$1 t=$2 burst=${3:-}
	# shellcheck disable=SC2086 # no burst is not an argument
	"$O/bin/swtrace" run -B perf -M user -o "$folder/t.nrm2" -- "$program" "$w" "$t" "$n" $burst \
		>"$folder/out" 2>"$folder/err" || { cat "$folder/err" >&2; exit 1; }
	read -r ns mean lost <"$folder/out"
	grep -q 'none lost' "$folder/err" || lost=$(sed -n 's/.*, \([0-9]*\) lost.*/\1/p' "$folder/err")
}
lttng_on() {
	export LTTNG_HOME="$folder"
	[ -e "$folder/pid" ] || lttng-sessiond --daemonize --no-kernel --pidfile "$folder/pid" >/dev/null 2>&1
	{ lttng create bench --output="$folder/lttng" && lttng enable-event -u 'pitrace_bench:*' &&
		lttng start; } >/dev/null 2>&1
}
idle=$("$program" hook 1 "$n")
usdt=$("$program" usdt 1 "$n")
idle_lttng=$("$program" lttng 1 "$n")
beside "guard, no session" "${idle%% *}" ns "${idle_lttng%% *}" LTTng-UST "1 ns"
beside "guard, no session" "${idle%% *}" ns "${usdt%% *}" "a USDT nop"
# lttng_peer THREADS [BURST]: sets peer, peer_mean and dropped
lttng_peer() {
	lttng_on
	# shellcheck disable=SC2086 # no burst is not an argument
	"$program" lttng "$1" "$n" ${2:-} >"$folder/out" || exit 1
	read -r peer peer_mean dropped <"$folder/out"
	lttng stop >"$folder/stop" 2>&1
	dropped=$(lttng list bench 2>/dev/null | sed -n 's/.*Discarded events: *\([0-9]*\).*/\1/p' | head -1)
	lttng destroy bench >/dev/null 2>&1
	# Some releases do not print the number.
	[ ${#dropped} -lt 12 ] || dropped=unknown
}
# both NAME GOAL THREADS [BURST]
both() {
	name=$1 goal=$2
	shift 2
	ours hook "$@"
	one=$ns one_mean=$mean lost_one=$lost
	ours event "$@"
	event=$ns
	ours pair "$@"
	pair=$ns
	lttng_peer "$@"
	beside "a record, $name" "$one" ns "$peer" LTTng-UST "$goal"
	beside "  in the mean" "$one_mean" ns "$peer_mean" LTTng-UST
	echo "  lost: $lost_one of $((n * $1)); LTTng-UST: ${dropped:-unknown}"
	beside "a named event, $name" "$event" ns "$one" TraceHook "0.67"
	beside "begin and end, $name" "$pair" ns "$(calc "2 * $peer")" LTTng-UST
}
for threads in 1 8; do
	both "$threads threads, in bursts" half $threads $((5000 / threads))
	both "$threads threads" half $threads
	marker=$("$program" marker $threads "$((n / 10))") && beside "a record, $threads threads" "$one" ns "${marker%% *}" trace_marker
done
[ ! -e "$folder/pid" ] || kill "$(cat "$folder/pid")"
exit 0
