#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A record, in instructions and bytes: the driver's, the kernel's ring_buffer's, ftrace's, perf's and
# LTTng's for the same event, in one guest; what a program's own record costs; a timer sample.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/guest.sh"

in_guest record 100000
printf '%-44s %8s instructions\n' "clock read and store (floor)" "$(value raw floor)"
compare "record into memory" "$(value raw ring)" instructions "$(value raw kernel)" \
	"kernel's ring_buffer" "66, aim 45"
compare "  ... its bytes (20 of data)" "$(value rawbytes ring)" bytes "$(value rawbytes kernel)" \
	"kernel's ring_buffer"
compare "  ... stamped by the monotonic clock" "$(value raw ring-monotonic)" instructions \
	"$(value raw kernel)" "kernel's ring_buffer"
# softirq_entry: and its exit, one after the other.
for event in sched_switch sched_waking softirq_entry; do
	for peer in ftrace perf lttng; do
		compare "event $event" "$(value $event pitrace)" instructions "$(value $event $peer)" $peer
	done
	for peer in ftrace perf lttng; do
		compare "  ... its bytes" "$(value $event-bytes pitrace)" bytes "$(value $event-bytes $peer)" \
			$peer
	done
done
for peer in ftrace perf lttng; do
	compare "system call's entry or exit" "$(value call pitrace)" instructions "$(value call $peer)" $peer
done
for peer in ftrace perf lttng; do
	compare "  ... its bytes" "$(value call-bytes pitrace)" bytes "$(value call-bytes $peer)" $peer
done
echo "  (a call takes $(value call none) instructions, $(value call slow) when anybody listens)"
for peer in ftrace perf; do
	compare "page fault of user code, its bytes" "$(value fault-bytes pitrace)" bytes \
		"$(value fault-bytes $peer)" $peer
done
compare "program's own record, 2 integers" "$(value mark record)" instructions "$(value mark marker)" \
	"trace_marker, as text"
compare "program's own record, 2 integers" "$(value mark record)" instructions "$(value mark logger)" \
	"lttng-logger, as text"
printf '%-44s %8s bytes\n' "  ... its bytes" "$(value mark-bytes record)"
printf '%-44s %8s instructions\n' "program's own record, no session" "$(value mark nobody)"
compare "timer sample, interrupt and all" "$(value sample pitrace)" instructions \
	"$(value sample perf)" "perf's cpu-clock"
compare "  ... its bytes" "$(value sample-bytes pitrace)" bytes "$(value sample-bytes perf)" \
	"perf's cpu-clock"
