#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_books.sh KERNEL ARCH SECONDS icount|smp: a whole machine with all its dispatches, wake-ups,
# interrupts, system calls and page faults. What a CPU did adds up to time; what begins ends or is
# counted as lost; what a program did is there to the last one. And so with buffers that are too
# small. With two CPUs and no instruction counter what depends on one CPU or on its time is left out.
. "$(dirname "$0")/suite.sh"
seconds=$1 leg=$2
options=(--icount) cpus=1
[ "$leg" = icount ] || options=(--smp 2) cpus=2
suite=books_$leg

booted guest "${options[@]}" --get '/tmp/*.nrm2' --get '/tmp/*.txt' -- \
	tests/vm/guest/books.sh "$seconds" || exit 1
for t in books room tight flood; do
	records "$out/$t.nrm2" || exit 1
	$judge dispatches "$out/$t.nrm2.show" "$out/$t.txt" >"$out/$t.dispatches" || exit 1
	for what in interrupts syscalls; do
		$judge $what "$out/$t.nrm2.show" >"$out/$t.$what" || exit 1
	done
	$judge truth "$out/$t.nrm2.show" "$out/$t.txt" >"$out/$t.truth" || exit 1
	[ $t = tight ] || sed "s/^/# $t: /" "$out/$t".{dispatches,interrupts,syscalls,truth}
done

# all NAME FILE CONDITION: of each line's fields by their names, at least one line
all() {
	awk -v n="$1" '{
		split("", f)
		for (i = 1; i < NF; i += 2) f[$i] = $(i + 1)
		if (!('"$3"')) bad = bad " [" $0 "]"
	} END { exit bad != "" || !NR }' "$2"
	verdict "$1" $? "$(tr '\n' ' ' <"$2")"
}

# Nothing was lost: all balances exactly.
# Dispatches and interrupts add up to the time from on to off, but for what lay between the reads of
# the two clocks.
all dispatches_add_up "$out/books.dispatches" \
	'f["breaks"] == 0 && f["lost"] == 0 && f["dispatches"] > 100 && f["interrupts"] > 0 &&
	 (f["sum"] - f["wall"]) ^ 2 < (1e-5 * f["wall"] + f["apart"]) ^ 2 && f["wall"] > '"$seconds"'e9'
equal every_cpu "$(wc -l <"$out/books.dispatches")" "$cpus"
all interrupts_nest "$out/books.interrupts" \
	'f["wrong"] == 0 && f["lost"] == 0 && f["within"] == 0 && f["open"] <= 1 && f["entries"] > 100'
all calls_end "$out/books.syscalls" \
	'f["wrong"] == 0 && f["lost"] == 0 && f["entries"] == f["exits"] + f["ended"] + f["open"] &&
	 f["open"] <= 20 && f["entries"] > 3000'
truth=$out/books.truth
equal calls_exact "$(grep ^calls "$truth")" 'calls 3000 entries 3000 exits 3000'
equal signals_exact "$(grep ^signals "$truth")" 'signals 100 entries 100 exits 100'
equal faults_exact "$(grep ^faults "$truth")" 'faults 1000 records 1000 pages 1000 written 1000'
if [ "$leg" = icount ]; then
	# The kernel's own accounts are in 10 ms; an interrupt of an idle CPU they may count as idle.
	all idle_is_idle "$out/books.dispatches" \
		'f["within"] > ('"$seconds"' - 1) * 1e9 && (f["ran"] + f["slept"]) / f["within"] > 0.9999 &&
		 f["told"] > 0.995 * f["slept"] - 2e7 && f["told"] < 1.005 * f["slept"] + f["interrupts"] + 2e7'
	equal pingpong_exact "$(grep -o '^pingpong.* left [0-9]*' "$truth")" \
		'pingpong 500 there 500 back 500 switches 500 left 500'
	grep ^pingpong "$truth" >"$out/pingpong"
	all run_time "$out/pingpong" 'f["ran"] > 0.995 * f["cpu"] && f["ran"] < 1.005 * f["cpu"]'
	# Against the program's own account, of each sleep: within a tick, which is 4 ms, and mostly much
	# nearer. What the report says is what the records say (below).
	grep ^sleeps "$truth" >"$out/sleeps"
	all wakeup_latency "$out/sleeps" 'f["sleeps"] == 40 && f["off"] < 4e6 && f["mean"] < 1e5'
fi

# The reports: they add up too, and agree with a second computation from the records.
tests/post/report/judge_times "$build/bin/post" "$out/books.nrm2" >"$out/books.judged"
verdict reports_agree $? "$(tail -n 3 "$out/books.judged" | tr '\n' ' ')"
"$build/bin/post" -q -sched -json -r "$out/books.nrm2" -o "$out/books.sched"
jq -e --argjson tid "$(sed -n 's/^sleeps.* tid //p' "$truth")" '(.sched.cpus | length > 0 and all(.[];
	.unknown_ns == 0 and .wall_ns == .busy_ns + .idle_ns + .interrupt_ns)) and
	([.sched.threads[] | select(.tid == $tid) | .latency.count] | add >= 40)' "$out/books.sched" >/dev/null
verdict sched_adds_up $? "$(jq -c .sched.cpus "$out/books.sched")"

# The judge finds one that is missing.
awk '/"record":"interrupt".*-exit"/ && ++n == 50 { next } { print }' "$out/books.nrm2.show" >"$out/less"
[ "$($judge interrupts "$out/less")" != "$(cat "$out/books.interrupts")" ] &&
	$judge interrupts "$out/less" | grep -q 'wrong 1 \|open 1 '
verdict a_missing_exit_is_found $? "$($judge interrupts "$out/less" | tr '\n' ' ')"
awk '/"record":"dispatch"/ && ++n == 50 { next } { print }' "$out/books.nrm2.show" >"$out/less"
$judge dispatches "$out/less" | grep -q 'breaks 1 '
verdict a_missing_dispatch_is_found $? "$($judge dispatches "$out/less" | tr '\n' ' ')"

# The same program with little room: what is not there is counted, to the last one. Before it is
# executed its process waits for the trace to begin, in a call that may have begun before.
case $arch in
x86_64) execve=59 ;;
arm64) execve=221 ;;
*) execve=11 ;;
esac
for trace in room tight; do
	sed '1,/"kind":"exit","number":'$execve',/ { /"record":"syscall"/d }' "$out/$trace.nrm2.show" >"$out/$trace.executed"
done
read -r _ had _ lost < <($judge total "$out/room.executed" syscall)
read -r _ had2 _ lost2 < <($judge total "$out/tight.executed" syscall)
[ "$lost" = 0 ] && [ "$lost2" -gt 0 ] && [ $((had2 + lost2)) = "$had" ]
verdict losses_exact $? "$had records; with little room $had2 and $lost2 lost"
all flood_dispatches "$out/flood.dispatches" \
	'f["breaks"] <= f["lost"] && f["sum"] < 1.00001 * f["wall"] + f["apart"] &&
	 (f["lost"] > 0 || f["sum"] > 0.99999 * f["wall"] - f["apart"])'
all flood_interrupts "$out/flood.interrupts" 'f["wrong"] + f["open"] <= f["lost"] + 1'
all flood_calls "$out/flood.syscalls" 'f["lost"] > 0 && f["wrong"] <= f["lost"]'
exit $code
