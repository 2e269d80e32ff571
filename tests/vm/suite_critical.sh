#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_critical.sh KERNEL ARCH icount|smp: 20 programs that are slow for one reason each (bottleneck.c):
# post -critical has that one first, for each of them.
. "$(dirname "$0")/suite.sh"
leg=$1
options=(--icount)
[ "$leg" = icount ] || options=(--smp 2)
suite=critical_$leg

booted guest "${options[@]}" --get '/tmp/*.nrm2' --get '/tmp/*.txt' -- tests/vm/guest/critical.sh || code=1

# critical TRACE [OPTION]...: TRACE.critical, the report
critical() {
	"$build/bin/post" -q -critical -json -r "$1" "${@:2}" >"$1.critical"
	[ $? -le 1 ]
}

right=0 programs=0
for text in "$out"/*.txt; do
	name=$(basename "$text" .txt)
	trace=$out/$name.nrm2
	programs=$((programs + 1))
	read -r _ pid _ from what want <"$text"
	critical "$trace" -pid "$pid" -time "$from-" || { not_ok "$name" "post says nothing" && continue; }
	if [ "$what" = place ]; then
		first=$(jq -r '.critical.places[0].in' "$trace.critical")
	elif [ "$want" = 'interrupt device' ]; then
		first=$(jq -r '.critical.blame[0] | "\(.kind) \(.source)"' "$trace.critical")
	else
		first=$(jq -r '.critical.blame[0] | "\(.kind) \(.thread)"' "$trace.critical")
	fi
	[ "$first" = "$want" ] && right=$((right + 1))
	equal "$name" "$first" "$want"
	# Each ns of the program's threads, and of wall time, is somewhere, once.
	jq -e '.critical | .time_ns > 0 and ([.blame[].blame_ns] | add) == .time_ns and
		([.threads[].time_ns] | add) == .time_ns and
		([.blame[].system_ns | numbers] | add) + .none_seen_ns + .out_of_scope_ns == .wall_ns' \
		"$trace.critical" >/dev/null
	verdict "${name}_adds_up" $? "$(jq -c '.critical | [.time_ns, .wall_ns, .none_seen_ns]' "$trace.critical")"
done
equal all_of_them "$right of $programs" '20 of 20'
exit $code
