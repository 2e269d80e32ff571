#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_truth.sh KERNEL ARCH PERIODS CONTROL [RATE]: a program whose work is known to the instruction, under
# an instruction counter: each share right, each tick named as nm names its address, ticks times
# period = CPU time. PERIODS: ticks of each of three sets; CONTROL: of a run without the dither; RATE:
# ticks a second (a kernel that looks for mistakes takes longer for a tick than 50 us).
. "$(dirname "$0")/suite.sh"
periods=$1 control=$2 rate=${3:-20000} least=0.98 off=1 late=0
# A quarter of such a kernel's time is its own, and ticks are sometimes late by more than a period.
! is_debug || least=0.95 off=3 late=20
short=10 naps=5000

booted guest --icount --get '/tmp/truth.*' --get '/tmp/control.*' --get '/tmp/naps.*' -- \
	tests/vm/guest/truth.sh $rate "$periods" "$control" $short $naps || exit 1
trace=$out/truth.nrm2
report "$trace" && records "$trace" && report "$out/control.nrm2" &&
	report "$out/naps.nrm2" || exit 1

# Symbols of the program as post names them: NAME TICKS, each name once.
named() {
	jq -r '.processes[] | select(.name == "truth") | .threads[].modules[] |
		select(.name | endswith("/truth")) | .symbols[] | "\(.name) \(.ticks)"' "$1" | LC_ALL=C sort
}
named "$trace.json" >"$out/named"
named "$out/control.nrm2.json" >"$out/named.control"

# shares FILE SET: ticks of the set and the worst error of a share, in percentage points
shares() {
	awk -v set="$2" '
		$1 ~ "^" set "_[0-9]+$" { split($1, p, "_"); n[p[2]] = $2; all += $2 }
		END {
			for (part = 16; part >= 1; part /= 2) {
				off = all ? 100 * (n[part] / all - part / 31) : 100
				if (off < 0) off = -off
				if (off > worst) worst = off
			}
			printf "%d %.3f\n", all, worst
		}' "$1"
}

for set in one five odd; do
	read -r ticks worst < <(shares "$out/named" $set)
	echo "# $set: $ticks ticks, shares off by at most $worst points"
	if calc "$worst < $off && $ticks > $least * $periods"; then
		ok "shares_$set"
	else
		not_ok "shares_$set" "$ticks ticks, off by $worst points"
	fi
done
for set in one five; do
	echo "# without dither, $set: off by $(shares "$out/named.control" $set | cut -d' ' -f2) points"
done

# Each tick by its address: our own look-up must give the very counts that post gives.
$judge symbols "$trace.show" "$programs/truth" >"$out/judged"
grep -v '^OUTSIDE' "$out/judged" | cmp -s - "$out/named" && ! grep -q '^OUTSIDE' "$out/judged"
verdict symbols_by_address $? "post and nm disagree: $(diff "$out/named" "$out/judged" | tr '\n' ' ')"
# The same look-up in a symbol table that is off by a page must find itself wrong.
$judge symbols "$trace.show" "$programs/truth" 4096 >"$out/judged.shifted"
grep -v '^OUTSIDE' "$out/judged.shifted" | cmp -s - "$out/named" && grep -q . "$out/judged.shifted"
verdict symbols_shifted_by_a_page_fail $((!$?)) "a table that is off by a page passes"

# And post must not find the functions at their old places in such a file.
mkdir -p "$out/shifted.d"
$judge shift "$programs/truth" "$out/shifted.d/truth" 4096
ln "$trace" "$out/shifted"
report "$out/shifted" "$out/shifted.d:$sympath" && named "$out/shifted.json" >"$out/named.shifted"
read -r ticks worst < <(shares "$out/named.shifted" one)
jq -e --arg file "$out/shifted.d/truth" '.modules[] | select(.symbols_from == $file)' \
	"$out/shifted.json" >/dev/null && calc "$ticks < 0.01 * $periods"
verdict post_with_shifted_symbols_fails $? "$ticks ticks are named as if nothing were wrong"

# Ticks times mean period is the process's CPU time.
ticks=$(jq '[.processes[] | select(.name == "truth") | .ticks] | add' "$trace.json")
cpu=$(sed -n 's/^total cpu //p' "$out/truth.txt")
mean=$(sed -nE 's/.*"record":"tprof".*"period":([0-9]+).*/\1/p' "$trace.show" |
	awk '{ sum += $1 } END { printf "%.3f", sum / NR }')
echo "# $ticks ticks of $mean ns, $cpu ns of CPU time"
calc "$ticks * $mean > 0.995 * $cpu && $ticks * $mean < 1.005 * $cpu"
verdict ticks_times_period_is_cpu_time $? "$ticks * $mean != $cpu"
calc "$mean > 0.999 * 1e9 / $rate && $mean < 1.001 * 1e9 / $rate"
verdict mean_period $? "$mean"
jq -e --argjson late $late '.unknown.no_module == 0 and .unknown.unsure == 0 and
	all(.lost[]; .kind == "overruns" and .count <= $late)' "$trace.json" >/dev/null
verdict nothing_lost $? "$(jq -c '[.lost, .unknown]' "$trace.json")"
# The tick that falls due while the thread leaves its CPU, interrupts being off, is the thread's, and where
# it leaves. Until it is served, the timer's clock has stopped: nobody else gets it.
if ! is_debug; then
	equal last_tick "$(grep -c 'none lost' "$out/truth.short.txt" "$out/naps.txt" | sed 's/.*://' | paste -sd+ | bc)" \
		$((short + 1))
	leaves=$(jq '[.processes[] | select(.name == "books") | .threads[].modules[].symbols[] |
		select(.name == "schedule") | .ticks] | add // 0' "$out/naps.nrm2.json")
	echo "# $leaves ticks where the thread leaves its CPU"
	[ "$leaves" -ge 50 ]
	verdict tick_of_who_leaves $? "$leaves"
fi
exit $code
