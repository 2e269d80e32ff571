#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The cost of the collector `timer` for a program that computes, compared with gperftools' profiler, both at 1 kHz of
# CPU time: the same work without either and with each, in turn. The program prints the CPU time of its work; the
# least of each counts.
. "$(dirname "$0")/lib.sh"

work_of="$O/tests/sampled fixed ${1:-3000}"
peer=$(ldconfig -p | sed -n 's/.*libprofiler\.so\.0 .*=> //p' | head -1)
[ -n "$peer" ] || { echo "bench: no libprofiler.so.0 (libgoogle-perftools4): left out"; exit 0; }
trap 'rm -f "$work"/timer.*' EXIT
for turn in 1 2 3 4 5 6 7; do
	$work_of >>"$work/timer.without"
	"$O/bin/swtrace" run -q -B timer -F 1000 -o "$work/timer.nrm2" -- $work_of \
		>>"$work/timer.ours" || exit 1
	LD_PRELOAD=$peer CPUPROFILE=$work/timer.prof CPUPROFILE_FREQUENCY=1000 $work_of \
		>>"$work/timer.peer" 2>"$work/out" || exit 1
	rm -f "$work/timer.nrm2"
done
# more_than PROGRAM: CPU time beyond that without, per cent, a hundredth at the least
more_than() {
	for which in without "$1"; do sort -n "$work/timer.$which" | head -1; done | awk '
		NR == 1 { least = $1 } NR == 2 { v = 100 * ($1 / least - 1); printf "%.2f", v < 0.01 ? 0.01 : v }'
}
beside "CPU time added by timer at 1 kHz" "$(more_than ours)" % "$(more_than peer)" "gperftools"
