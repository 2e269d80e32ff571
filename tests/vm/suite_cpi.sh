#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_cpi.sh KERNEL ARCH icount|smp: cpi with real counters: of a loop of a known length, of CPUs.
# Where an instruction is a cycle (icount) the result is 1. (PowerPC's counters in QEMU count user code
# and the kernel alike.)
. "$(dirname "$0")/suite.sh"
leg=$1
suite=cpi_$leg
options=(--icount) cpus=1
[ "$leg" = icount ] || options=(--smp 2) cpus=2
[ "$arch" != arm64 ] || options+=(--pmu)

booted guest "${options[@]}" --no-module --get '/tmp/*.json' --get '/tmp/*.csv' --get '/tmp/*.txt' -- \
	tests/vm/guest/cpi.sh || exit 1
json() { # FILE FILTER
	jq -c "$2" "$out/$1.json"
}
for f in few many whole meanwhile busy idle; do
	echo "# $f: $(json $f '[.all.cycles, .all.instructions, .all.cpi, .all.idle_percent]')"
done

# Two instructions per turn; everything else is nearly the same in both, if only user code is counted.
more=$(($(json many .all.instructions) - $(json few .all.instructions)))
if [ "$arch" = arm64 ]; then
	calc "$more > 19998000 && $more < 20002000"
else
	calc "$(json few .all.instructions) > 2000000 && $(json many .all.instructions) > 22000000"
fi
verdict loop $? "$more instructions more for 10,000,000 turns more"
calc "$(json whole .all.instructions) > 20000000"
verdict whole $?
last=$((cpus - 1))
calc "$(json meanwhile ".cpus[$last].instructions") > 20000000"
verdict its_cpu $?
for f in few many whole busy meanwhile; do
	equal "divided_$f" "$(json $f '[.cpus[], .all] | map((.cycles / .instructions - .cpi) | fabs < 0.0001) | unique')" \
		'[true]'
done
equal each_cpu "$(json busy '.cpus | map(.cpu)')" "$(jq -nc "[range($cpus)]")"
equal added_up "$(json busy '(.cpus | map(.cycles) | add) == .all.cycles and
	(.cpus | map(.instructions) | add) == .all.instructions')" true
if [ "$leg" = icount ]; then
	for f in many whole busy; do
		equal "one_$f" "$(json $f '.all.cpi * 100 | round')" 100
	done
	equal one_csv "$(awk -F, 'NR > 1 { printf "%s:%.2f ", $1, $4 }' "$out/busy.csv")" '0:1.00 all:1.00 '
fi

# Beside it how idle the CPUs were.
calc "$(json busy ".cpus[$last].idle_percent") < 5"
verdict busy_cpu $? "$(json busy ".cpus[$last]")"
if [ "$leg" = icount ]; then
	calc "$(json idle .all.idle_percent) > 80"
else
	# CPUs that are emulated in turn stop at any place.
	calc "$(json idle .all.idle_percent) > $(json busy .all.idle_percent)"
fi
verdict idle_cpus $? "$(json idle .all)"
equal shares "$(json busy '.all | .idle_percent + .busy_percent + .interrupt_percent | . * 100 | round')" 10000

equal command_code "$(tail -n 1 "$out/words.txt")" 'exit 9'
verdict words "$(grep -qE '^ +[0-9]+ +[0-9]+ +[0-9]+\.[0-9][0-9]$' "$out/words.txt"; echo $?)" \
	"$(head -n 3 "$out/words.txt")"
calc "$(json stopped .elapsed_ns) >= 200000000"
verdict until_ctrl_c $?
exit $code
