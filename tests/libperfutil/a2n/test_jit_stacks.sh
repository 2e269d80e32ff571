#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Copies of stacks that lead through code with unwinding tables in a jitdump and no frame pointers:
# recorded by perf record --call-graph dwarf, all reach main, as perf's own stacks do when perf inject
# --jit has made ELF files of the code. By swtrace -g=dwarf too. And jitdumps that were damaged.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
unset JITDUMPDIR

[ "$(uname -m)" = x86_64 ] || {
	echo "skip jit_stacks its code is x86-64's"
	exit 77
}
perf record -q -e cpu-clock:u --call-graph dwarf,4096 -o probe.data true 2>/dev/null && [ -s probe.data ] || {
	echo "skip jit_stacks perf record does not work here"
	exit 77
}
"${CC:-gcc}" -O2 -g -fomit-frame-pointer -I"$top/libperfutil/include" -o jit_frames \
	"$top/tests/libperfutil/a2n/jit_frames.c" "$build/lib/liba2n.a" -lelf -llzma -lzstd -liberty -pthread 2>out
verdict compiles $? "$(cat out)"

# Those of a trace that lead through the program's work, from call_it on: CHAIN|COUNT
ours() { # TRACE
	"$bin/post" -q -folded -o - -r "$1" 2>err | sed -nE 's/.*;main;([a-z]+;)?(call_it;.*) ([0-9]+)$/\2|\3/p' |
		grep 'jit_' | grep -E ';(jit_[^;]*|end_cb)\|' | summed
}
theirs() { # PERF.DATA
	perf script -i "$1" -F ip,sym 2>/dev/null | awk '
		NF { chain = $2 chain; chain = ";" chain; next }
		{ print chain; chain = "" }' | sed -nE 's/.*;main;([a-z]+;)?(call_it;)/\2/p' | grep 'jit_' |
		sort | uniq -c | awk '{ print $2 "|" $1 }' | summed
}
summed() {
	awk -F'|' '{ n[$1] += $2 } END { for (c in n) print c "|" n[c] }' | sort
}
# Prints the ticks in the program's work, whatever the caller: as many as the stacks have
work_ticks() { # TRACE
	"$bin/post" -q -json -r "$1" 2>/dev/null | jq '[.processes[] | select(.name == "jit_frames") |
		.threads[].modules[] | select(.name == "JITCODE" or (.name | endswith("/jit_frames"))) |
		.symbols[] | select(.name | test("^(jit_|end_cb)")) | .ticks] | add // 0'
}
counted() { # FILE
	awk -F'|' '{ n += $2 } END { print n + 0 }' "$1"
}
recorded() { # SCENE LOOPS [RATE]: SCENE.data, its dump in dump
	perf record -q -k mono -e cpu-clock:u -F "${3:-2000}" --call-graph dwarf,8192 -o "$1.data" \
		./jit_frames "$1" "$2" >dump 2>out
	verdict "$1_recorded" $?
	dump=$(cat dump)
}
early() { # TRACE: ticks whose stacks end early or are guessed
	"$bin/post" -q -calltree -json -r "$1" -o - 2>/dev/null |
		jq '[.stacks.ended_early[].ticks] | add // 0'
}
whole() { # SCENE TRACE
	ours "$2" >have
	is "$1_all_whole" "$(counted have)" "$(work_ticks "$2")"
}

# ---- beside perf
recorded plain 40000000
whole plain plain.data
calc "$(counted have) > 200"
verdict plain_many $? "$(cat have)"
cp have plain.have
perf inject --jit -i plain.data -o injected.data >out 2>&1
verdict plain_injected $?
theirs injected.data >want
diff want have >out
verdict plain_as_perf $?
# … and its ELF files serve as well.
ours injected.data >have
diff want have >out
verdict plain_injected_same $?
cut -d'|' -f1 plain.have | grep -v '[0-9]$' >out
for chain in jit_0 jit_1 jit_2 'jit_2;jit_1'; do
	grep -qx "call_it;$chain;end_cb" out
	verdict "plain_through_${chain/;/_}" $?
