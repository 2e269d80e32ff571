#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each form of a number, an address, a name, a reference and a list of ranges that DWARF 5 has, also those that no
# compiler here writes and LLVM 14 does not read; rows of a line table that are not in order, with an opcode that nobody
# knows: liba2n (a2n_lines) says what was written, in either byte order.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
lines=${TESTS:-$build/tests}/programs/a2n_lines
for tool in llvm-mc ld.lld readelf; do
	command -v $tool >/dev/null || {
		echo "skip ${suite} $tool is not installed"
		exit 77
	}
done
cd "$work" || exit 1

# One function of 16 bytes for each case, all inside of `outer`: a function that is inlined there. Names are said by one
# form, what was inlined by another, where it is by a third.
cat >forms.pl <<'END'
use strict;
my @strings = map { "by_$_" } qw(strx strx1 strx2 strx3 strx4 strp line_strp string);
my %size = (1 => '.byte', 2 => '.short', 4 => '.long', 8 => '.quad');
my $big = ($ARGV[0] // '') eq 'big';
sub three {	# 24 bits
	my @b = ($_[0] & 255, $_[0] >> 8 & 255, $_[0] >> 16);
	return "\t.byte " . join(', ', $big ? reverse @b : @b);
}
my %form = (addr => 0x01, block2 => 0x03, block4 => 0x04, data2 => 0x05, data4 => 0x06, data8 => 0x07, string => 0x08,
	block => 0x09, block1 => 0x0a, data1 => 0x0b, flag => 0x0c, sdata => 0x0d, strp => 0x0e, udata => 0x0f, ref_addr => 0x10,
	ref1 => 0x11, ref2 => 0x12, ref4 => 0x13, ref8 => 0x14, ref_udata => 0x15, indirect => 0x16, sec_offset => 0x17,
	exprloc => 0x18, flag_present => 0x19, strx => 0x1a, addrx => 0x1b, data16 => 0x1e, line_strp => 0x1f,
	implicit_const => 0x21, loclistx => 0x22, rnglistx => 0x23, strx1 => 0x25, strx2 => 0x26, strx3 => 0x27, strx4 => 0x28,
	addrx1 => 0x29, addrx2 => 0x2a, addrx3 => 0x2b, addrx4 => 0x2c);
my ($abbrevs, $info, @refs, $code) = ('', '', (), 0);
sub abbrev {	# TAG CHILDREN [ATTRIBUTE FORM]...
	my ($tag, $children, @a) = @_;
	$code++;
	$abbrevs .= "\t.uleb128 $code, $tag\n\t.byte $children\n";
	while (my ($a, $f) = splice @a, 0, 2) {
		$abbrevs .= "\t.uleb128 $a, $form{$f}\n";
		$abbrevs .= "\t.sleb128 7\n" if $f eq 'implicit_const';
	}
	$abbrevs .= "\t.byte 0, 0\n";
	$info .= "\t.uleb128 $code\n";
}
# Unit: stmt_list, name, str_offsets_base, addr_base, rnglists_base, low_pc, high_pc
abbrev(0x11, 1, 0x10 => 'sec_offset', 0x03 => 'string', 0x72 => 'sec_offset', 0x73 => 'sec_offset', 0x74 => 'sec_offset',
	0x11 => 'addr', 0x12 => 'data4');
$info .= "\t.long .Llines\n\t.asciz \"forms.c\"\n\t.long .Lstrings\n\t.long .Laddresses\n\t.long .Llists\n" .
	"\t.quad outer\n\t.long .Lend - outer\n";
# Inlined data: attributes to be skipped precede the name.
my @names = qw(strx strx1 strx2 strx3 strx4 strp line_strp string strx);
my @skipped = qw(block2 block4 data16 block block1 exprloc flag flag_present implicit_const);
my %skip = (block2 => "\t.short 3\n\t.byte 1, 2, 3\n", block4 => "\t.long 2\n\t.byte 1, 2\n", data16 => "\t.quad 1, 2\n",
	block => "\t.uleb128 1\n\t.byte 9\n", block1 => "\t.byte 2, 9, 9\n", exprloc => "\t.uleb128 1\n\t.byte 0x9c\n",
	flag => "\t.byte 1\n", flag_present => '', implicit_const => '');
for my $i (0 .. $#names) {
	my ($name, $skipped) = ($names[$i], $skipped[$i]);
	$info .= ".Ldie$i:\n";
	abbrev(0x2e, 0, 0x1c => $skipped, 0x03 => $name, 0x20 => 'data1');
	$info .= $skip{$skipped};
	my ($n) = grep { $strings[$_] eq "by_$name" } 0 .. $#strings;
	$info .= $name eq 'string' ? "\t.asciz \"by_string\"\n" : $name eq 'strp' ? "\t.long .Lstr$n\n" :
		$name eq 'line_strp' ? "\t.long .Lline_str\n" : $name eq 'strx' ? "\t.uleb128 $n\n" :
		$name eq 'strx3' ? three($n) . "\n" : "\t$size{substr $name, 4} $n\n";
	$info .= "\t.byte 1\n";
}
# outer
abbrev(0x2e, 1, 0x03 => 'string', 0x11 => 'addr', 0x12 => 'data8');
$info .= "\t.asciz \"outer\"\n\t.quad outer\n\t.quad .Lend - outer\n";
my @origin = qw(ref1 ref2 ref4 ref8 ref_udata ref_addr indirect ref4);
my @low = qw(addr addrx addrx1 addrx2 addrx3 addrx4 indirect);
my @high = qw(data1 data2 data4 data8 sdata udata addr addrx addrx3);
my @lists = qw(offset_pair startx_endx startx_length base_addressx start_end start_length base_address sec_offset);
my ($cases, $lists) = (0, '');
sub origin {
	my ($form, $die) = @_;
	my $at = "$die - .Lunit";
	return "\t.uleb128 0x15\n\t.uleb128 $at\n" if $form eq 'indirect';
	return "\t.long $die\n" if $form eq 'ref_addr';
	return "\t.uleb128 $at\n" if $form eq 'ref_udata';
	return "\t$size{substr $form, 3} $at\n";
}
for my $i (0 .. @low * @high / 3 - 1) {
	my ($o, $low, $high) = ($origin[$i % @origin], $low[$i % @low], $high[$i % @high]);
	my ($n, $next) = ($cases, $cases + 1);
	abbrev(0x1d, 0, 0x31 => $o, 0x11 => $low, 0x12 => $high, 0x58 => 'data1', 0x59 => 'udata');
	$info .= origin($o, ".Ldie" . ($i % @names));
	$info .= $low eq 'addr' ? "\t.quad .Lcode$n\n" : $low eq 'addrx' ? "\t.uleb128 $n\n" :
		$low eq 'indirect' ? "\t.uleb128 0x1b\n\t.uleb128 $n\n" : $low eq 'addrx3' ? three($n) . "\n" :
		"\t$size{substr $low, 5} $n\n";
	$info .= $high eq 'addr' ? "\t.quad .Lcode$next\n" : $high eq 'addrx' ? "\t.uleb128 $next\n" :
		$high eq 'addrx3' ? three($next) . "\n" : $high eq 'sdata' ? "\t.sleb128 16\n" :
		$high eq 'udata' ? "\t.uleb128 16\n" : "\t$size{substr $high, 4} 16\n";
	$info .= "\t.byte 1\n\t.uleb128 " . (1000 + $n) . "\n";
	$cases++;
}
for my $i (0 .. $#lists) {
	my $kind = $lists[$i];
	my ($n, $next) = ($cases, $cases + 1);
	my $by = $kind eq 'sec_offset' ? 'sec_offset' : 'rnglistx';
	abbrev(0x1d, 0, 0x31 => 'ref4', 0x55 => $by, 0x58 => 'data1', 0x59 => 'data2');
	$info .= origin('ref4', ".Ldie" . ($i % @names));
	$info .= $by eq 'rnglistx' ? "\t.uleb128 $i\n" : "\t.long .Llist$i\n";
	$info .= "\t.byte 1\n\t.short " . (1000 + $n) . "\n";
	my $from = ".Lcode$n - outer";
	$lists .= ".Llist$i:\n" . { offset_pair => "\t.byte 4\n\t.uleb128 $from, $from + 16\n",
		startx_endx => "\t.byte 2\n\t.uleb128 $n, $next\n", startx_length => "\t.byte 3\n\t.uleb128 $n, 16\n",
		base_addressx => "\t.byte 1\n\t.uleb128 $n\n\t.byte 4\n\t.uleb128 0, 16\n",
		start_end => "\t.byte 6\n\t.quad .Lcode$n, .Lcode$next\n", start_length => "\t.byte 7\n\t.quad .Lcode$n\n\t.uleb128 16\n",
		base_address => "\t.byte 5\n\t.quad .Lcode$n\n\t.byte 4\n\t.uleb128 0, 4, 4, 16\n" =~ s/0, 4, 4, 16/0, 4\n\t.byte 4\n\t.uleb128 4, 16/r,
		sec_offset => "\t.byte 4\n\t.uleb128 $from, $from + 16\n" }->{$kind} . "\t.byte 0\n";
	$cases++;
}
$info .= "\t.byte 0, 0\n";
print "\t.text\n\t.globl outer\n\t.type outer, \@function\n\t.file 1 \"forms.c\"\nouter:\n";
print "\t.loc 1 ", $_ + 1, "\n.Lcode$_:\n", "\t.quad 0, 0\n" for 0 .. $cases - 1;
print ".Lcode$cases:\n\t.loc 1 999\n\t.quad 0, 0\n.Lend:\n\t.size outer, .Lend - outer\n";
print "\t.section .debug_abbrev,\"\",\@progbits\n$abbrevs\t.byte 0\n";
print "\t.section .debug_info,\"\",\@progbits\n.Lunit:\n\t.long .Linfo_end - .Linfo_begin\n.Linfo_begin:\n\t.short 5\n" .
	"\t.byte 1, 8\n\t.long .debug_abbrev\n$info.Linfo_end:\n";
print "\t.section .debug_str,\"MS\",\@progbits,1\n", map { ".Lstr$_:\n\t.asciz \"$strings[$_]\"\n" } 0 .. $#strings;
print "\t.section .debug_line_str,\"MS\",\@progbits,1\n.Lline_str:\n\t.asciz \"by_line_strp\"\n";
print "\t.section .debug_str_offsets,\"\",\@progbits\n\t.long ", 4 + 4 * @strings, "\n\t.short 5, 0\n.Lstrings:\n",
	map { "\t.long .Lstr$_\n" } 0 .. $#strings;
print "\t.section .debug_addr,\"\",\@progbits\n\t.long ", 4 + 8 * ($cases + 1), "\n\t.short 5\n\t.byte 8, 0\n.Laddresses:\n",
	map { "\t.quad .Lcode$_\n" } 0 .. $cases;
print "\t.section .debug_rnglists,\"\",\@progbits\n\t.long .Llists_end - .Llists_begin\n.Llists_begin:\n\t.short 5\n" .
	"\t.byte 8, 0\n\t.long ", scalar @lists, "\n.Llists:\n", map({ "\t.long .Llist$_ - .Llists\n" } 0 .. $#lists),
	"$lists.Llists_end:\n";
open my $want, '>', 'want' or die;
for my $case (0 .. $cases - 1) {
	my $inlined = $case < $cases - @lists ? $case : $case - ($cases - @lists);
	print $want "by_$names[$inlined % @names]\nforms.c:", $case + 1, "\nouter\nforms.c:", 1000 + $case, "\n" for 1 .. 4;
}
print $want "outer\nforms.c:999\n" x 4;
print "\t.section .debug_line,\"\",\@progbits\n.Llines:\n";
END

cat >rows.s <<'END'
	.text
	.globl outer
	.type outer, @function
outer:	.quad 0, 0, 0, 0, 0, 0, 0, 0
.Lend:	.size outer, .Lend - outer
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11
	.byte 0
	.uleb128 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0, 0
	.byte 0
	.section .debug_info,"",@progbits
	.long .Linfo_end - .Linfo
.Linfo:	.short 4
	.long .debug_abbrev
	.byte 8
	.uleb128 1
	.long .Llines
	.quad outer
	.long .Lend - outer
.Linfo_end:
	.section .debug_line,"",@progbits
.Llines:
	.long .Llines_end - .Lline
.Lline:	.short 4
	.long .Lprogram - .Lheader
.Lheader:
	.byte 1, 1, 1, -5, 14, 15	/* the largest opcode + 1 is 15: 14 is unknown, with two operands */
	.byte 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 2
	.byte 0				/* no folders */
	.asciz "rows.c"
	.uleb128 0, 0, 0
	.byte 0
.Lprogram:
	.byte 0, 9, 2	/* set_address */
	.quad outer + 32
	.byte 3	/* advance_line */
	.sleb128 29
	.byte 14	/* unknown */
	.uleb128 300, 1
	.byte 1	/* copy: line 30 */
	.byte 0, 9, 2
	.quad outer
	.byte 3
	.sleb128 -20
	.byte 1	/* line 10 */
	.byte 0	/* define_file */
	.uleb128 .Ldefined - . - 1
	.byte 3
	.asciz "late.c"
	.uleb128 0, 0, 0
.Ldefined:
	.byte 4	/* set_file */
	.uleb128 2
	.byte 2	/* advance_pc */
	.uleb128 16
	.byte 3
	.sleb128 10
	.byte 1	/* line 20 of late.c */
	.byte 0, 9, 2
	.quad outer + 48
	.byte 0, 1, 1	/* end_sequence */
.Llines_end:
END

# An index so large that its place in the table comes round to another's: what is called so has no name.
cat >around.s <<'END'
	.text
	.globl outer
	.type outer, @function
	.file 1 "around.c"
outer:
	.loc 1 1
.Lfirst:
	.quad 0, 0
.Lsecond:
	.quad 0, 0
.Lthird:
	.quad 0, 0
.Lend:
	.size outer, .Lend - outer
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11
	.byte 1
	.uleb128 0x10, 0x17, 0x72, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0	/* lines, strings, low, high */
	.uleb128 2, 0x2e
	.byte 0
	.uleb128 3, 0x1a, 0x20, 0x0b, 0, 0	/* name: strx, inline */
	.uleb128 3, 0x2e
	.byte 1
	.uleb128 3, 8, 0x11, 1, 0x12, 7, 0, 0
	.uleb128 4, 0x1d
	.byte 0
	.uleb128 0x31, 0x13, 0x11, 1, 0x12, 7, 0x58, 0x0b, 0x59, 0x0b, 0, 0	/* origin, low, high, file, line */
	.byte 0
	.section .debug_info,"",@progbits
.Lunit:
	.long .Linfo_end - .Linfo_begin
.Linfo_begin:
	.short 5
	.byte 1, 8
	.long .debug_abbrev
	.uleb128 1
	.long .debug_line, .Lstrings
	.quad outer, .Lend - outer
.Ldie1:
	.uleb128 2, 1
	.byte 1
.Ldie2:
	.uleb128 2, 0x4000000000000001
	.byte 1
	.uleb128 3
	.asciz "outer"
	.quad outer, .Lend - outer
	.uleb128 4
	.long .Ldie1 - .Lunit
	.quad .Lfirst, 16
	.byte 1, 7
	.uleb128 4
	.long .Ldie2 - .Lunit
	.quad .Lsecond, 16
	.byte 1, 8
	.byte 0, 0
.Linfo_end:
	.section .debug_str,"MS",@progbits,1
.Lstr0:
	.asciz "unused"
.Lstr1:
	.asciz "by_index"
	.section .debug_str_offsets,"",@progbits
	.long 12
	.short 5, 0
.Lstrings:
	.long .Lstr0, .Lstr1
	.section .debug_line,"",@progbits
END

# What is inlined is described in another unit: in the first, the last, and at the end of one.
cat >apart.s <<'END'
	.text
	.globl outer
	.type outer, @function
	.file 1 "apart.c"
outer:
	.loc 1 1
.Lfirst:
	.quad 0, 0
.Lsecond:
	.quad 0, 0
.Lthird:
	.quad 0, 0
.Lfourth:
	.quad 0, 0
.Lend:
	.size outer, .Lend - outer
	.section .debug_abbrev,"",@progbits
	.uleb128 1, 0x11
	.byte 1
	.uleb128 0x10, 0x17, 0x11, 0x01, 0x12, 0x07, 0, 0	/* lines, low, high */
	.uleb128 2, 0x2e
	.byte 0
	.uleb128 3, 8, 0x20, 0x0b, 0, 0	/* name, inline */
	.uleb128 3, 0x2e
	.byte 1
	.uleb128 3, 8, 0x11, 1, 0x12, 7, 0, 0
	.uleb128 4, 0x1d
	.byte 0
	.uleb128 0x31, 0x10, 0x11, 1, 0x12, 7, 0x58, 0x0b, 0x59, 0x0b, 0, 0	/* origin, low, high, file, line */
	.uleb128 5, 0x3c
	.byte 1
	.byte 0, 0
	.byte 0
	.section .debug_info,"",@progbits
	.macro unit
	.long 8f - 7f
7:	.short 5
	.byte 1, 8
	.long .debug_abbrev
	.endm
	.macro abstract name
	.uleb128 2
	.asciz "\name"
	.byte 1
	.endm
	.macro inlined die, code, line
	.uleb128 4
	.long \die
	.quad \code, 16
	.byte 1, \line
	.endm
	unit
	.uleb128 5
.Ldie1:	abstract in_the_first
	.byte 0
8:	unit
	.uleb128 1
	.long .debug_line
	.quad outer, .Lend - outer
	.uleb128 3
	.asciz "outer"
	.quad outer, .Lend - outer
	inlined .Ldie1, .Lfirst, 7
	inlined .Ldie3, .Lsecond, 8
	inlined .Ldie4, .Lthird, 9
	inlined .Ldie2, .Lfourth, 10
	.byte 0
.Ldie2:	abstract in_its_own
	.byte 0
8:	unit
	.uleb128 5
.Ldie3:	abstract in_the_last
.Ldie4:	abstract at_the_end
	.byte 0
8:
	.section .debug_line,"",@progbits
END

for order in little big; do
	triple=aarch64-linux-gnu
	[ $order = little ] || triple=aarch64_be-linux-gnu
	perl forms.pl $order >$order.s && llvm-mc -triple=$triple -filetype=obj -dwarf-version=4 -o $order.o $order.s 2>out &&
		ld.lld -e outer -o $order $order.o 2>>out
	verdict ${order}_builds $? "$(head -n 5 out)"
	llvm-mc -triple=$triple -filetype=obj -o rows.o rows.s 2>out && ld.lld -e outer -o rows.$order rows.o 2>>out
	verdict ${order}_rows_build $? "$(head -n 5 out)"
	start=$((16#$(readelf -sW rows.$order | awk '$8 == "outer" { print $2 }')))
	printf '0x%x\n' $start $((start + 15)) $((start + 16)) $((start + 31)) $((start + 32)) $((start + 47)) $((start + 48)) |
		"$lines" "$work/rows.$order" 2>err | grep : | sed 's|.*/||' | tr '\n' ' ' >have
	is "${order}_rows" "$(cat have)$(cat err)" 'rows.c:10 rows.c:10 late.c:20 late.c:20 rows.c:30 rows.c:30 ??:? '
	llvm-mc -triple=$triple -filetype=obj -dwarf-version=5 -o around.o around.s 2>out && ld.lld -e outer -o around.$order around.o 2>>out
	verdict ${order}_around_builds $? "$(head -n 5 out)"
	start=$((16#$(readelf -sW around.$order | awk '$8 == "outer" { print $2 }')))
	printf '0x%x\n' $start $((start + 16)) $((start + 32)) |
		"$lines" "$work/around.$order" 2>err | grep -v '^0x' | sed 's|.*/||' | tr '\n' ' ' >have
	is "${order}_around" "$(cat have)$(cat err)" \
		'by_index around.c:1 outer around.c:7 ?? around.c:1 outer around.c:8 outer around.c:1 '
	llvm-mc -triple=$triple -filetype=obj -dwarf-version=5 -o apart.o apart.s 2>out && ld.lld -e outer -o apart.$order apart.o 2>>out
	verdict ${order}_apart_builds $? "$(head -n 5 out)"
	start=$((16#$(readelf -sW apart.$order | awk '$8 == "outer" { print $2 }')))
	printf '0x%x\n' $start $((start + 16)) $((start + 32)) $((start + 48)) |
		"$lines" "$work/apart.$order" 2>err | grep -v '^0x' | sed 's|.*/||' | tr '\n' ' ' >have
	is "${order}_apart" "$(cat have)$(cat err)" "in_the_first apart.c:1 outer apart.c:7 in_the_last apart.c:1 outer apart.c:8 $(
		)at_the_end apart.c:1 outer apart.c:9 in_its_own apart.c:1 outer apart.c:10 "
	start=$((16#$(readelf -sW $order | awk '$8 == "outer" { print $2 }')))
	size=$((16#0 + $(readelf -sW $order | awk '$8 == "outer" { print $3 }')))
	for ((at = start; at < start + size; at += 4)); do
		printf '0x%x\n' $at
	done >addresses
	"$lines" "$work/$order" <addresses 2>err | grep -v '^0x' | sed -E 's|^.*/||; s/ \(discriminator [0-9]+\)//' >have
	[ -s want ] && diff want have >out
	verdict "$order" $? "$(head -n 12 out; cat err)"
	is "${order}_names" "$(grep '^by_' have | sort -u | tr '\n' ' ')" \
		'by_line_strp by_string by_strp by_strx by_strx1 by_strx2 by_strx3 by_strx4 '
done
[ $failures = 0 ]
