#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of PTT in instructions: a read compared with the kernel's own clocks and perf; the cost added to a switch
# between two processes that send each other a byte, compared with perf's counters of both; the spread of ten runs of
# a program, with interrupts and without them. In one guest with one CPU.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/guest.sh"

# Python needs no more than this to start.
python=$(/usr/bin/python3 -c 'import os; print(os.path.dirname(os.__file__))' 2>/dev/null)
[ -z "$python" ] || more+=(--prog python3 --add "$python/encodings:$python/encodings"
	--add "$python/os.py:$python/os.py")
more+=(--add "$O/tests/bench/guest/ptt_work:/usr/local/bin/ptt_work")
BENCH_NO_LTTNG=1 in_guest ptt

printf '%-44s %8s instructions\n' "the counter alone (floor)" "$(value read counter)"
for how in "inline:one metric, read in place" "ptt1:one metric"; do
	for peer in "clock_gettime:clock_gettime(THREAD_CPUTIME)" "getrusage:getrusage(THREAD)" \
		"perf:read() of a perf fd" "perf-page:perf's page"; do
		goal=
		case $how$peer in ptt1*clock_gettime:*) goal="21 instructions, 30 x" ;; esac
		theirs=$(value read "${peer%%:*}")
		[ "$theirs" = none ] || compare "a read: ${how#*:}" "$(value read "${how%%:*}")" instructions \
			"$theirs" "${peer#*:}" "$goal"
	done
done
for n in 2 8; do
	compare "a read: $n metrics, software events" "$(value read ptt$n)" instructions \
		"$(calc "$n * $(value read perf)")" "$n reads of perf fds"
done

base=$(value switch absent 0)
added() { # WHO METRICS
	calc "$(value switch "$1" "$2") - $base"
}
printf '%-44s %8s instructions\n' "a switch, with all that the two do" "$base"
printf '%-44s %8s instructions (goal 0)\n' "  ... added: module loaded" "$(added loaded 0)"
printf '%-44s %8s instructions (goal 40)\n' "  ... a ptt that watches others" "$(added others 1)"
printf '%-44s %8s instructions\n' "  ... the same with 8 metrics" "$(added others 8)"
for n in 1 8; do
	beside "  ... both watched, $n metrics" "$(added ptt $n)" instructions "$(added perf $n)" \
		"perf, counters of each" ""
	beside "  ... both watched, $n metrics" "$(added ptt $n)" instructions "$(added perf-stat $n)" \
		"perf stat, both in one" ""
	echo "  (slower by $(calc "100 * $(added ptt $n) / $base") %; perf: $(calc \
		"100 * $(added perf $n) / $base") %)"
done

# spread PROGRAM: (most - least) / middle of ten runs, in %: without interrupts, with them
awk '$1 == "run" {
		n[$2]++; v = $4; t = $4 + $5
		if (n[$2] == 1 || v < lv[$2]) lv[$2] = v
		if (n[$2] == 1 || v > mv[$2]) mv[$2] = v
		if (n[$2] == 1 || t < lt[$2]) lt[$2] = t
		if (n[$2] == 1 || t > mt[$2]) mt[$2] = t
	}
	END {
		for (p in n)
			printf "%-44s %8.3f %%, with interrupts %.3f %%: x%.1f (%d runs, %.1f million)\n",
				"spread of runs: " p, 100 * (mv[p] - lv[p]) / lv[p],
				100 * (mt[p] - lt[p]) / lt[p], (mt[p] - lt[p]) / (mv[p] - lv[p]), n[p],
				lv[p] / 1e6
	}' "$values" | sort
