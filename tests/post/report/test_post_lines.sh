#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# post -line and -inline on a real trace: what addr2line says of each sample and each call, counted
# here, must be what the reports say, to the last tick.
set -u
# shellcheck source=tests/lib/post_lib.sh
. "$(dirname "$0")/../../lib/post_lib.sh"
swtrace=${BIN:-$build/bin}/swtrace

for tool in gcc addr2line jq perl; do
	command -v $tool >/dev/null && continue
	echo "skip post_lines $tool is not installed"
	exit 77
done
cat >work.c <<'END_OF_FILE'
#include <stdlib.h>
#define INLINED static inline __attribute__((always_inline))
volatile int v, sink;
INLINED int leaf(int x)
{
	return x * 3 + v;
}
INLINED int middle(int x)
{
	int y = leaf(x);

	return leaf(y) ^ x;
}
INLINED int hot(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += middle(i + v);
	return s;
}
__attribute__((noinline)) void work(int n)
{
	sink += hot(n);
	sink += middle(n);
}
__attribute__((noinline)) void twice(int n)
{
	work(n);
	sink++;
	work(n / 2);
	sink++;
}
int main(void)
{
	for (int k = 0; k < 150; k++)
		twice(500000);
	return 0;
}
END_OF_FILE
gcc -O2 -g -fno-omit-frame-pointer -no-pie -o work work.c || exit 1
for collector in perf timer; do
	"$swtrace" run -q -g=fp -F 997 -B $collector -e timer -o real.nrm2 -- ./work >why 2>&1 && break
	rm -f real.nrm2
