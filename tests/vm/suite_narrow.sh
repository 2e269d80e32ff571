#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# suite_narrow.sh KERNEL x86_64 PART CALLS [RATE]: a 32-bit program on a 64-bit kernel, under an
# instruction counter: names in it, in its C library and in its vdso, shares, callers, system calls.
. "$(dirname "$0")/suite.sh"
part=$1 calls=$2 rate=${3:-20000}
libs=/usr/i686-linux-gnu/lib

booted guest --icount --add "$programs/narrow/narrow:/usr/local/bin/narrow" \
	--add "$libs/ld-linux.so.2:/lib/ld-linux.so.2" \
	--add "$libs/libc.so.6:/usr/lib/i386-linux-gnu/libc.so.6" --get '/tmp/*.nrm2' --get '/tmp/*.txt' -- \
	tests/vm/guest/narrow.sh "$rate" "$part" "$calls" || exit 1
sympath=$programs/narrow:$libs:$sympath
report "$out/fp.nrm2" && records "$out/fp.nrm2" || exit 1

# said TRACE OPTION...: the program's part of that report, as JSON
said() {
	local trace=$out/$1 rc=0
	shift
	"$build/bin/post" -q -json "$@" -sympath "$sympath" -r "$trace" >"$out/said.json" || rc=$?
	[ $rc -le 1 ] || not_ok "post_${1#-}" "exit code $rc"
}

# ---- names, shares
jq -r '.processes[] | select(.name == "narrow") | .threads[].modules[] | .name as $m | .symbols[] |
	"\($m | sub(".*/"; "")) \(.name) \(.ticks)"' "$out/fp.nrm2.json" >"$out/named"
ticks() { # MODULE SYMBOL
	awk -v m="$1" -v s="$2" '$1 == m && $2 == s { n += $3 } END { print n + 0 }' "$out/named"
}
inner=$(ticks narrow inner) alone=$(ticks narrow alone)
echo "# inner $inner, alone $alone, memfrob $(ticks libc.so.6 memfrob) ticks"
# Thirty stretches, each of which may begin and end a tick early or late: some 10 ticks of 1,700.
calc "$inner > 1000 && $inner > 0.975 * $alone && $inner < 1.025 * $alone"
verdict shares $? "inner $inner, alone $alone ticks, which do the same work"
# A turn has 2 instructions, memfrob's loop 4, each 65536 times.
calc "$(ticks libc.so.6 memfrob) > 0.98 * $alone / 80 * 4 * 65.536 &&
	$(ticks libc.so.6 memfrob) < 1.02 * $alone / 80 * 4 * 65.536"
verdict library_share $? "$(ticks libc.so.6 memfrob) ticks in memfrob"
# Only a kernel with CHECKPOINT_RESTORE shows the vdso of 32-bit programs; the debug kernel has none.
shows_vdso=$(is_debug || echo yes)
if [ "$shows_vdso" ]; then
	calc "$(awk '$1 == "[vdso32]" && $2 ~ /^__vdso_clock_gettime/ { n += $3 } END { print n + 0 }' \
		"$out/named") > 20"
	verdict vdso $? "$(grep vdso "$out/named" | tr '\n' ' ')"
fi
equal no_tick_by_the_other_vdso "$(grep -c '^\[vdso\] ' "$out/named")" 0
# A kernel that looks for mistakes is late by more than a period now and then.
jq -e --argjson late "$(is_debug && echo 20 || echo 0)" '.unknown.no_module == 0 and
	.unknown.unsure == 0 and all(.lost[]; .kind == "overruns" and .count <= $late)' \
	"$out/fp.nrm2.json" >/dev/null
