#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/fuzz/seeds in a tree of its own: the same seeds make the same archive; and what replays archives
# replays each seed of them, and says so when it cannot.
set -u

# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"
tree=$work/tree
mkdir -p "$tree/tests/fuzz" "$tree/tests/data/fuzz" && cp "$top/tests/fuzz/seeds" "$tree/tests/fuzz/" &&
	touch "$tree/tests/fuzz/fuzz_toy.c" && cd "$work" || exit 1
seeds=$tree/tests/fuzz/seeds archive=$tree/tests/data/fuzz/toy.tar
printf one >one && head -c 1000 /dev/zero >two && : >none

"$seeds" add toy two && "$seeds" add toy one none && [ "$("$seeds" list toy | paste -sd' ')" = 'none one two' ] &&
	[ "$("$seeds" bytes toy)" = 1003 ]
verdict added $? "$("$seeds" list toy)"

cp "$archive" first && rm "$archive" && touch -d @1 one && chmod 600 two && "$seeds" add toy none && "$seeds" add toy one two &&
	cmp first "$archive"
verdict same_bytes $? 'another order, time and mode make another archive'

mkdir other && printf other >other/one && ! "$seeds" add toy other/one 2>err && grep -q 'another seed one' err &&
	cmp first "$archive" && "$seeds" add toy one && cmp first "$archive"
verdict not_replaced $? "$(cat err)"

"$seeds" unpack toy un && cmp un/one one && cmp un/two two && [ ! -s un/none ] && [ "$(find un -type f | wc -l)" = 3 ]
verdict unpacked $? "$(ls -l un)"

"$seeds" remove toy two && [ "$("$seeds" list toy | paste -sd' ')" = 'none one' ] && ! "$seeds" remove toy two 2>err
verdict removed $? "$("$seeds" list toy)"

! "$seeds" add nothing one 2>err && grep -q 'no fuzz target nothing' err && [ ! -e "$tree/tests/data/fuzz/nothing.tar" ]
verdict no_target $? "$(cat err)"

# ---- each target replays all of its archive
cd "$top" || exit 1
wrong=''
for archive in tests/data/fuzz/*.tar; do
	name=$(basename "$archive" .tar)
	[ "$name" = record ] || [ "$name" = maps ] || [ "$name" = perf ] || continue
	"$build/tests/fuzz/fuzz_$name" "$archive" >"$work/out" 2>&1 &&
		[ "$(sed -n 's/^# \([0-9]*\) inputs/\1/p' "$work/out")" = "$(tests/fuzz/seeds list "$name" | wc -l)" ] ||
		wrong="$wrong $name"
done
is replayed "$wrong" ''

# A truncated or invalid archive is not accepted as seeds.
replay=$build/tests/fuzz/fuzz_record
head -c 520 tests/data/fuzz/record.tar >"$work/cut.tar"
head -c 4096 "$replay" >"$work/none.tar"
: >"$work/empty.tar"
! "$replay" "$work/cut.tar" >"$work/out" 2>"$work/err" && grep -q 'byte 0: not a seed' "$work/err" &&
	! "$replay" "$work/none.tar" >"$work/out" 2>"$work/err" && grep -q 'byte 0: not a seed' "$work/err" &&
	! "$replay" "$work/empty.tar" >"$work/out" 2>"$work/err" && grep -q '^not ok' "$work/out"
verdict refused $? "$(cat "$work/out" "$work/err")"

is none_loose "$(find tests/data/fuzz -mindepth 2)" ''
exit $((failures != 0))
