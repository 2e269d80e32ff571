#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# An FDR log of a little-endian machine (stdin) as a big-endian one writes it (stdout): numbers turned,
# bit-fields from the highest bit down. What a record leaves free stays as it is.
use strict;
use warnings;

binmode STDIN;
binmode STDOUT;
my $log = do { local $/; <STDIN> };
my ($version, $type, $bits, $hz, $size, @free) = unpack 'vvVQ<Q<a8', $log;
die "no FDR log of versions 1 to 5\n" unless $type == 1 && $version >= 1 && $version <= 5;
# The two bits of the header are fields as well.
my $high = ($bits & 1) << 31 | ($bits >> 1 & 1) << 30;
print pack('nnNQ>Q>a8', $version, $type, $high, $hz, $size, @free);

# The numbers of each kind of metadata, by their bytes.
my %numbers = (
	0 => [4], 1 => [], 2 => [2, 8], 3 => [8], 4 => [8, 4], 6 => [8], 7 => [8], 9 => [4],
	5 => $version >= 5 ? [4, 4] : $version == 4 ? [4, 8, 2] : [4, 8], 8 => [4, 4, 2],
);
my ($at, $begun) = (32, 32);
while ($at < length $log) {
	my $first = ord substr $log, $at, 1;
	if (!($first & 1)) {
		my ($word, $delta) = unpack 'VV', substr $log, $at, 8;
		print pack 'NN', ($word >> 1 & 7) << 28 | $word >> 4, $delta;
		$at += 8;
		next;
	}
	my $kind = $first >> 1;
	my $record = substr $log, $at, 16;
	die "kind $kind at $at\n" unless $numbers{$kind} && length $record == 16;
	my $data = substr $record, 1;
	my $payload = $kind == 5 || $kind == 8 ? unpack 'V', $data : 0;
	my $from = 0;
	$begun = $at if $kind == 0;
	for my $n (@{$numbers{$kind}}) {
		substr $data, $from, $n, scalar reverse substr $data, $from, $n;
		$from += $n;
	}
	print chr(0x80 | $kind), $data, substr $log, $at + 16, $payload;
	$at += 16 + $payload;
	if ($kind == 1) {		# what follows is not used, to the buffer's end
		print substr $log, $at, $begun + $size - $at;
		$at = $begun + $size;
	}
}
