#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Intel PT of a perf.data: a program that was stepped, told as a processor with Intel PT would have
# (libipt's encoder), is decoded to the branches that it took, as perf script decodes them, too.
set -u
# shellcheck source=tests/format/post_lib.sh
. "$(dirname "$0")/post_lib.sh"
image=${TESTS:-$build/tests}/format/test_pt_image
if [ "$(uname -m)" != x86_64 ] || "$post" -version | grep -q libipt; then
	echo "skip perf_pt no libipt, or not this machine's code"
	exit
fi

cat >subject.c <<'END_C'
#include <string.h>
#include <unistd.h>
static int __attribute__((noinline)) leaf(int x) { return x * 3; }
static int __attribute__((noinline)) fib(int n) { return n < 2 ? leaf(n) : fib(n - 1) + fib(n - 2); }
int main(void)
{
	char a[300], b[300];
	memset(a, 1, sizeof(a));
	memcpy(b, a, sizeof(b));
	return write(1, b, 0) + (fib(10) & 1);
}
END_C
gcc -g -O1 -fno-optimize-sibling-calls -static -o subject subject.c
# As it links shared libraries: code that is mapped while the program runs.
gcc -g -O1 -fno-optimize-sibling-calls -o dynamic subject.c

shown() { # FILE: what is told, as the truth has it
	"$post" -show -json -q -o - "$1" 2>err | jq -r 'if .record == "ubranch" then "\(.from) \(.to) \(.count) \(.kind)"
		elif .record == "ubreak" then "\(.at) \(.to) \(.count) off"
		elif .record == "itstop" and .count > 0 then "\(.address) 0x0 \(.count) \(.kind)" else empty end'
}
equal() { # NAME [KIND]... PROGRAM
	local name=$1
	shift
	"$image" "${@:1:$#-1}" "$name.data" "$name.truth" "./${*: -1}" >out 2>why || return 1
	shown "$name.data" >have
	[ "$(wc -l <have)" -gt 4000 ] && diff "$name.truth" have >why
}
equal plain subject
verdict thread
equal pieces pieces subject
verdict two_pieces
equal interrupts interrupts subject && grep -c ' off$' have >why && [ "$(cat why)" -gt 50 ]
verdict interrupts
equal cpu cpus interrupts subject
verdict of_a_cpu
equal dynamic dynamic
verdict shared_libraries

# What the processor lost is a gap; the branch whose end it was is lost with it.
"$image" overflow lost.data lost.truth ./subject && shown lost.data >have &&
	grep -B1 gap lost.truth | cat >cut && [ "$(wc -l <cut)" = 2 ] && grep -vxFf cut lost.truth >want && diff want <(grep -vxFf cut have | grep -v '^0x0 ') >why &&
	[ "$("$post" -show -json -q -o - lost.data | jq -r 'select(.flags? == ["gap"]) | .record' | wc -l)" = 1 ]
verdict overflow
code 0 "$post" -arc -q -o arc lost.data && has arc '# ?gap          1'
verdict gap_in_arc

# The reports of instruction traces.
code 0 "$post" -tree -folded -q plain.data && has out ';main;fib;fib;fib;fib;fib;fib;fib;fib;fib;leaf '
verdict tree
want=$(awk '$4 != "gap" { n += $3 } END { print n }' plain.truth)
code 0 "$post" -arc -q -o arc plain.data && has arc "# Instructions  $want in"
verdict instructions
code 0 "$post" -verify -q -o - plain.data && has out " $(wc -l <plain.truth) right" && has out '   0 wrong' &&
	has out '   0 not checked'
verdict verified
code 0 "$post" -info plain.data && has out 'bytes of Intel PT, decoded'
verdict info

# ---- damage: no crash, what stands before it is told
cut_at() { # BYTES
	head -c "$1" plain.data >cut.data
	"$post" -show -json -q -o cut.json cut.data >out 2>err
	[ $? -le 2 ] || { echo "cut at $1" >why; return 1; }
}
size=$(stat -c %s plain.data)
every cut_at $(seq 1 $((size / 60)) "$size")
verdict cut
# Of Intel PT's data what is there is decoded: the very same branches, up to the cut.
head -c $((size - 2000)) plain.data >cut.data
code 1 "$post" -show -q -o cut.show cut.data && has err "$((size - 2000))" && shown cut.data | sed '$d' >have &&
	[ "$(wc -l <have)" -gt 1000 ] && diff <(head -n "$(wc -l <have)" plain.truth) have >why
verdict cut_data_decoded
# Data that say they are longer than the file, by one byte or beyond all memory: what is there is taken.
longer() { # BYTES
	perl -e '
		local $/; my $d = <STDIN>; my $more = shift;
		my $at = index $d, pack "LSS", 71, 0, 48;
		die "no AUXTRACE record" if $at < 0;
		my $size = unpack "Q", substr $d, $at + 8, 8;
		$d = substr $d, 0, $at + 48 + $size;
		substr($d, $at + 8, 8) = pack "Q", $size + $more;
		print $d' "$1" <plain.data >longer.data || return 1
	(ulimit -v 4000000 && code 1 "$post" -show -q -o longer.show longer.data) || return 1
	shown longer.data >have && diff plain.truth have >why
}
every longer 1 8 4096 $((1 << 40)) $((1 << 62))
verdict longer_than_the_file

flip() { # BYTE
	cp plain.data bad.data
	printf '\125\252\377' | dd of=bad.data bs=1 seek="$1" conv=notrunc status=none
	"$post" -arc -q -o arc bad.data >out 2>err
	[ $? -le 2 ] || { echo "byte $1" >why; return 1; }
}
first=$(grep -abo -m1 "$(printf '\002\202\002\202\002\202')" plain.data | head -n 1 | cut -d: -f1)
every flip $(seq $((first + 16)) $(((size - first) / 60)) $((size - 100)))
verdict flipped
cp plain.data bad.data
head -c 40 /dev/zero | tr '\0' '\377' | dd of=bad.data bs=1 seek=$((first + 600)) conv=notrunc status=none
code 1 "$post" -arc -q -o arc bad.data && has err 'Intel PT: ' && has err 'at byte ' && has arc '?gap'
verdict damaged

# ---- a few bytes that mean more instructions than anybody has time for
cat >sled.S <<'END_S'
.globl _start
_start:	mov $2, %ecx
1:	.rept 20000
	nop
	.endr
	dec %ecx
	jnz 1b
	mov $60, %eax
	xor %edi, %edi
	syscall
END_S
gcc -nostdlib -static -o sled sled.S
"$image" repeats sled.data sled.truth ./sled >out 2>why
code 1 timeout 60 "$post" -arc -q -o arc sled.data && has err 'more instructions than such data can mean' &&
	awk '/^# Instructions/ { exit !($3 > 64000000 && $3 < 128000000) }' arc
verdict instructions_bounded

# ---- as perf has it
if ! perf script -i plain.data --itrace=Zb >/dev/null 2>&1; then
	echo "skip perf_pt_perf perf does not work here"
	finish
fi
as_perf() { # NAME
	perf script -i "$1.data" --itrace=Zb -F ip,addr 2>/dev/null | awk '$1 != "0" && $3 != "0" { print "0x" $1, "0x" $3 }' >want
	shown "$1.data" | awk '$4 !~ /^(off|exit|on)$/ { print $1, $2 }' >have
	[ "$(wc -l <want)" -gt 4000 ] && diff want have >why
}
as_perf plain
verdict as_perf
as_perf dynamic
verdict as_perf_dynamic
finish
