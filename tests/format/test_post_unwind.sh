#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Stack copies of a program without frame pointers, walked by its unwinding tables: the calls are
# those of its source. Then copies that are too short, files that are gone, files that are damaged.
set -u
# shellcheck source=tests/format/post_lib.sh
. "$(dirname "$0")/post_lib.sh"

make_stacks=${TESTS:-$build/tests}/format/test_unwind
cp "$make_stacks" victim && ./victim whole.nrm2 || exit 1

# chain PROCESS: its calls from the outermost to the innermost, those of libc as one dot
chain() {
	jq -r --arg process "$1" '.calls as $c | ($c[] | select(.depth == 0 and .name == $process).id)
		as $root | [$c[] | select(.parent == $root)] | first |
		[recurse(.id as $id | $c[] | select(.parent == $id))] |
		map(if .module | test("/libc\\.so|ld-") then "." else .name end) | join(" ")' \
		tree.json | sed 's/\.\( \.\)*/./g'
}
equal() { # NAME GOT WANTED
	[ "$2" = "$3" ] || printf 'got    %s\nwanted %s\n' "$2" "$3" >why
	[ "$2" = "$3" ]
	verdict "$1"
}
ended() { # WHY: ticks
	jq --arg why "$1" '[.stacks.ended_early[] | select(.why | contains($why)).ticks] | add // 0' \
		tree.json
}

code 0 "$post" -calltree -json whole.nrm2 && cp out tree.json
verdict read
equal plain "$(chain plain)" "_start . main call_plain call_variable . call_compare call_again \
call_again call_again call_again end_leaf"
equal through_a_signal "$(chain signal)" "_start . main call_raise . call_handler end_leaf"
equal of_a_thread "$(chain thread)" ". call_thread end_leaf"
if [ "$(uname -m)" = x86_64 ]; then
	equal through_code_made_at_run_time "$(chain made)" \
		"_start . main call_made JitUnannounced end_leaf"
	equal guessed "$(ended 'by frame pointers')" 10
else
	echo "skip post_unwind_made its code is x86-64's"
fi
equal deep_innermost "$(chain deep | tr ' ' '\n' | sort | uniq -c | awk '{ print $1, $2 }' |
	paste -sd' ')" "126 call_deep 1 end_leaf"
equal deep_cut "$(ended 'deeper than')" 10
equal nothing_else_ends "$(ended 'too short') $(ended 'table for the code')" "0 0"
code 0 "$post" -folded whole.nrm2 && has out ';call_handler;end_leaf 10'
verdict folded

# ---- a copy too short: what it holds is right, and it is said
./victim short.nrm2 512 && code 0 "$post" -calltree -json short.nrm2 && cp out tree.json
verdict short_copy
case " $(chain plain)" in
" call_plain "* | *main*) false ;;
*" call_again end_leaf") ;;
*) false ;;
esac
verdict short_copy_chain
[ "$(ended 'too short')" -ge 30 ]
verdict short_copy_is_told
./victim none.nrm2 0 && code 0 "$post" -calltree -json none.nrm2 && cp out tree.json &&
	[ "$(chain signal)" = end_leaf ] && [ "$(ended 'too short')" -ge 40 ]
verdict no_copy

# ---- without the program: every tick is there, the stack ends in words
mv victim gone
code 0 "$post" -calltree -json whole.nrm2 && cp out tree.json &&
	jq -e '[.calls[] | select(.depth == 0).total] | add == 50' out >why &&
	[ $(($(ended 'table for the code') + $(ended 'by frame pointers'))) -ge 50 ]
verdict file_is_gone
mkdir elsewhere && mv gone elsewhere/victim &&
	code 0 "$post" -calltree -json -sympath "$PWD/elsewhere" whole.nrm2 && cp out tree.json
equal file_by_sympath "$(chain signal)" "_start . main call_raise . call_handler end_leaf"

# ---- damaged tables: any answer, but an answer
RANDOM=7
size=$(stat -c %s elsewhere/victim)
bad=0
for ((i = 0; i < 40; i++)); do
	cp elsewhere/victim victim
	for ((k = 0; k < 40; k++)); do
		printf '%b' "\\x$(printf %x $((RANDOM % 256)))" |
			dd of=victim bs=1 seek=$(((RANDOM * 32768 + RANDOM) % size)) conv=notrunc status=none
	done
	"$post" -calltree -json whole.nrm2 >out 2>err || { bad=$?; break; }
	jq -e '[.calls[] | select(.depth == 0).total] | add == 50' out >why || { bad=1; break; }
done
[ $bad = 0 ]
verdict damaged_tables
finish
