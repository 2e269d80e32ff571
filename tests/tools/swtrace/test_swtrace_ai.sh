#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# swtrace ai by /proc: books and shares of each line, what a busy CPU and a known number of dispatches
# look like, the forms, files and ends.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
spinner=
trap '[ -z "$spinner" ] || kill "$spinner" 2>/dev/null; rm -rf "$work"' EXIT

ai() { # CODE NAME [ARGUMENT]...
	"$bin/swtrace" ai "${@:3}" >out 2>err
	is "$2" $? "$1"
}
json() { # FILTER
	jq -c "$1" out
}

# ---- words
ai 125 too_short 0.001
says too_short_words err "interval: invalid duration '0.001': expected 10ms to "
ai 125 samples_and_time 1 2 -r 3
says samples_and_time_words err '^usage: swtrace ai'
ai 125 no_collector -B perf
says no_collector_words err "unknown collector 'perf'"
if [ ! -e /dev/pitrace ]; then
	ai 125 no_driver -B driver
	says no_driver_words err 'needs the pitrace module'
fi
ai 125 no_file -B proc -s -r 0.05 -l /no/such/folder
says no_file_words err '/no/such/folder'

# ---- a CPU that one program has for itself and others want, too
cpu=$(taskset -cp $$ | sed 's/.*[: ,-]//')
taskset -c "$cpu" sh -c 'while :; do :; done' &
spinner=$!
ai 0 json -B proc --json 0.2 4
kill "$spinner"
wait "$spinner" 2>/dev/null
spinner=
is samples "$(json '.samples | length')" 4
is collector "$(json '[.collector, .exact]')" '["proc",false]'
is books "$(json '[(.samples[], .summary) | (.cpus[], .all) | .idle_ns + .busy_ns + .interrupt_ns == .current_ns] | unique')" \
	'[true]'
is shares "$(json '[(.samples[], .summary) | (.cpus[], .all) | (.idle_percent * 100 | round) +
	(.busy_percent * 100 | round) + (.interrupt_percent * 100 | round)] | unique')" '[10000]'
is sum_of_cpus "$(json '[.samples[], .summary] | map((.cpus | map(.busy_ns) | add) == .all.busy_ns) | unique')" '[true]'
is sum_of_samples "$(json '[.samples[].all.idle_ns] | add')" "$(json .summary.all.idle_ns)"
idle=$(json ".summary.cpus[] | select(.cpu == $cpu) | .idle_percent")
calc "$idle < 5"
verdict busy_cpu $? "CPU $cpu was busy and seems $idle % idle"
is interrupts "$(json '.summary.all.interrupts > 0')" true
# Its CPU may be another's between a look at the clock and the reading: once of five times it is not.
goes_by() {
	json '[.samples[] | .elapsed_ns as $e | .cpus[] | select(.online) |
		.current_ns > $e - 20000000 and .current_ns < $e + 20000000] | unique'
}
for _ in 1 2 3 4 5; do
	[ "$(goes_by)" != '[true]' ] || break
	"$bin/swtrace" ai -B proc --json 0.2 4 >out 2>err
done
is time_goes_by "$(goes_by)" '[true]'

# ---- dispatches: of two processes that wake one another on one CPU, twice a turn
if [ "$(json '.summary.all.dispatches == null')" = false ]; then
	turns=5000
	"$bin/swtrace" ai -B proc --json -sp >out 2>err &
	watcher=$!
	sleep 0.3
	taskset -c "$cpu" perl -e 'pipe A, B; pipe C, D; my $n = shift; my $x;
		if (!fork) { for (1 .. $n) { sysread A, $x, 1; syswrite D, "x" } exit }
		for (1 .. $n) { syswrite B, "x"; sysread C, $x, 1 } wait' $turns
	kill -INT $watcher
	wait $watcher
	is interrupted $? 0
	have=$(json ".summary.cpus[] | select(.cpu == $cpu) | .dispatches")
	calc "$have >= 2 * $turns"
	verdict dispatches $? "$have of $turns turns"
	is no_samples "$(json '.samples | length')" 0
else
	# If they cannot be counted, they are not made up.
	says dispatches_unknown out 'dispatches are unknown'
fi

# ---- text: each line adds up; the file has the same; times of day
ai 0 words -B proc 0.1 2 -t -l file
says words_note out '^by proc: '
is words_file "$(cat file)" "$(cat out)"
awk '/^[0-9][0-9]:/ || /^ +([0-9]+|all) +[0-9]/ { n = $1 ~ /:/ ? 2 : 1; rows++
	if (sprintf("%.2f", $(n + 1) + $(n + 2) + $(n + 3)) != "100.00") bad = 1 }
	END { exit bad || rows < 3 }' out
verdict words_shares $?
says words_summary out '^all in all:$'
says words_time out '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9]\.[0-9]\{3\}  \+0 '
ai 0 again -B proc -s -r 0.1 -l file
is summary_alone "$(grep -cE '^ +([0-9]+|all) ' out)" 1
[ -e file.old ]
verdict old_file $?
ai 0 csv -B proc --csv 0.1 2
is csv_lines "$(grep -c , out)" $((1 + 2 * ($(getconf _NPROCESSORS_ONLN) + 1)))
is csv_books "$(awk -F, 'NR > 1 && $8 + $9 + $10 != $7' out)" ''

# ---- who comes late takes all samples nevertheless
"$bin/swtrace" ai -B proc --csv 0.05 4 >out 2>err &
watcher=$!
for _ in $(seq 100); do
	[ "$(grep -c , out)" -lt 2 ] || break
	sleep 0.01
done
kill -STOP $watcher
sleep 0.5
kill -CONT $watcher
wait $watcher
is late $? 0
is late_samples "$(grep -c ,all, out)" 4

# ---- Ctrl-C tells what was seen; each sample stands there at once
"$bin/swtrace" ai -B proc 0.1 >out 2>err &
watcher=$!
for _ in $(seq 100); do
	[ "$(grep -cE '^ +0 ' out)" -lt 2 ] || break
	sleep 0.1
done
seen=$(grep -cE '^ +0 ' out)
kill -INT $watcher
wait $watcher
is ended $? 0
[ "$seen" -ge 2 ]
verdict at_once $?
says ended_summary out '^all in all:$'
"$bin/swtrace" ai -B proc 0.05 2>err | head -n 1 >/dev/null
is nobody_reads "${PIPESTATUS[0]}" 125
says nobody_reads_words err 'standard output cannot be written'
exit $((failures != 0))
