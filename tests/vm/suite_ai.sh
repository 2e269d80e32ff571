#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_ai.sh KERNEL ARCH: AboveIdle of two CPUs by the driver and by /proc at once: the books of
# both balance, what is idle and busy is known beforehand, and they say the same. (CPUs that QEMU
# emulates in turn stand still for tenths of a second where they happen to be: each has a thread.)
. "$(dirname "$0")/suite.sh"

booted guest --smp 2 --mttcg --get '/tmp/*.json' -- tests/vm/guest/ai.sh || exit 1
json() { # FILE FILTER
	jq -c "$2" "$out/$1.json"
}
for f in quiet spin turns hotplug; do
	for by in driver proc; do
		echo "# $f by $by: $(json $f.$by '.summary.cpus | map([(.current_ns / 1000000 | round), .idle_percent,
			.busy_percent, .interrupt_percent, .dispatches, .interrupts])')"
		equal ${f}_${by}_books "$(json $f.$by '[(.samples[], .summary) | (.cpus[], .all) |
			.idle_ns + .busy_ns + .interrupt_ns == .current_ns] | unique')" '[true]'
		equal ${f}_${by}_shares "$(json $f.$by '[(.samples[], .summary) | (.cpus[], .all) |
			select(.current_ns > 0) | .idle_percent + .busy_percent + .interrupt_percent |
			. * 100 | round] | unique')" '[10000]'
		equal ${f}_${by}_exact "$(json $f.$by .exact)" "$([ $by = driver ] && echo true || echo false)"
	done
done
for by in driver proc; do
	for cpu in 0 1; do
		calc "$(json quiet.$by ".summary.cpus[$cpu].idle_percent") > 80"
		verdict quiet_${by}_cpu$cpu $? "$(json quiet.$by ".summary.cpus[$cpu]")"
	done
	calc "$(json spin.$by '.summary.cpus[1].idle_percent') < 2"
	verdict spin_${by}_busy $? "$(json spin.$by '.summary.cpus[1]')"
	calc "$(json spin.$by '.summary.cpus[0].idle_percent') > 60"
	verdict spin_${by}_other $? "$(json spin.$by '.summary.cpus[0]')"
	# A turn is two dispatches, and all were on the first CPU.
	calc "$(json turns.$by '.summary.cpus[0].dispatches') >= 40000"
	verdict turns_$by $? "$(json turns.$by '.summary.cpus')"
	# The CPU was away for a second, in which nothing is booked for it.
	equal hotplug_${by}_away "$(json hotplug.$by '[.samples[].cpus[1].online] | unique')" '[false,true]'
	calc "$(json hotplug.$by '.summary.cpus[0].current_ns - .summary.cpus[1].current_ns') > 600000000"
	verdict hotplug_${by}_time $? "$(json hotplug.$by '.summary.cpus | map(.current_ns)')"
done
# Both were read at nearly the same time: prints the distances of their begins and ends.
near='def begin: .summary.realtime_ns - .summary.elapsed_ns;
	def distance(f): ((.[0] | f) - (.[1] | f)) | fabs;
	(distance(begin) + distance(.summary.realtime_ns)) as $apart |'
both() { # NAME FILE FILTER
	equal "$1" "$(jq -sc "$near $3" "$out/$2.driver.json" "$out/$2.proc.json")" true
}
for f in quiet spin; do
	for cpu in 0 1; do
		echo "# $f, CPU $cpu: idle for $(json $f.driver ".summary.cpus[$cpu].idle_ns"), \
$(json $f.proc ".summary.cpus[$cpu].idle_ns") ns"
		both ${f}_same_cpu$cpu $f "distance(.summary.cpus[$cpu].idle_ns) <=
			.[0].summary.elapsed_ns * 0.04 + \$apart"
	done
done
# The driver's time is longer at both ends. A CPU's clock ticks 250 times a second at most.
echo "# turns: $(json turns.driver '.summary.all | [.dispatches, .interrupts]') and \
$(json turns.proc '.summary.all | [.dispatches, .interrupts]') in the middle of it"
both turns_same_dispatches turns '.[1].summary.all.dispatches as $some | .[0].summary.all.dispatches |
	$some <= . and $some > . * 0.8'
both turns_same_interrupts turns '.[1].summary.all.interrupts as $some | .[0].summary.all.interrupts |
	$some <= . and $some > . * 0.8 - $apart / 1e9 * 2 * 250'
exit $code