done
[ -s real.nrm2 ]
verdict a_trace
# ---- the judge: each address that the trace has of the program, asked once
"$post" -show -json -o - real.nrm2 | jq -r --arg comm work '
	select(.record == "tprof" and .kind == "user") |
	[.address] + (.stack_user // []) | join(" ")' >samples
# The leaf's own address; of callers those before where they return to.
cat >judge.pl <<'END_OF_FILE'
use strict;
my ($what) = @ARGV;
my (%frames, @samples, %count);
open(my $in, "<", "samples") or die;
while (<$in>) {
	my ($leaf, @stack) = map { hex } split;
	shift @stack if @stack && $stack[0] == $leaf;
	push @samples, [$leaf, map { $_ - 1 } @stack];
}
my ($low, $high) = map { hex } split " ", `readelf -S -W work | awk '{ sub(/^ *\\[ *[0-9]+\\]/, "") } \$1 == ".text" { print \$3, \$5 }'`;
my %asked = map { $_ => 1 } grep { $_ >= $low && $_ < $low + $high } map { @$_ } @samples;
open(my $out, ">", "addresses") or die;
printf $out "%x\n", $_ for keys %asked;
close $out;
my $at;
open(my $a2l, "-|", "addr2line -a -f -i -e work <addresses") or die;
while (my $line = <$a2l>) {
	chomp $line;
	if ($line =~ /^0x/) { $at = hex $line; next; }
	my $where = <$a2l>;
	$where =~ s/ \(discriminator.*//;
	chomp $where;
	$where =~ s/\?$//;
	push @{$frames{$at}}, [$line, $where];
}
for my $s (@samples) {
	next unless $frames{$s->[0]};
	if ($what eq "leaf") {
		my $f = $frames{$s->[0]}[0];
		my $inlined = @{$frames{$s->[0]}} > 1 ? 1 : 0;
		$count{"$f->[0] $inlined $f->[1]"}++;
	} else {
		my @all;
		for my $a (@$s) {
			next unless $frames{$a};
			my @f = @{$frames{$a}};
			for my $k (0 .. $#f) {
				(my $w = $f[$k][1]) =~ s,.*/,,;
				push @all, "$f[$k][0] $w" . ($k < $#f ? "_[i]" : "");
			}
		}
		$count{join ";", reverse @all}++;
	}
}
print "$count{$_} $_\n" for sort keys %count;
END_OF_FILE
perl judge.pl leaf >leaves && [ "$(awk '{ n += $1 } END { print n + 0 }' leaves)" -gt 50 ] && grep -q ' 1 ' leaves
verdict enough_samples

# ---- the profile
code 0 "$post" -line -inline -csv -q -o - real.nrm2 &&
	awk -F, '$5 ~ "/work$" && $8 != "" { n[$6 " " $7 " " $8 ":" $9] += $10 } END { for (i in n) print n[i], i }' out |
	sort -k2 | sed 's/^ *//' >ours && sort -k2 leaves | diff - ours >why
verdict profile_as_addr2line
code 0 "$post" -line -inline -o - real.nrm2 && has out 'leaf (inlined)' && has out "$work/work.c:" &&
	has out 'LIN source line'
verdict text
# SYM lines add up over their LIN lines, in JSON too
code 0 "$post" -line -inline -json -o - real.nrm2 && jq -e '[.processes[].threads[].modules[].symbols[] |
	.ticks == ([.lines[].ticks] | add)] | all' out >why
verdict json_adds_up
code 0 "$post" -line -csv -q -o - real.nrm2 && head -1 out | grep -q ',symbol,source,line,ticks,' &&
	awk -F, '$5 ~ "/work$" { n += $9 } END { exit n < 50 }' out && ! grep -q ',leaf,' out
verdict line_alone
code 0 "$post" -inline -off -csv -q -o - real.nrm2 &&
	head -1 out | grep -q ',symbol,inlined,offset,ticks,' && grep -q ',leaf,1,0x' out
verdict inline_alone

# ---- call stacks: what lies in the program of each, by what addr2line says of its addresses
perl judge.pl stacks | sort -k2 >stacks
code 0 "$post" -line -inline -folded -q -o - real.nrm2 && perl -ne '
	chomp; my ($s, $n) = /^(.*) (\d+)$/; my @f = grep { / work\.c:\d+(_\[i\])?$/ } split /;/, $s;
	next if $s =~ /_\[k\]/; $c{join ";", @f} += $n if @f;
	END { print "$c{$_} $_\n" for sort keys %c }' out | sort -k2 >ours && diff stacks ours >why
verdict stacks_as_addr2line
code 0 "$post" -line -inline -calltree -csv -q -o - real.nrm2 &&
	head -1 out | grep -q '^id,parent,depth,pid,name,module,kernel,inlined,source,line,self,' &&
	grep -q ',leaf,.*,0,1,.*/work.c,6,' out
verdict calltree_csv
code 0 "$post" -line -inline -calltree -o - real.nrm2 && grep -q 'leaf (inlined)  \[work\]  work.c:6$' out
verdict calltree_text
code 0 "$post" -inline -callers=leaf -csv -q -o - real.nrm2 && grep -q '^leaf,[^,]*,0,1,middle,[^,]*,0,1,' out &&
	code 0 "$post" -inline -callers=leaf -json -q -o - real.nrm2 &&
	jq -e '.symbols[0] | .inlined and (.callers | all(.inlined))' out >why
verdict callers
# Without the options nothing of it is there, and ticks are the same
code 0 "$post" -csv -q -o - real.nrm2 && ! grep -q leaf out && head -1 out | grep -q ',symbol,ticks,' &&
	awk -F, 'NR > 1 { n += $7 } END { print n }' out >plain &&
	code 0 "$post" -line -inline -csv -q -o - real.nrm2 &&
	awk -F, 'NR > 1 { n += $10 } END { print n }' out | diff plain - >why
verdict same_sum

# ---- debug files from a server
if command -v debuginfod >/dev/null; then
	code 0 "$post" -line -inline -csv -q -o - real.nrm2 && cp out with_debug
	mkdir served && cp work kept && objcopy --only-keep-debug work served/work.debug && strip -S work
	port=$((20000 + $$ % 20000))
	export DEBUGINFOD_CACHE_PATH=$work/cache HOME=$work
	debuginfod -F -d :memory: -p $port "$work/served" >server.log 2>&1 &
	server=$!
	trap 'kill $server 2>/dev/null; rm -rf "$work"' EXIT
	for _ in $(seq 100); do
		grep -q 'served.*scanned\|scanned=\|traversed' server.log && break
		sleep 0.2
	done
	sleep 1
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	code 0 "$post" -line -inline -csv -q -o - real.nrm2 && ! grep -q '/work.c' out && ! [ -e cache ]
	verdict no_server_is_asked
	code 0 "$post" -line -inline -debuginfod -csv -q -o - real.nrm2 && diff with_debug out >why && [ -e cache ]
	verdict debuginfod
	kill $server
	wait $server 2>/dev/null
	code 0 "$post" -line -inline -debuginfod -csv -q -o - real.nrm2 && diff with_debug out >why
	verdict debuginfod_cache
	# One that never answers
	perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => shift,
		Listen => 9, ReuseAddr => 1) or die; while (1) { push @all, $s->accept }' $port &
	server=$!
	rm -rf cache
	sleep 1
	code 0 timeout 60 "$post" -line -debuginfod=2 -o - real.nrm2 && has err 'timed out' && ! grep -q '/work.c' out
	verdict server_that_hangs
	kill $server
	wait $server 2>/dev/null
	DEBUGINFOD_URLS='' code 0 "$post" -line -debuginfod -o - real.nrm2 && has err 'DEBUGINFOD_URLS names no server'
	verdict no_server_named
	code 2 "$post" -debuginfod=0 real.nrm2 && has err "invalid timeout '0'"
	verdict debuginfod_usage
	trap 'rm -rf "$work"' EXIT
	cp kept work
else
	echo "skip post_lines_debuginfod debuginfod is not installed"
fi

# ---- what is wrong is told
cp work kept && objcopy --remove-section .debug_line work 2>/dev/null
printf '\377\377\377\377\377\377\377\377' | dd of=kept bs=1 conv=notrunc status=none \
	seek=$((0x$(readelf -S -W kept | awk '$2 == ".debug_info" { print $5 } $3 == ".debug_info" { print $6 }'))) &&
	cat kept >work && code 0 "$post" -line -o - real.nrm2 && has err 'DWARF is damaged' &&
	has err 'of .debug_info'
verdict damage_is_told
for other in "-annotate work" -show; do
	# shellcheck disable=SC2086
	code 2 "$post" -line $other real.nrm2 && has err '-line'
	verdict "contradiction_${other%% *}"
done
exit $((failures > 0))