verdict no_tick_unknown $? "$(jq -c '[.unknown, .lost]' "$out/fp.nrm2.json")"
# Each tick by its address, as nm has it; jumps to the library (@plt) have no symbol there.
$judge symbols "$out/fp.nrm2.show" "$programs/narrow/narrow" >"$out/judged"
sed -n 's/^narrow //p' "$out/named" |
	awk '$1 ~ /@plt$/ { plt += $2; next } { print } END { if (plt) print "OUTSIDE", plt }' |
	LC_ALL=C sort | diff - <(LC_ALL=C sort "$out/judged") >"$out/differ"
verdict symbols_by_address $? "$(tr '\n' ' ' <"$out/differ")"

# ---- callers by frame pointers
said fp.nrm2 -callers
by() { # CALLER: its part of inner's ticks, in percent
	jq --arg c "$1" '.symbols[] | select(.name == "inner") |
		100 * ([.callers[] | select(.name == $c).ticks] | add // 0) / .total' "$out/said.json"
}
echo "# inner by by_three $(by by_three) %, by by_one $(by by_one) %"
calc "$(by by_three) > 74 && $(by by_three) < 76 && $(by by_one) > 24 && $(by by_one) < 26"
verdict callers $? "by_three $(by by_three) %, by_one $(by by_one) %"
equal callers_callers "$(jq -c '[.symbols[] | select(.name == "by_three" or .name == "by_one") |
	.callers[].name] | unique' "$out/said.json")" '["main"]'

# ---- callers by unwinding tables
"$build/bin/post" -q -folded -sympath "$sympath" -r "$out/dwarf.nrm2" >"$out/folded"
share() { # PATTERN of a whole stack: its ticks in percent of those that end like it
	awk -v p="$1" -v end="$2" '$0 ~ end { all += $NF } $0 ~ p { n += $NF }
		END { printf "%.1f", all ? 100 * n / all : 0 }' "$out/folded"
}
# A stretch of by_one has but two ticks here, and ten of them may each miss or gain a half.
begin='^narrow;_start;(.*;)?main'
for each in "by_three;inner 69 81" "by_one;inner 19 31" "alone 99 100" "scramble;memfrob 99 100"; do
	read -r chain least most <<<"$each"
	have=$(share "$begin;$chain [0-9]+\$" ";${chain##*;} [0-9]+\$")
	calc "$have >= $least && $have <= $most"
	verdict "unwound_${chain//;/_}" $? "$have %"
done

# Few kernels have an unwinding table for the vdso's C code: otherwise such a stack ends there, or it is complete.
sed -nE 's/;(__vdso_clock_gettime(64)?) [0-9]+$/;\1/p' "$out/folded" |
	grep -vE "^narrow;__vdso|$begin;clocks;(clock_gettime;)?(__clock_gettime64;)?__vdso" >"$out/strange"
equal vdso_has_no_wrong_callers "$(cat "$out/strange")" ''
if [ "$shows_vdso" ]; then
	grep -q ';__vdso_clock_gettime' "$out/folded"
	verdict vdso_is_there $? "no such stack"

	# Where it slept: out of the vdso's own entry to the kernel, through the library.
	"$build/bin/post" -q -offcpu -folded -sympath "$sympath" -r "$out/dwarf.nrm2" >"$out/slept"
	grep -qE "$begin;sleeps;(.*;)?__kernel_vsyscall;.*_\[k\] [0-9]+\$" "$out/slept"
	verdict unwound_through_the_vdso $? "$(head -n 3 "$out/slept")"
fi

# ---- system calls, by the table of 32-bit programs
said dwarf.nrm2 -syscalls
for call in getppid:64 umask:60; do
	equal "calls_${call%:*}" "$(jq -c --arg c "${call%:*}/32" '[.syscalls.calls[] |
		select(.call == $c) | .number, .compat, .time.count]' "$out/said.json")" \
		"[${call#*:},true,$calls]"
done
equal no_call_by_the_other_table \
	"$(jq -c '[.syscalls.threads[] | select(.process == "narrow" and (.compat | not)).call] - ["execve"]' \
		"$out/said.json")" '[]'
exit $code
