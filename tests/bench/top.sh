#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of a live view while a program computes, at a thousand ticks per second of its CPU time, and for the whole
# system: CPU time of the view, drawn on a terminal, from six seconds after its start on.
. "$(dirname "$0")/lib.sh"

seconds=${1:-20}
awk 'BEGIN { while (1) i++ }' &
busy=$!
trap 'kill $busy' EXIT

# In clock ticks
used() { # PID
	awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"
}
# view NAME COMMAND...: percent of a CPU, and of the program's CPU time; MB at most
view() {
	rm -f "$work/top.pid"
	TERM=xterm script -qfc "echo \$\$ >$work/top.pid; exec ${*:2}" /dev/null >/dev/null 2>&1 < <(sleep 600) &
	local terminal=$! pid ours theirs from
	sleep 6
	pid=$(cat "$work/top.pid")
	ours=$(used "$pid") theirs=$(used $busy) from=$(date +%s.%N)
	sleep "$seconds"
	ours=$(($(used "$pid") - ours)) theirs=$(($(used $busy) - theirs))
	memory=$(awk '/VmHWM/ { printf "%.0f", $2 / 1024 }' "/proc/$pid/status")
	printf '%-28s %6s %% of a CPU, %6s %% of what the program took, %s MB\n' "$1" \
		"$(calc "$ours / ($(date +%s.%N) - $from)")" "$(calc "100 * $ours / $theirs")" "$memory"
	kill "$pid" $terminal 2>/dev/null
	wait $terminal 2>/dev/null
}
top=("$O/bin/swtrace" top -F 1000 -p "$busy")
view "swtrace top (goal 1 %)" "${top[@]}"
view "swtrace top --no-stacks" "${top[@]}" --no-stacks
view "swtrace top --off-cpu" "${top[@]}" --off-cpu
view "swtrace top -a" "$O/bin/swtrace" top -F 1000
view "perf top" perf top -e cpu-clock -F 1000 -p $busy
view "perf top -g" perf top -e cpu-clock -F 1000 -g -p $busy
view "perf top -a" perf top -e cpu-clock -F 1000
