#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# growth_perf.pl SHAPE N: a perf.data without FINISHED_ROUND, on standard output: N samples of few places, N
# mappings that stay, N mappings over each other, N forks, or N forks of forks.
use strict;
use warnings;
no warnings 'portable';

my ($shape, $n) = @ARGV;
my ($time, $bytes) = (1000, 0);
my @parts;

sub record { # type, misc, body
	my ($type, $misc, $body) = @_;
	my $record = pack("LSS", $type, $misc, 8 + length $body) . $body;
	$bytes += length $record;
	push @parts, $record;
}
sub ids { # of a record that is no sample: who, when
	return pack("LLQ", $_[0], $_[0], $time += 10);
}
sub map_at { # pid, address, size
	record(1, 2, pack("LLQQQ", $_[0], $_[0], $_[1], $_[2], 0) . "/no/prog\0\0\0\0\0\0\0\0" . ids($_[0]));
}
sub sample { # pid, address
	record(9, 2, pack("QLLQQ", $_[1], $_[0], $_[0], $time += 10, 1));
}
sub start { # pid, parent
	record(7, 0, pack("LLLLQ", $_[0], $_[1], $_[0], $_[1], $time += 10) . ids($_[1]));
}
record(3, 0, pack("LL", 70, 70) . "work\0\0\0\0" . ids(70));
map_at(70, 0x400000, 0x100000);
if ($shape eq 'samples') {
	sample(70, 0x401000 + $_ % 50 * 16) for 1 .. $n;
} elsif ($shape eq 'mappings') {
	map_at(70, 0x7f0000000000 - $_ * 0x2000, 0x1000) for 1 .. $n;
	sample(70, 0x7f0000000000 - $_ * 0x2000) for 1 .. 1000;
} elsif ($shape eq 'overlaps') {
	my $at = 1;
	for (1 .. $n) {
		$at = $at * 1103515245 + 12345 & 0x7fffffff;
		map_at(70, 0x10000000 + ($at >> 8) % 15000 * 4096, 0x400000);
	}
	sample(70, 0x10000000 + $_ * 4096) for 1 .. 1000;
} elsif ($shape eq 'forks' || $shape eq 'chain') {
	map_at(70, 0x7f0000000000 + $_ * 0x2000, 0x1000) for 1 .. 1000;
	start(1000 + $_, $shape eq 'forks' || $_ == 1 ? 70 : 999 + $_), sample(1000 + $_, 0x401000) for 1 .. $n;
} else {
	die "growth_perf.pl: no shape $shape\n";
}
binmode STDOUT;
print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, $bytes, 0, 0, 0, 0, 0, 0);
print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 1 << 18), "\0" x 64, pack("QQ", 104, 0);
print @parts;
