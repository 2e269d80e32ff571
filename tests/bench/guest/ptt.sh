# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=dash
# In the guest: ptt.sh: lines "read HOW INSTRUCTIONS" of one read; "switch WHO METRICS INSTRUCTIONS" of
# one switch between two processes, with all that they do; "run PROGRAM RATE VALUE INTERRUPT" of a
# program while timers interrupt it so many times a second.
. /rig/bench/lib.sh
module=/rig/pitrace.ko

# The least of six: the placement of a process makes a small difference. The kernel checks for perf's counters at each
# switch until a second after the last one was closed.
switch() { # WHO METRICS WHAT-PTT_WORK-DOES COMMAND...
	local who=$1 metrics=$2 how=$3 try
	shift 3
	sleep 2
	for try in 1 2 3 4 5 6; do
		"$@" ptt_work switch "$how" "$metrics" || fail switch "$who" "$metrics"
	done >/tmp/costs
	echo "switch $who $metrics $(sort -n /tmp/costs | head -n 1)"
}
rmmod pitrace || fail rmmod
switch absent 0 none
insmod $module || fail insmod
switch loaded 0 none

for how in counter inline ptt1 ptt2 ptt8 clock_gettime getrusage perf perf-page; do
	ptt_work read $how >/tmp/cost || fail read $how
	echo "read $how $(cat /tmp/cost)"
done

events=task-clock,page-faults,context-switches,cpu-migrations,minor-faults,major-faults
events=$events,alignment-faults,emulation-faults
metrics_of_both=tsc,${events#*,}
for metrics in 1 8; do
	ptt run -m "$(echo $metrics_of_both | cut -d , -f "1-$metrics")" -o /dev/null -- sleep 1000 &
	switch others $metrics none
	kill $!
	wait $! 2>/dev/null
	switch ptt $metrics ptt
	switch perf $metrics perf
	switch perf-stat $metrics none perf stat -o /tmp/perf.out \
		-e "$(echo $events | cut -d , -f "1-$metrics")"
done

# Ten runs of each, the i-th one with i - 1 thousand interrupts per second.
echo 0 >/proc/sys/kernel/randomize_va_space
export PYTHONHASHSEED=0
awk 'BEGIN { srand(1); for (i = 0; i < 8000; i++) print rand() * 1e6, "line", i }' >/tmp/lines
program() { # NAME: sets `work`
	case $1 in
	sort) work="sort -n /tmp/lines" ;;
	gzip) work="gzip -c /tmp/lines" ;;
	python) work="python3 -S -c pass" ;;
	esac
}
for name in sort gzip python; do
	program $name
	${work} >/dev/null 2>&1 || continue
	for rate in 0 0 1000 2000 3000 4000 5000 6000 7000 8000 9000; do
		ptt_work timers $rate &
		sleep 0.1
		ptt run --csv -o /tmp/ptt.csv -- $work >/dev/null 2>&1 || fail ptt run $work
		kill $!
		wait $! 2>/dev/null
		# The first one brings its files, and ptt, into memory.
		[ -z "$warm" ] || awk -F , -v n="run $name $rate" '
			NR > 1 { v += $7; i += $8 } END { printf "%s %d %d\n", n, v, i }' /tmp/ptt.csv
		warm=1
	done
	warm=
done
exit 0
