#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post's results for real instruction traces (by ptrace): each record is consistent, no report leaves out an
# instruction, gaps are marked; generated code has the name that it had at the time, before and after it moved.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
cp "$programs/itrace_subject" subject || exit 1

trace() { # FILE COMMAND...
	"$bin/swtrace" run --itrace -B ptrace -q -o "$@" >said 2>err
}
# sum FIELD FILE: of a report's lines
sum() {
	awk -v f="$1" '!/^#/ { n += $f } END { print n + 0 }' "$2"
}
sensible() { # NAME FILE
	local runs
	"$bin/post" -verify -q "$2" >out 2>&1
	is "exit_$1" $? 0
	runs=$(awk '/ runs of / { print $1 }' out)
	[ "${runs:-0}" -gt 50 ] && grep -qE "^ +$runs right$" out && grep -qE '^ +0 wrong$' out
	verdict "all_right_$1" $?
}

for what in fib signals jumps threads fork exec jit; do
	# The part before main is the same for all; an exec ends it.
	if [ $what = exec ]; then
		trace $what.nrm2 -- ./subject $what
	else
		trace $what.nrm2 --from main -- ./subject $what
	fi
	sensible $what $what.nrm2
	count=$("$programs/itrace_truth" -c $what.nrm2)
	for options in -arc "-arc -c" "-arc -ck -cp"; do
		# shellcheck disable=SC2086
		"$bin/post" $options -q -o $what.arc $what.nrm2 2>/dev/null
		is "sum_$what${options// /}" "$(sum 4 $what.arc)" "$count"
	done
	"$bin/post" -flow -q -o $what.flow $what.nrm2
	is "sum_$what-flow" "$(sum 3 $what.flow)" "$count"
	is "sum_$what-tree" "$("$bin/post" -tree -json -q $what.nrm2 | jq '[.calls[].self] | add')" "$count"
	"$bin/post" -disasm -q -o $what.disasm $what.nrm2
	is "sum_$what-disasm" "$(grep -v '^#' $what.disasm | grep -vcE '  [A-Z]+:[a-z]+(\?[a-z]+)?$')" "$count"
	"$bin/post" -arc -q -o $what.arc $what.nrm2
	! grep -q '?gap' $what.arc
	verdict "no_gap_$what" $?
done
grep -q '?signal ' signals.arc && grep -q '?sigreturn ' signals.arc && grep -q ':syscall' signals.arc
verdict signals_marked $?
grep -q '?longjmp ' jumps.arc
verdict longjmp_marked $?
grep -q ':exec ' exec.arc && grep -q '?exec ' exec.arc
verdict exec_marked $?
# fib calls itself: as deep as its argument, in the nesting too.
awk '!/^#/ && / fib:/ { if (!low || $5 < low) low = $5; if ($5 > high) high = $5 } END {
	exit !(high - low >= 5) }' fib.flow
verdict nested $?

# ---- damage: cut, and bytes changed, at places of the trace's own sections. What is not lost is told as
# without, but where a line follows what is lost: that is marked.
trace long.nrm2 --from main -- ./subject fib 18
"$bin/post" -arc -q -o long.arc long.nrm2
grep -v '^#' long.arc >whole
places=$(LC_ALL=C grep -abo PSEC long.nrm2 | cut -d: -f1 | while read -r at; do
	# shellcheck disable=SC2046
	set -- $(od -An -v -tu4 -j$((at + 4)) -N32 long.nrm2)	# size and type, flags, CPU, ring … stored
	[ $(($1 >> 16)) = 1 ] && [ "$4" = 1 ] || continue
	for part in 0 2 5; do echo $((at + part * (96 + $8) / 6 + part)); done
done)
damaged=0 marked=0 wrong=
for n in $places; do
	for how in cut changed; do
		if [ $how = cut ]; then
			head -c "$n" long.nrm2 >hurt.nrm2
		else
			cp long.nrm2 hurt.nrm2
			# Others than there were, whatever these are.
			byte=$(od -An -tu1 -j"$n" -N1 long.nrm2)
			printf "\\x$(printf %x $((255 - byte)))" | dd of=hurt.nrm2 bs=1 seek="$n" conv=notrunc 2>/dev/null
			cmp -s long.nrm2 hurt.nrm2 && wrong+=" [$n is as it was]"
		fi
		"$bin/post" -arc -q -o hurt.arc hurt.nrm2 2>err
		told=$?
		[ $told = 1 ] && grep -qE 'cut|damaged|section|skipped' err ||
			wrong+=" [$how at $n: $told $(head -c 200 err)]"
		grep -v '^#' hurt.arc | diff whole - | grep '^>' | grep -v '?gap ' >others &&
			wrong+=" [$how at $n: $(head -n 1 others)]"
		damaged=$((damaged + 1))
		grep -q '?gap ' hurt.arc && marked=$((marked + 1))
	done
done
[ -z "$wrong" ] && calc "$damaged > 30 && $marked * 3 > $damaged && $(wc -l <whole) > 10000"
verdict damaged $? "$damaged, $marked with marks, of $(wc -l <whole) lines:$wrong"

# ---- jitted code, before and after it moved, and what came to its place
export JITDUMPDIR=$work
trace moves.nrm2 --from main -- "$build/tests/programs/jit_moves"
is moves_ran "$(cat said)" "5 5 7"
"$bin/post" -arc -q moves.nrm2 2>/dev/null
is moves_named "$(grep -oE '(mover|settler):JITCODE' arc.out | tr '\n' ' ')" \
	"mover:JITCODE mover:JITCODE settler:JITCODE "
is moves_starts "$(awk '/:JITCODE/ { printf "%s%s ", $5, $6 }' arc.out)" "@0 @0 @0 "
sensible moves moves.nrm2
"$bin/post" -disasm -q moves.nrm2
is moves_code "$(grep -c 'mover:JITCODE' disasm.out) $(grep -c 'settler:JITCODE' disasm.out)" \
	"$(awk '/mover:JITCODE/ { n += $4 } /settler:JITCODE/ { m += $4 } END { print n, m }' arc.out)"

[ $failures -eq 0 ]
