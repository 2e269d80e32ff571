#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_session.sh KERNEL ARCH: sessions in each other's way, interrupted, killed: each leaves a file
# that is as good as it says.
. "$(dirname "$0")/suite.sh"
kmod=dummy		# a small module that every kernel of Debian's has

booted guest --smp 2 --kmod "$kmod" --get '/tmp/*.nrm2' --get /tmp/kmod --get /tmp/ksym -- \
	tests/vm/guest/session.sh "$kmod"

# holds NAME TRACE FILTER: a trace of which this is true
holds() {
	report "$out/$2.nrm2" && jq -e "$3" "$out/$2.nrm2.json" >/dev/null
	verdict "$1" $? "$(jq -c '[.complete, .total_ticks, .unknown, .lost, (.processes | map(.name))]' \
		"$out/$2.nrm2.json" 2>&1 | head -c 500)"
}
named='(.unknown.no_module == 0 and .unknown.unsure == 0 and all(.processes[]; .name != "Unknown"))'
kept='([.lost[] | select(.kind != "overruns")] == [])'

# worked PROCESS TICKS: it has so many ticks in its own function
worked() {
	echo "([.processes[] | select(.name == \"$1\") | .threads[].modules[].symbols[] |
		select(.name == \"plain_work\") | .ticks] | add) > $2"
}
one_process='([.processes[].pid] | unique | length) == 1'

holds busy_first_undisturbed first ".complete and $named and $kept and $(worked first 100)"
holds beside_its_own_process_only beside ".complete and $named and $kept and .idle_ticks == 0 and
	$one_process and $(worked beside 10)"
holds ctrlc_keeps_the_data ctrlc ".complete and $named and $(worked ctrlc 100)"
holds p_process other ".complete and $named and $one_process and $(worked other 50)"
holds steps_file steps ".complete and $named and $(worked steps 50)"
# Truncated where it was killed; the part before is as good as in any other file.
holds killed_file_is_cut killed '.complete == false and (.damage | length) > 0'
holds killed_file_all_named killed ".total_ticks > 500 and $named"
ticks=0
for i in 1 2 3 4 5 6; do
	# So early that there is no file yet, or nothing in it: nothing to be wrong.
	[ -s "$out/kill$i.nrm2" ] || continue
	holds "kill${i}_all_named" kill$i "$named"
	ticks=$((ticks + $(jq .total_ticks "$out/kill$i.nrm2.json")))
done
calc "$ticks > 500"
verdict kills_left_ticks $? "$ticks only"

# The kernel's module: loaded where /proc/modules said, then gone.
records "$out/kmod.nrm2"
base=$(awk '{ base = $NF ~ /^\(/ ? $(NF - 1) : $NF; sub(/^0x0*/, "0x", base); print base }' \
	"$out/kmod")
jq -es --arg name "$kmod" --arg base "$base" '[.[] | select(.path == $name)] |
	(.[0].kind == "module" and .[0].start == $base and any(.[]; .kind == "unload"))' \
	"$out/kmod.nrm2.show" >/dev/null
verdict kmod_told $? "$(grep "\"$kmod\"" "$out/kmod.nrm2.show" | head -n 3)"
# … and one that was gone at the end has its symbols for the time it was there.
records "$out/ksym.nrm2"
read -r address _ symbol _ <"$out/ksym"
times=$(jq -rs --arg name "$kmod" '[.[] | select(.path == $name) | .time] | "\(.[0] // 0) \(.[-1] // 0)"' \
	"$out/ksym.nrm2.show")
ksym_at() { # TIME
	"$build/bin/post" -q -json -explain "0:$address:$(awk -v t="$1" 'BEGIN { printf "%d.%09d", t / 1e9, t % 1e9 }')" \
		-r "$out/ksym.nrm2" 2>&1 | jq -r .explained.name
}
read -r came went <<<"$times"
there=$(ksym_at $(((came + went) / 2)))
[ "$went" -gt $((came + 1000000000)) ] && [ "$there" = "$symbol" ]
verdict ksym_named $? "$symbol at $address is '$there' between $times"
gone=$(ksym_at $((went + 300000000)))
[ "$gone" != "$symbol" ]
verdict ksym_gone $? "$gone"
exit $code
