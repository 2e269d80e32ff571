#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A filter that no sample passes: what it leaves out, the names that are like the one that was given.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"

sort -sn <<'END' | "$make_script" left.nrm2 || exit 1
0 on
0 task walk 100 1 shop
0 task walk_thread 100/101 1 till
0 task walk 200 1 warehouse
0 map 100 0x400000 0x8000 0x0 /nowhere/shop
0 map 200 0x400000 0x8000 0x0 /nowhere/warehouse
10 sample 0 100 0x400100
20 sample 0 100/101 0x400100
30 sample 0 100/101 0x400100
40 sample 1 200 0xffffffff81001010
50 sample 1 200 0xffffffff81001018
60 off
END
left() { # NAME WORDS OPTION...: on the screen, in the report, and no other words
	code 0 "$post" "${@:3}" left.nrm2 && has out 'No sample passes the filter' && has out "$2" &&
		! grep -q 'Was tprof enabled' out && has "${report:-tprof.out}" "$2"
	verdict "$1"
}
left comm_like '-comm: shop 1, till 2, warehouse 2' -comm ship
left comm_parts '-comm: warehouse 2, till 2, shop 1' -comm '*WAREHOUS'
left comm_of_several '-comm: till 2, warehouse 2, shop 1' -comm 'xyz,tilt'
left pid '-pid: 100 (till) 2, 200 (warehouse) 2, 100 (shop) 1' -pid 101
left tid '-tid: 101 (till) 2, 200 (warehouse) 2, 100 (shop) 1' -tid 7-9
left cpus '-cpus: 0, 1' -cpus 2-3
left time '-time: from 10.000010000 to 10.000050000' -time 11-
left both '-comm: ' -comm ship -pid 7
has out '-pid: 100 (till) 2'
verdict both_are_told
report=calltree.out left stacks '-comm: shop 1' -calltree -comm ship
report=callers.out left callers '-comm: shop 1' -callers -comm ship
"$make_trace" clean clean.nrm2 || exit 1
name=$("$post" -q -json clean.nrm2 |
	jq -r '[.processes[].threads[].modules[].symbols[].name | select(test("^[a-z_]{6,}$"))][0]')
code 0 "$post" -symbol "${name}x" clean.nrm2 && grep -q -e "-symbol: .*$name" out && [ ${#name} -ge 6 ]
verdict symbol_like
# Compilers' suffixes do not make a name unlike; nor does the rest of a long name.
printf '%s\n' 'main;unlink_chunk.constprop.0 5' 'main;__memcmp_evex_movbe 3' 'main;void std::__introsort_loop<int*, long>(int*, int*, long) 1' |
	perl -ne 'BEGIN { binmode STDOUT; sub v { my ($n, $o) = (shift, ""); while ($n >= 128) { $o .= chr($n & 127 | 128); $n >>= 7 } $o . chr $n }
		sub b { my ($f, $s) = @_; v($f << 3 | 2) . v(length $s) . $s } sub n { v($_[0] << 3) . v($_[1]) }
		sub id { $id{$_[0]} //= do { push @s, $_[0]; scalar @s } } print b(1, n(1, id("samples")) . n(2, id("count"))) }
		/^(.*) (\d+)$/; print b(2, b(1, join "", map { v($f{$_} //= do { my $i = 1 + keys %f;
		print b(4, n(1, $i) . b(4, n(1, $i))), b(5, n(1, $i) . n(2, id($_))); $i }) } reverse split /;/, $1) . b(2, v($2)));
		END { print b(6, $_) for "", @s }' >named.pb
for pair in unlik_chunk:unlink_chunk.constprop.0 memcpm:__memcmp_evex_movbe introsrt:__introsort_loop; do
	code 0 "$post" -symbol "${pair%%:*}" named.pb && grep -q -e "-symbol: .*${pair#*:}" out
	verdict "symbol_like_${pair%%:*}"
done
code 0 "$post" -symbol qqqqqqqqqqqqq clean.nrm2 && has out '-symbol: none has such a name'
verdict symbol_unlike
code 0 "$post" -comm shop -json left.nrm2 && jq -e '.total_ticks == 1' out >why && code 0 "$post" -comm shop left.nrm2 &&
	! grep -q 'passes the filter' out
verdict some_pass
[ $failures = 0 ]
