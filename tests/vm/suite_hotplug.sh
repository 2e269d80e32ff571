#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_hotplug.sh KERNEL ARCH CYCLES: CPUs that go and come, a machine that sleeps and wakes, all
# while tracing: ticks only while a CPU is there, and then all of them; times that only grow.
. "$(dirname "$0")/suite.sh"
cycles=$1

booted guest --smp 2 --append suspend.pm_test_delay=1 --get '/tmp/*.nrm2' --get '/tmp/*.txt' -- \
	tests/vm/guest/hotplug.sh "$cycles" || exit 1

for name in hotplug late suspend; do
	sed 's/^/# /' "$out/$name.txt"
	equal "${name}_exit" "$(tail -n 1 "$out/$name.txt")" "exit 0"
	report "$out/$name.nrm2" && records "$out/$name.nrm2" || exit 1
	$judge counts "$out/$name.nrm2.show" >"$out/$name.judged"
	equal "${name}_times_grow" "$(sed -n 's/^back //p' "$out/$name.judged")" 0
	equal "${name}_each_once" "$(sed -n 's/^twice //p' "$out/$name.judged")" 0
	equal "${name}_nothing_lost_but_overruns" \
		"$(jq -c '[.lost[] | select(.kind != "overruns")]' "$out/$name.nrm2.json")" '[]'
	equal "${name}_all_named" \
		"$(jq -c '[.unknown.no_module, .unknown.unsure]' "$out/$name.nrm2.json")" '[0,0]'
	for cpu in 0 1; do
		read -r _ windows _ away _ had _ told _ expected < <($judge online "$out/$name.nrm2.show" $cpu)
		# Losses after the last record are only in the counts.
		counted=$(jq "[.lost[] | select(.cpu == $cpu and .kind == \"overruns\") | .count] | add // 0" \
			"$out/$name.nrm2.json")
		had=$((had + counted - told))
		echo "# CPU $cpu: there $windows times, $had ticks, $expected periods; $away while away"
		equal "${name}_cpu${cpu}_no_tick_while_away" "$away" 0
		# A period is truncated when the CPU goes offline or online; CPUs are staggered over another; the
		# begin and end take some ms on a busy host.
		calc "$had < $expected + 3 && $had > $expected - 3 * $windows - 50"
		verdict "${name}_cpu${cpu}_ticks_while_there" $? "$had of $expected"
	done
done

count() { # TRACE KIND: clock syncs of this kind
	grep -c "\"record\":\"sync\",\"kind\":\"$2\"" "$out/$1.nrm2.show"
}
equal hotplug_cycles "$(sed -n 's/^cycles //p' "$out/hotplug.txt")" "$cycles"
equal hotplug_gone_told "$(count hotplug cpu-offline)" "$cycles"
equal hotplug_come_told "$(count hotplug cpu-online)" "$cycles"
equal late_come_told "$(count late cpu-online)" 1
# s390x machines never sleep.
if [ "$arch" != s390x ]; then
	equal suspend_slept "$(grep -c '^slept$' "$out/suspend.txt")" 2
	equal suspend_told "$(count suspend suspend) $(count suspend resume)" '2 2'
fi
exit $code
