#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_wrap.sh KERNEL ARCH icount|smp: wrap mode keeps the newest, in order, without a gap, each record
# with its names; what freezes it, what a snapshot holds, what a kill leaves.
. "$(dirname "$0")/suite.sh"
if [ "$1" = icount ]; then
	machine=--icount rate=20000 ms=4400 pause=10 least=1000 end=2e6
	# A kernel that looks for mistakes takes longer for a tick than 50 us.
	! is_debug || rate=4000 ms=22000 scale=4 least=600 end=1e7
else
	# Half of the ticks come too late there, and all that is done takes its time.
	machine='--smp 2' rate=10000 ms=24000 pause=1 least=40 end=1e8
fi

booted guest $machine --timeout 500 --get '/tmp/*.nrm2' --get '/tmp/*.nrm2.1' --get '/tmp/*.txt' -- \
	tests/vm/guest/wrap.sh $rate $ms $pause ${scale:-1} || code=1

# holds NAME TRACE FILTER
holds() {
	report "$out/$2" && jq -e "$3" "$out/$2.json" >/dev/null
	verdict "$1" $? "$(jq -c '[.complete, .total_ticks, .unknown, .lost, .held, .stopped_by,
		(.processes | map({name, ticks}))]' "$out/$2.json" 2>&1 | head -c 500)"
}
named='(.complete and .unknown.no_module == 0 and .unknown.unsure == 0 and
	all(.processes[]; .name != "Unknown"))'
# worked PROCESS: ticks in its own function
worked() {
	echo "([.processes[] | select(.name == \"$1\") | .threads[].modules[].symbols[] |
		select(.name == \"plain_work\") | .ticks] | add // 0)"
}
absent() {
	echo "(all(.processes[]; .name != \"$1\"))"
}

# Many buffer lengths: 4 sections of 32 KB, of which the newest may be cut by the end.
holds wrapped_named wrap.nrm2 "$named and $(absent gone) and
	$(worked early) > $least and $(worked late) > $least"
holds wrapped_twenty_times wrap.nrm2 'all(.held[]; .older_sections >= 80)'
[ "$1" != icount ] || holds wrapped_process_that_ended wrap.nrm2 "$(worked ending) > 100"
"$build/bin/post" -q -o - -r "$out/wrap.nrm2" -sympath "$sympath" >"$out/wrap.tprof" 2>&1
lost=$(jq -c '[.lost[] | select(.kind != "overruns")]' "$out/wrap.nrm2.json")
equal overwritten_is_not_lost "$lost" '[]'
grep -q 'older sections were overwritten' "$out/wrap.tprof"
verdict overwritten_is_told $? "$(grep -A3 '^Lost' "$out/wrap.tprof")"

records "$out/wrap.nrm2"
while read -r _ cpu _ n _ gaps _ back _ before_off; do
	# Where a tick may be late by more than a period, time and ticks are compared (below).
	[ "$1" != icount ] || equal "cpu${cpu}_no_gap" "$gaps" 0
	equal "cpu${cpu}_in_order" "$back" 0
	calc "$before_off >= 0 && $before_off < $end"
	verdict "cpu${cpu}_newest" $? "its last record is $before_off ns before off"
	calc "$n >= 3 * 1022"
	verdict "cpu${cpu}_full" $? "$n records"
done < <($judge gaps "$out/wrap.nrm2.show" | tee "$out/wrap.judged")
$judge counts "$out/wrap.nrm2.show" >"$out/wrap.counts"
while read -r _ cpu _ expected _ had _; do
	calc "$expected > 1000 && ($had - $expected) ^ 2 < (2 + 0.001 * $expected) ^ 2"
	verdict "cpu${cpu}_ticks_are_time" $? "$had instead of $expected"
done < <(grep '^cpu' "$out/wrap.counts")
equal cpus_judged "$(grep -c '^cpu' "$out/wrap.judged" "$out/wrap.counts" | cut -d: -f2 | xargs)" \
	"$([ "$1" = icount ] && echo 1 1 || echo 2 2)"
if [ "$1" = icount ]; then
	# A section holds 1022 samples; a mark of the clock's high half, each 4.3 s, may take the place of one.
	ticks=$(sed -nE 's/^swtrace: .* ([0-9]+) ticks.*/\1/p' "$out/wrap.txt")
	held=$(jq .total_ticks "$out/wrap.nrm2.json")
	older=$(jq '.held[0].older_sections' "$out/wrap.nrm2.json")
	marks=$(jq '.duration_ns / 4294967296 | floor + 2' "$out/wrap.nrm2.json")
	# … and so may each tick that came late, which is told.
	late=$(jq '[.lost[].count] | add // 0' "$out/wrap.nrm2.json")
	echo "# $ticks ticks, $held held, $late late, $older sections overwritten, at most $marks marks"
	calc "$ticks <= $held + 1022 * $older && $ticks >= $held + 1022 * $older - $marks - $late"
	verdict every_tick_is_accounted_for $? "$ticks ticks, $held held, $older sections overwritten"
fi

holds off_froze off.nrm2 "$named and $(worked before) > $least and $(absent after)"
holds usr2_froze usr2.nrm2 "$named and $(worked before) > $least and $(absent after)"
holds crash_froze crash.nrm2 "$named and $(worked before) > $least and
	.stopped_by[0].why == \"crash\""
holds child_crash_froze child.nrm2 "$named and $(worked before) > $least and $(absent after) and
	.stopped_by[0].why == \"crash\""
holds no_crash_goes_on pass.nrm2 "$named and $(worked after) > $least and .stopped_by == []"
holds discard_and_suspend discard.nrm2 "$named and $(worked fourth) > $((least / 2)) and
	$(absent first) and $(absent second) and $(absent third)"
holds snapshot_one one.nrm2 "$named and $(worked one) > $least and $(absent two)"
holds snapshot_two session.nrm2.1 "$named and $(worked one) > $least and
	$(worked two) > $least and $(absent three)"
holds snapshots_leave_the_session session.nrm2 "$named and $(worked one) > $least and
	$(worked two) > $least and $(worked three) > $least"
holds killed_reads killed.nrm2 '.complete == false and .records > 50 and .total_ticks == 0'
exit $code
