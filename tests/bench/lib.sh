# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Shared by the benches. Times are CPU seconds of the whole process tree (the machine may be busy), the least of
# several runs; a file is read once before, so that it is in memory for all.

O=${O:-build}
work=$O/bench
mkdir -p "$work"

# The perf that reads what the system's own has recorded: sid's, the newest that Debian has, or as
# BENCH_PERF says: backports, system.
case ${BENCH_PERF:-sid} in
system) PERF=perf ;;
backports) PERF=$(scripts/vm/perf) || exit 1 ;;
*) PERF=$(scripts/vm/perf sid) || exit 1 ;;
esac

# machine: on what these figures were taken
machine() {
	echo "on: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(nproc) CPUs," \
		"Linux $(uname -r); recorded by $(perf --version), read by $("$PERF" --version)," \
		"$(xxhsum --version 2>&1 | head -1)"
}

# cost RUNS COMMAND...: sets cpu and wall (least seconds of a run) and rss (peak, MB); what the
# command says is in $work/out. A failure ends the bench.
cost() {
	costs=$("$O/tests/bench/cost" "$work/out" "$@") || exit 1
	set -- $costs
	[ $# = 3 ] || { echo "bench: a command failed: see $work/out" >&2; exit 1; }
	cpu=$1 wall=$2 rss=$3
}

# calc EXPRESSION: awk's arithmetic, about three places
calc() {
	awk "BEGIN { v = $1; printf v < 10 ? \"%.2f\" : v < 100 ? \"%.1f\" : \"%.0f\", v }"
}

# beside WHAT OURS UNIT PEER PEER'S-NAME GOAL: one line; more is better when the unit ends in /s
beside() {
	case $3 in
	*/s) ratio=$(calc "$2 / $4") ;;
	*) ratio=$(calc "$4 / $2") ;;
	esac
	printf '%-44s %8s %s, %s %s: %s x%s\n' "$1" "$2" "$3" "$5" "$4" "$ratio" "${6:+ (goal $6)}"
}

# recording NAME OPTION COMMAND...: a command recorded by both at the same time, once, with an option
# of both: $work/NAME.nrm2 and $work/NAME.data
recording() {
	name=$1 option=$2
	shift 2
	[ -e "$work/$name.data" ] && [ -e "$work/$name.nrm2" ] && return
	rm -f "$work/$name.nrm2" "$work/$name.data"
	perf record -q -e cpu-clock -F 9973 $option -o "$work/$name.part" -- \
		"$O/bin/swtrace" run -q -B perf -F 9973 $option -o "$work/$name.nrm2" -- "$@" \
		>"$work/out" 2>&1 || { cat "$work/out" >&2; exit 1; }
	mv "$work/$name.part" "$work/$name.data"
}

# room FOR-MB: is there so much on the disk, and as much again?
room() {
	[ "$(df -Pm "$work" | awk 'NR == 2 { print $4 }')" -gt $(($1 * 2)) ] && return
	echo "bench: $work needs $1 MB and as much again: left out"
	return 1
}