done
cut -d'|' -f1 plain.have | grep -qx 'call_it;jit_1'
verdict plain_in_the_code $? "$(cat plain.have)"

# ---- a judge that can tell
recorded none 20000000
ours none.data >have
is none_whole "$(counted have)" 0
calc "$(early none.data) > 50"
verdict none_early $? "$(early none.data)"
recorded wrong 20000000
ours wrong.data | grep end_cb >have
is wrong_whole "$(counted have)" 0

# ---- the header first; code over other code, or its end; code that moved; more than is kept open
for scene in first again partly moved; do
	recorded $scene 40000000
	whole $scene $scene.data
	calc "$(counted have) > 100"
	verdict ${scene}_many $? "$(cat have)"
done
for chain in again:jit_before again:jit_after partly:jit_cut partly:jit_over; do
	ours "${chain%:*}.data" >have
	says "${chain/:/_}" have "call_it;${chain#*:};end_cb"
done
recorded many 400000 4000
whole many many.data
cut -d'|' -f1 have | sort -u | grep -c 'end_cb' >out
calc "$(cat out) > 2048"
verdict many_codes $? "$(cat out) codes"

# ---- our own trace
"$bin/swtrace" run -q -B perf -g=dwarf -F 2000 -o own.nrm2 -- ./jit_frames plain 40000000 >dump 2>out
verdict own_recorded $?
whole own own.nrm2
calc "$(counted have) > 200"
verdict own_many $? "$(cat have)"

# ---- damage: each tick stays, what is wrong is said with its place
damaged() { # NAME EXPECTED: plain.data with the dump as it is now
	"$bin/post" -calltree -json -r plain.data -o tree.json >out 2>err
	is "$1_exit" $? "$2"
	is "$1_ticks" "$(jq '[.calls[] | select(.depth == 0).total] | add' tree.json)" "$total"
}
recorded plain 20000000
cp "$dump" whole.dump
"$bin/post" -q -calltree -json -r plain.data -o tree.json
total=$(jq '[.calls[] | select(.depth == 0).total] | add' tree.json)
poke() { # OFFSET BYTES
	printf '%b' "$2" | dd of="$dump" bs=1 seek="$1" conv=notrunc status=none
}
# The first record is of tables: 40 bytes of header, 16 of prefix, then size, header's size, mapped.
poke $((40 + 16)) '\xff\xff\xff\xff\xff\xff\xff\x7f'
damaged size 1
says size_said err "$dump: at byte 40: unwinding tables larger than their record"
ours plain.data >have
grep -q 'jit_1;end_cb' have && ! grep -q 'jit_0;end_cb' have
verdict size_others $? "$(cat have)"
cp whole.dump "$dump"
poke $((40 + 24)) '\xff\xff'
damaged header_size 1
says header_size_said err "$dump: at byte 40: unwinding tables larger than their record"
cp whole.dump "$dump"
truncate -s 100 "$dump"
damaged cut 1
says cut_said err "$dump: at byte 40: the file ends inside a record"
# Any bytes of the first table: an answer, and the others' stacks are as they were.
RANDOM=11
bad=0
for ((i = 0; i < 30; i++)); do
	cp whole.dump "$dump"
	for ((k = 0; k < 4; k++)); do
		poke $((80 + RANDOM % 80)) "\\x$(printf %x $((RANDOM % 256)))"
	done
	timeout 20 "$bin/post" -q -folded -r plain.data -o folded >out 2>err || { bad=$?; break; }
	[ "$(awk '{ n += $NF } END { print n }' folded)" = "$total" ] &&
		grep -q ';call_it;jit_2;jit_1;end_cb' folded || { bad=1; break; }
done
is damaged_tables $bad 0
[ $failures = 0 ]
