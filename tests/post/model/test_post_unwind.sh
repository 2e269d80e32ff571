#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Stack copies of a program without frame pointers, walked by its unwinding tables: the calls are
# those of its source. Then copies that are too short, files that are gone, files that are damaged.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

make_stacks=${TESTS:-$build/tests}/programs/stack_copies
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

# ---- copies of other machines, and of 32 bits: programs that never ran here, stacks made by hand
cat >foreign.S <<'END'
#if defined(__i386__)
#define WORD .long
#define SAVE(n)	sub $n, %esp; .cfi_adjust_cfa_offset n
#define CALL	call
#define OUTERMOST .cfi_undefined eip
#elif defined(__x86_64__)
#define WORD .quad
#define SAVE(n)	sub $n, %rsp; .cfi_adjust_cfa_offset n
#define CALL	call
#define OUTERMOST .cfi_undefined rip
#elif defined(__aarch64__)
#define WORD .quad
#define SAVE(n)	sub sp, sp, n; .cfi_def_cfa_offset n; str x30, [sp, (n - 8)]; .cfi_offset x30, -8
#define CALL	bl
#define OUTERMOST .cfi_undefined x30
#elif defined(__powerpc64__)
#define WORD .quad
#define SAVE(n)	stdu 1, -n(1); .cfi_def_cfa_offset n; mflr 0; std 0, (n - 8)(1); .cfi_offset 65, -8
#define CALL	bl
#define OUTERMOST .cfi_undefined 65
#endif
	.text
	.macro function name
	.globl \name
	.type \name, %function
\name:	.cfi_startproc
	.endm
	.macro done name
	.cfi_endproc
	.size \name, . - \name
	.endm
	function _start
	OUTERMOST
	CALL call_outer
.Lin_start: nop
	done _start
	function call_outer
	SAVE(48)
	CALL end_leaf
.Lin_outer: nop
	done call_outer
	function end_leaf
	SAVE(32)
.Lhere:	nop
	done end_leaf
	.section .places, "a"
	WORD .Lin_start, .Lin_outer, .Lhere
END
# word BYTES VALUE: as it lies in memory
word() {
	local i text=''
	for ((i = 0; i < $1; i++)); do
		text+=$(printf %02x $(($2 >> 8 * i & 255)))
	done
	echo "$text"
}
# foreign NAME MACHINE BITS REGISTERS SP MASK COMPILER...: MASK is what return addresses are signed with
foreign() {
	local name=$1 machine=$2 bits=$3 regs=$4 sp=$5 mask=$6 start outer at stack='' i bytes
	shift 6
	command -v "$1" >/dev/null && "$@" -nostdlib -static -Wl,-Ttext=0x401000,--build-id=none -o "foreign_$name" \
		foreign.S 2>why || {
		echo "skip post_unwind_$name no compiler for it"
		return
	}
	bytes=$((bits / 8))
	objcopy -O binary -j .places "foreign_$name" places 2>why ||
		"${1%gcc}objcopy" -O binary -j .places "foreign_$name" places
	read -r start outer at < <(od -A n -v -t u$bytes -w$((3 * bytes)) places)
	# On x86 the return address is above the frame, on the others at its end.
	if [ "$sp" = 7 ] || [ "$sp" = 4 ]; then
		for ((i = 0; i < 32 / bytes; i++)); do stack+=$(word $bytes 0x1111); done
		stack+=$(word $bytes "$outer")
		for ((i = 0; i < 48 / bytes; i++)); do stack+=$(word $bytes 0x2222); done
		stack+=$(word $bytes "$start")
	else
		for ((i = 0; i < 24 / bytes; i++)); do stack+=$(word $bytes 0x1111); done
		stack+=$(word $bytes $((outer | mask)))
		for ((i = 0; i < 40 / bytes; i++)); do stack+=$(word $bytes 0x2222); done
		stack+=$(word $bytes $((start | mask)))
	fi
	stack+=$(word 8 0)$(word 8 0)
	"${make_stacks%stack_copies}post_script" --machine="$machine" foreign.nrm2 <<-STORY
		0 on
		0 task walk 9 1 foreign
		0 map 9 0x401000 0x1000 0x1000 $work/foreign_$name
		10 copy 0 9 $bits $regs $sp 0x7ffde000 $at $stack
		20 off
	STORY
	code 0 "$post" -calltree -json foreign.nrm2 && cp out tree.json
	equal "of_$name" "$(chain foreign), $(jq -c '.stacks.ended_early | map(select(.ticks > 0).why)' tree.json)" \
		"_start call_outer end_leaf, []"
}
foreign x86_64 x86_64 64 17 7 0 x86_64-linux-gnu-gcc
foreign i386 x86_64 32 9 4 0 i686-linux-gnu-gcc
foreign i686 i686 32 9 4 0 i686-linux-gnu-gcc
foreign aarch64 aarch64 64 33 31 0 aarch64-linux-gnu-gcc
foreign aarch64_signed aarch64 64 33 31 $((0x2a << 48)) aarch64-linux-gnu-gcc
foreign ppc64le ppc64le 64 33 1 0 powerpc64le-linux-gnu-gcc
# An unknown machine: only the sampled address.
if [ -e foreign_x86_64 ]; then
	"${make_stacks%stack_copies}post_script" --machine=unheard foreign.nrm2 <<-STORY
		0 on
		0 task walk 9 1 foreign
		0 map 9 0x401000 0x1000 0x1000 $work/foreign_x86_64
		10 copy 0 9 64 17 7 0x7ffde000 0x40100e 0000000000000000
		20 off
	STORY
	code 0 "$post" -calltree -json foreign.nrm2 && cp out tree.json &&
		jq -e '[.calls[] | select(.depth == 0).total] | add == 1' out >why
	verdict of_no_machine
fi

# ---- damaged tables: any answer, but an answer
bad=0
for ((i = 0; i < 40; i++)); do
	perl -e 'srand $ARGV[0]; local $/; open my $f, "<:raw", "elsewhere/victim" or die; my $all = <$f>;
		substr($all, rand length $all, 1) = chr rand 256 for 1 .. 40;
		open my $to, ">:raw", "victim" or die; print $to $all' $((7 + i)) || { bad=1; break; }
	"$post" -calltree -json whole.nrm2 >out 2>err || { bad=$?; break; }
	jq -e '[.calls[] | select(.depth == 0).total] | add == 50' out >why || { bad=1; break; }
done
[ $bad = 0 ]
verdict damaged_tables
finish
