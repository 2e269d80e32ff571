#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_itrace_long.sh KERNEL ARCH BRANCHES LOSSY: continuous instruction traces: of so many taken
# branches none is lost, each run begins where the one before it ended, and who writes them needs no
# more memory at the end than at a tenth; of LOSSY branches without waiting some are lost, and counted.
. "$(dirname "$0")/suite.sh"
branches=$1 lossy=$2
truth=$build/tests/itrace_truth
[ "$arch" = x86_64 ] || truth+=_$arch
build_judge "$truth"
# The guest's files are in its memory, half of which they may take: 4.3 bytes a branch, and some; ppc64le's
# has pieces of 256 MB.
booted guest --mem $(((512 + branches / 80000 + 255) / 256 * 256)) --timeout "${TIMEOUT:-2200}" --get '/tmp/logs' -- tests/vm/guest/itrace_long.sh "$branches" "$lossy" || exit 1

# flow NAME: sets instructions, taken, gaps, lost
flow() {
	instructions=0 taken=0 gaps=0 lost=0
	"$truth" -f "$out/logs/$1.nrm2" >"$out/$1.flow" 2>&1
	verdict "$1_flows" $? "$(cat "$out/$1.flow")"
	read -r _ instructions _ taken _ gaps _ lost <"$out/$1.flow"
	echo "# $1: $(cat "$out/$1.flow"); $(stat -c %s "$out/logs/$1.nrm2") bytes; $(tail -n 1 "$out/logs/$1.err")"
}
of() { # NAME WORD: what the program said
	sed -n "s/^$2 //p" "$out/logs/$1.said"
}

flow whole
equal whole_code "$(of whole code)" 0
calc "$taken >= $branches && $taken < $branches + 100000"
verdict whole_branches $? "$taken of $branches"
equal whole_lost "$gaps $lost" '0 0'
read -r tenth all <<<"$(of whole memory)"
calc "$tenth > 0 && $all <= 1.05 * $tenth"
verdict whole_memory $? "$tenth KB at a tenth, $all KB at the end"
echo "# memory: $tenth KB at a tenth, $all KB at the end"

flow lossy
equal lossy_code "$(of lossy code)" 0
dropped=$(sed -n 's/.*LOST \([0-9]*\) .*/\1/p' "$out/logs/lossy.err")
calc "${dropped:-0} > 0 && $gaps > 0"
verdict lossy_gaps $? "${dropped:-0} dropped, $gaps gaps"
# The recorded and the dropped branches together are all, plus a few breaks.
calc "$taken + ${dropped:-0} >= $lossy && $taken + ${dropped:-0} < 1.05 * $lossy + 100000"
verdict lossy_counted $? "$taken there, ${dropped:-0} dropped, of $lossy"
grep -q '0 taken branches, 1 thread left out that another session traces' "$out/logs/second.err"
verdict second_told $? "$(tail -n 1 "$out/logs/second.err")"
exit $code
