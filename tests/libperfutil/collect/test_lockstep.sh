#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A program that is in ping() for the first half of each cycle and in pong() for the second, at cycles of
# a third, a half, one, 1.37, two and five sampling periods and of the kernel's tick: each half has its
# share, by the collectors perf and timer, and the ticks are as many as the CPU time has periods.
#	LOCKSTEP_TICKS=40000 tests/libperfutil/collect/test_lockstep.sh	measures: each half within a point
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
swtrace=$bin/swtrace post=$bin/post
cd "$work" || exit 1
unset LD_PRELOAD PITRACE_TIMER
few=400
n=${LOCKSTEP_TICKS:-$few}

# Five standard deviations of so many independent ticks: p < 1e-6. With many samples the bound is at most 1.
bound=$(awk -v n="$n" -v few=$few 'BEGIN { b = 250 / sqrt(n); print (n > few && b > 1 ? 1 : b) }')
tick_ns=$((1000000000 / $(getconf CLK_TCK)))
# The tick itself, according to the timer's header: its rate is 1.05 of them.
"$swtrace" run -q -B timer -o rate.nrm2 -- true
timer_rate=$(od -An -tu4 -j168 -N4 rate.nrm2 | xargs)
[ "$timer_rate" -lt 997 ] && tick_ns=$(awk "BEGIN { printf \"%d\", 1e6 * int(1e3 / ($timer_rate * 1.05) + 0.5) }")

# lockstep NAME COLLECTOR RATE CYCLE_NS [OPTION]...
lockstep() {
	local rate=$3
	"$swtrace" run -B "$2" -o "$1.nrm2" "${@:5}" -- "$programs/lockstep" "$4" $((n * 1000 / rate)) >out 2>err
	is "$1_runs" "$? $(sed 's/.*early/early/' out)" "0 early 0"
	"$post" -q -show -json -r "$1.nrm2"
	"$post" -q -o - -r "$1.nrm2" | awk -v bound="$bound" -v told="$(cat out)" '
		/^ \)\) / { on = $2 == "Module_Symbol" }
		on && $1 == "SYM" && $4 == "ping" { a += $2 }
		on && $1 == "SYM" && $4 == "pong" { b += $2 }
		END {
			split(told, t, " ")
			# Where the time was, of what the program itself did: the clock it asks is left out.
			off = a + b ? 100 * a / (a + b) - 100 * t[2] / (t[2] + t[4]) : 100
			printf "ping %d, pong %d: off by %.2f points, at most %.2f\n", a, b, off, bound
			exit !(a + b > 100 && off < bound && -off < bound)
		}' >share
	verdict "$1_even" $? "$(cat share)"
	echo "# $1: $(cat share)"
	# Ticks and the time that they stand for, us.
	sed -n 's/.*"record":"tprof".*"period":\([0-9]*\).*/\1/p' post.show | awk -v told="$(cat out)" -v rate="$rate" '
		{ n++; sum += $1 / 1000 }
		END {
			split(told, t, " ")
			printf "%d ticks for %d us of %d\n", n, sum, t[2] + t[4]
			exit !(sum > 0.93 * (t[2] + t[4]) && sum < 1.07 * (t[2] + t[4]) + 30000)
		}' >sums
	verdict "$1_time" $? "$(cat sums)"
	echo "# $1: $(cat sums), $(sed -n 's/.*\(collector [^)]*\)).*/\1/p' err)"
}

for collector in perf timer; do
	rate=1000
	[ $collector = perf ] || rate=$timer_rate
	for cycle in 0.333333 0.5 1 1.37 2 5; do
		lockstep ${collector}_$cycle $collector $rate \
			"$(awk "BEGIN { printf \"%d\", $cycle * 1e9 / $rate }")" -F $rate
	done
	lockstep ${collector}_tick $collector $rate $tick_ns -F $rate
done
exit $((failures != 0))
