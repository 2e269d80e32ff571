#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_power.sh KERNEL ARCH CYCLES: CPUs that go and come, and a suspend, while tracing: nothing
# breaks (the kernel log is judged by the rig), losses are told, times never run backwards.
. "$(dirname "$0")/suite.sh"
cycles=$1

booted guest --smp 2 --get '/tmp/*.nrm2' --get /tmp/codes --get '/tmp/*.err' --timeout 240 -- \
	tests/vm/guest/power.sh "$cycles" || exit 1
for what in hotplug suspend; do
	trace=$out/$what.nrm2
	equal "${what}_ends_well" "$(sed -n "s/^$what //p" "$out/codes")" 0
	grep '^swtrace:' "$out/$what.err" | sed 's/^/# /'
	report "$trace" && records "$trace" || exit 1
	equal "${what}_no_name_lost" "$(jq -c '[.lost[] | select(.kind == "mte") | .count] | add // 0' \
		"$trace.json")" 0
	# What the driver counted is what the file holds, for each CPU.
	$judge counts "$trace.show" >"$out/$what.counts"
	sed 's/^/# /' "$out/$what.counts"
	equal "${what}_times_monotonic" "$(sed -n 's/^back //p' "$out/$what.counts")" 0
	equal "${what}_each_record_once" "$(sed -n 's/^twice //p' "$out/$what.counts")" 0
done
syncs() { # TRACE KIND: how many clock syncs there are for this reason
	grep -c "\"record\":\"sync\",\"kind\":\"$2\"" "$out/$1.nrm2.show"
}
equal hotplug_offline_told "$(syncs hotplug cpu-offline)" "$cycles"
equal hotplug_online_told "$(syncs hotplug cpu-online)" "$cycles"
equal suspend_told "$(syncs suspend suspend)" 2
equal resume_told "$(syncs suspend resume)" 2
exit $code
