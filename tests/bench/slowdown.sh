#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How much slower programs run while they are traced, at 1 kHz, the whole system, with all that
# drains and writes the trace: tprof alone beside perf's cpu-clock; all majors beside the same events
# by perf (of the system, and of the command alone), ftrace and LTTng (neither takes samples; ftrace's
# ring is not drained). In one guest with one CPU.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/guest.sh"

# Real sources and the compiler that is here; compiled in the guest, they need no headers there.
mkdir -p "$out/add"
for each in file/merge file/record_walk session/trace_api; do
	gcc -E -D_GNU_SOURCE -Idriver/uapi -Ilibperfutil/include -Ilibperfutil libperfutil/$each.c \
		-o "$out/add/$each.i" || exit 1
done
cc1=$(gcc -print-prog-name=cc1)
# Any machine of today has instructions for the file's CRC, QEMU's plainest model has not.
more=(--cpu "qemu64,+arat,+rdrand,+ssse3,+sse4.1,+sse4.2" --prog gcc --prog as --add "$cc1:$cc1")
in_guest slowdown

percent() {
	[ -n "$(value "$1" "$2")" ] || return
	calc "100 * ($(value "$1" "$2") - $(value "$1" none)) / $(value "$1" none)"
}
# A difference of a few thousandths is where a switch happened to fall: no ratios.
slower() { # WHAT PITRACE'S PEER'S NAME-OF-PEER
	local ours theirs
	ours=$(percent $name "$2") theirs=$(percent $name "$3")
	[ -z "$theirs" ] || printf '%-44s %8s %%, %s %s %%\n' "$1" "$ours" "$4" "$theirs"
}
for each in "spin:a loop" "yield:two threads that yield" "echo:a byte through pipes" \
	"compile:gcc, three files"; do
	name=${each%%:*} what=${each#*:}
	slower "$what: tprof alone (goal 1)" tprof perf-clock "perf record -a"
	for peer in "perf-all:perf record -a" "perf-command:perf record" ftrace:ftrace lttng:LTTng; do
		slower "$what: all majors" all "${peer%%:*}" "${peer#*:}"
	done
done
