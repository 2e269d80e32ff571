#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Intel PT of a perf.data: a stepped program, encoded as by a processor with Intel PT (libipt's encoder), is decoded
# to the branches that it took, as by perf script.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
image=${TESTS:-$build/tests}/programs/pt_image
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

shown() { # FILE: the decoded branches, in the format of the truth. By perl: jq takes ten times as long.
	"$post" -show -json -q -o - "$1" 2>err | perl -ne 'my %v = /"(record|kind|from|to|count|at|address)":"?([^",}]*)/g;
		print $v{record} eq "ubranch" ? "$v{from} $v{to} $v{count} $v{kind}\n" :
			$v{record} eq "ubreak" ? "$v{at} $v{to} $v{count} off\n" :
			$v{record} eq "itstop" && $v{count} > 0 ? "$v{address} 0x0 $v{count} $v{kind}\n" : ""'
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

# Data that the processor lost are a gap; the branch that the gap interrupted is lost with it.
"$image" overflow lost.data lost.truth ./subject && shown lost.data >have &&
	grep -B1 gap lost.truth | cat >cut && [ "$(wc -l <cut)" = 2 ] && grep -vxFf cut lost.truth >want && diff want <(grep -vxFf cut have | grep -v '^0x0 ') >why &&
	[ "$("$post" -show -json -q -o - lost.data | grep -c '"flags":\["gap"\]')" = 1 ]
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

# ---- damage: what is wrong is said, with its place; what stands before it and behind it is read
size=$(stat -c %s plain.data)
end=$(od -An -tu8 -j40 -N16 plain.data | awk '{ print $1 + $2 }')	# of the data; an index follows
first=$(grep -abo -m1 "$(printf '\002\202\002\202\002\202')" plain.data | head -n 1 | cut -d: -f1)
second=$(grep -abo "$(printf '\002\202\002\202\002\202\002\202')" plain.data | cut -d: -f1 |
	awk -v first="$first" '$1 > first + 16' | head -n 1)
all=$(wc -l <plain.truth)
told_before() { # BYTES: branches that these bytes of Intel PT's data are sufficient for
	awk -v b="$1" '$1 + 16 <= b' plain.truth.at | wc -l
}
at_most_before() {
	awk -v b="$1" '$1 <= b' plain.truth.at | wc -l
}
bad() { # WHY: with what was said
	{ echo "$1"; head -n 5 err; } >why
	false
}
read_all_the_same() { # FILE: the reported number of records is that of the records shown
	local n
	n=$("$post" -show -json -q -o - "$1" 2>/dev/null | wc -l)
	has err "$n records were read all the same" || bad "$n records"
}
cut_at() { # BYTES
	local rc n
	head -c "$1" plain.data >cut.data
	"$post" -show -q -o cut.show cut.data >out 2>err
	rc=$?
	cp err said
	shown cut.data >have
	cp said err
	n=$(wc -l <have)
	if [ "$1" -lt 72 ]; then
		[ $rc = 2 ] && has err 'cut.data: at byte ' || bad "cut at $1: code $rc"
	elif [ "$1" -ge "$end" ]; then
		{ [ $rc = 0 ] && [ ! -s err ]; } || { [ $rc = 1 ] && [ "$1" -lt "$size" ] &&
			has err "at byte $end: the table of features is not in the file"; } ||
			bad "cut at $1: code $rc" || return
		diff plain.truth have >why
	else
		[ $rc = 1 ] && has err "cut.data: at byte $1: the file ends here" || bad "cut at $1: code $rc" || return
		[ "$1" -lt 256 ] || read_all_the_same cut.data || return
		# The last one is what ran up to the cut.
		diff <(head -n $((n ? n - 1 : 0)) plain.truth) <(head -n $((n ? n - 1 : 0)) have) >why || return
		[ "$1" -le "$first" ] || { [ "$n" -ge "$(told_before $(($1 - first)))" ] &&
			[ "$n" -le $(($(at_most_before $(($1 - first))) + 1)) ]; } || bad "cut at $1: $n branches"
	fi
}
every cut_at 1 8 15 104 255 256 257 $(seq 400 $((size / 14)) "$size") "$first" $((first + 8)) \
	$((first + 17)) $((second + 8)) $((end - 1)) "$end" "$size"
verdict cut
# The available part of Intel PT's data is decoded: the same branches, up to the cut.
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

flip() { # BYTE: three of them are others
	local rc at same back=0 want lost
	cp plain.data bad.data
	printf '\125\252\377' | dd of=bad.data bs=1 seek="$1" conv=notrunc status=none
	"$post" -show -q -o bad.show bad.data >out 2>err
	rc=$?
	cp err said
	# If the bytes were a time, the end may be after the program's, and is not shown as its own.
	shown bad.data | tee shown | sed '$s/ on$/ exit/' >have
	cp said err
	# The data before the missing bytes are decoded, and those after the next synchronization point.
	same=$(cmp plain.truth have 2>&1 | sed -n 's/.*line //p')
	want=$(told_before $(($1 - first)))
	[ "$1" -ge $((first + 60)) ] || want=0		# where decoding could begin is lost
	# The last one is known by the packet behind it, which may be the one that the bytes are in.
	[ "${same:-$((all + 1))}" -ge "$want" ] || [ "$want" = 0 ] ||
		bad "byte $1: ${same:-all} branches before, not $want" || return
	if [ "$1" -lt $((second - 2)) ]; then
		back=$(awk -v b=$((second - first + 64)) '$1 >= b' plain.truth.at | wc -l)
		diff <(tail -n "$back" plain.truth) <(tail -n "$back" have) >why || bad "byte $1: behind" || return
	fi
	if cmp -s plain.truth have; then
		return
	elif [ $rc = 1 ]; then
		at=$(sed -nE 's/.*bad.data: at byte ([0-9]+): Intel PT: .*/\1/p' err | head -n 1)
		[ "${at:-0}" -ge "$first" ] && [ "$at" -le "$end" ] && read_all_the_same bad.data ||
			bad "byte $1: place ${at:-none}"
	else
		# Other packets than there were, and right ones: what is missing is marked.
		lost=$("$post" -show -json -q -o - bad.data | grep -c '"flags":\["gap"\]')
		[ $rc = 0 ] && { [ "$lost" -ge 1 ] || [ "$(tail -n 1 shown | cut -d' ' -f4)" = on ]; } ||
			bad "byte $1: code $rc, nothing is said"
	fi
}
every flip "$first" $((first + 4)) $((first + 14)) $((first + 20)) \
	$(seq $((first + 60)) $(((end - first) / 14)) $((end - 20))) $((second + 1)) $((second + 15))
verdict flipped
# A synchronization point that is damaged is reported, and decoding begins at the next one.
for at in 0 12 16; do
	cp plain.data bad.data
	printf '\125\252\377' | dd of=bad.data bs=1 seek=$((first + at)) conv=notrunc status=none
	code 1 "$post" -arc -q -o arc bad.data && has err "at byte $first: Intel PT: " && has arc '?gap' &&
		shown bad.data >have && [ "$(wc -l <have)" -gt 1000 ] && diff <(tail -n "$(wc -l <have)" plain.truth) have >why
	verdict "begin_damaged_$at"
done
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
	"$post" -info sled.data >info && bytes=$(sed -nE 's/^aux data : ([0-9]+) bytes of Intel PT.*/\1/p' info) && [ "$bytes" -gt 1000 ] &&
	awk -v most=$(((1 << 26) + 4096 * bytes)) '/^# Instructions/ { print $3, most > "why"; exit $3 != most }' arc
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
