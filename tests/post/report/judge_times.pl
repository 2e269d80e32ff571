#!/usr/bin/perl
# SPDX-License-Identifier: GPL-3.0-or-later
# A second opinion on post's times: from the records that `post -show` prints (RECORDS, lines of fields; see
# judge_times) it computes the times of threads, CPUs, interrupts and system calls in another way than post does
# (whole lists, one after another), and compares them with post's report (REPORTED, lines "key<TAB>value"). Prints
# differences; exit code 1 then. usage: judge_times.pl RECORDS REPORTED
use strict;
use warnings;

my ($records, $reported) = @ARGV;
my %mine;				# key => value
my %spread;				# key => [values]
my ($on, $off, $lossy, $intervals) = (undef, undef, 0, 0);
my (%cpu, %thread, %calls, @irqs, %born, %exec);
my @why = qw(time_up preempted sleeping blocked stopped traced dead idle other new before);

open(my $in, '<', $records) or die "$records: $!\n";
while (<$in>) {
	chomp;
	my ($time, $c, $major, $minor, @f) = split /\t/, $_, -1;
	# Records at the instant of `off` follow it.
	next if defined $off && $major != 0xC1;
	if ($major == 0xC1) {		# sync
		$on = $time if $minor == 1 && !defined $on;
		$off = $time if $minor == 2;
	} elsif ($major == 0x11 && $minor == 0xB2 && !$f[0]) {
		$intervals++;
		$on = $time;
	} elsif ($major == 0xC2) {
		$lossy = 1 unless $minor == 0 || $minor == 2 || $minor == 10 || $minor == 11;
	} elsif ($major == 0x12) {	# old_tid new_tid
		push @{$cpu{$c}{dispatch}}, [$time, $f[0], $minor & 0xFF, $f[1]];
	} elsif ($major == 0xC6) {	# tid waker_tid
		push @{$thread{$f[0]}}, [$time, 'wake', $c, $f[1], $minor & 1];
		$cpu{$c}{who} //= $f[1];
	} elsif ($major == 0x04) {	# number tid
		push @{$cpu{$c}{irq}}, [$time, $minor, $f[0]];
		$cpu{$c}{who} //= 0 if $f[1] == 0 && !($minor >> 31);
	} elsif ($major == 0x05) {	# tid result
		push @{$calls{$f[0]}}, [$time, $minor, $f[1]];
		$cpu{$c}{who} //= $f[0] if !($minor >> 31);
	} elsif ($major == 0x19) {	# tid pid walk
		push @{$born{$f[0]}}, $time
			if !$f[2] && ($minor == 0x63 || $minor == 0x66 || $minor == 0x7A);
		push @{$exec{$c}}, [$time, $f[0]] if $minor == 0x64 && !$f[2];
	}
}
close $in;
die "judge: the trace has no whole interval\n" unless defined $on && defined $off;
die "judge: more than one interval\n" if $intervals > 1;

sub inside { my $t = shift; return $t < $on ? $on : $t > $off ? $off : $t }

# ---- interrupts: between two records of a CPU, time belongs to the innermost that is open

my %irq_pieces;				# cpu => [[from, to]...] of time in any interrupt
for my $c (keys %cpu) {
	my (@open, $last);
	for my $r (@{$cpu{$c}{irq} // []}, [$off, -1, 0]) {
		my ($time, $minor, $number) = @$r;
		last if $time > $off;
		if (@open) {
			$mine{"irq $open[-1][0] self"} += $time - $last;
			push @{$irq_pieces{$c}}, [$last, $time];
		}
		$last = $time;
		if ($minor == -1) {
			last;
		} elsif (!($minor >> 31)) {
			push @open, ["$minor $number", $time];
		} else {
			my $key = ($minor & 0x7FFFFFFF) . " $number";
			my $at = $#open;
			$at-- while $at >= 0 && $open[$at][0] ne $key;
			next if $at < 0;
			push @{$spread{"irq $key"}}, $time - $open[$at][1];
			$#open = $at - 1;
		}
	}
}

# Time of [from, to] on a CPU that interrupts took; asked in the order of time.
my %piece_at;
sub interrupted {
	my ($c, $from, $to) = @_;
	my ($list, $sum) = ($irq_pieces{$c} // [], 0);
	$piece_at{$c} //= 0;
	$piece_at{$c}++ while $piece_at{$c} < @$list && $list->[$piece_at{$c}][1] <= $from;
	for (my $i = $piece_at{$c}; $i < @$list && $list->[$i][0] < $to; $i++) {
		my $a = $list->[$i][0] > $from ? $list->[$i][0] : $from;
		my $b = $list->[$i][1] < $to ? $list->[$i][1] : $to;
		$sum += $b - $a if $b > $a;
	}
	return $sum;
}

# ---- CPUs: who ran from one dispatch to the next

sub ran {
	my ($c, $tid, $from, $to) = @_;
	return if $to <= $from;
	my $irq = interrupted($c, $from, $to);
	$mine{"cpu $c interrupt"} += $irq;
	$mine{"cpu $c " . ($tid ? 'busy' : 'idle')} += $to - $from - $irq;
	$mine{"thread $tid run"} += $to - $from if $tid;
	$mine{"thread $tid interrupted"} += $irq if $tid;
}

for my $c (sort keys %cpu) {
	my @list = @{$cpu{$c}{dispatch} // []};
	my ($from, $tid) = ($on, @list ? $list[0][1] : $cpu{$c}{who});
	next unless defined $tid;
	$mine{"cpu $c wall"} = $off - $on;
	push @{$thread{$tid}}, [$on, 'run', $c] if $tid;
	for my $d (@list) {
		my ($time, $old, $left, $new) = @$d;
		last if $time > $off;
		$mine{"cpu $c dispatches"}++;
		if ($old != $tid) {
			# A thread that execs takes its process's number.
			my ($e) = grep { $_->[1] == $old && $_->[0] >= $from && $_->[0] <= $time }
				@{$exec{$c} // []};
			if (!$e) {
				print "judge: CPU $c ran $tid, and $old leaves it at $time\n";
				$mine{wrong} = 1;
			} else {
				ran($c, $tid, $from, $e->[0]);
				push @{$thread{$tid}}, [$e->[0], 'out', $c, 6];
				push @{$thread{$old}}, [$e->[0], 'run', $c];
				$from = $e->[0];
				$tid = $old;
			}
		}
		ran($c, $tid, $from, $time);
		push @{$thread{$old}}, [$time, 'out', $c, $left] if $old;
		push @{$thread{$new}}, [$time, 'in', $c] if $new;
		$mine{"thread $old left $why[$left]"}++ if $old;
		($from, $tid) = ($time, $new);
	}
	ran($c, $tid, $from, $off);
}

# ---- threads: from leaving to running again, with the first wake-up between

my %absences;				# tid => [[from, to]...] asleep or blocked
for my $tid (keys %{{ %thread, %born }}) {
	next unless $tid;
	my @births = map { [$_, 'born'] } @{$born{$tid} // []};
	my ($state, $since, $why, $woken, $waker, $last_cpu) = ('unknown', $on, 10, undef, undef, undef);
	my $seen = 0;
	my $rank = sub { { born => 0, run => 1, wake => 2, out => 3, in => 4 }->{$_[0][1]} };
	my $book = sub {
		my $time = shift;
		my $took = inside($time) - inside($since);
		if ($took > 0 && $state eq 'away') {
			if ($why < 2) {
				$mine{"thread $tid wait $why[$why]"} += $took;
			} elsif (defined $woken) {
				my $w = inside($woken) > inside($since) ? inside($woken) : inside($since);
				$mine{"thread $tid off $why[$why]"} += $w - inside($since);
				push @{$absences{$tid}}, [inside($since), $w];
				$mine{"thread $tid wait $why[$why]"} += inside($time) - $w;
			} else {
				$mine{"thread $tid off $why[$why]"} += $took;
				push @{$absences{$tid}}, [inside($since), inside($time)];
			}
		} elsif ($took > 0 && $state eq 'unknown') {
			my $w = defined $woken ? inside($woken) : inside($time);
			$mine{"thread $tid unknown"} += $w - inside($since);
			$mine{"thread $tid wait before"} += inside($time) - $w;
		}
	};
	for my $e (sort { $a->[0] <=> $b->[0] || $rank->($a) <=> $rank->($b) } @{$thread{$tid} // []}, @births) {
		my ($time, $what, $c) = @$e;
		next if $time < $on && $what ne 'born';
		last if $time > $off;
		if ($what eq 'born') {
			next if $state eq 'running';
			$book->($time) if $seen;	# else it was not there before
			($state, $since, $why, $woken, $last_cpu) = ('away', $time, 9, undef, undef);
			($state, $since, $why) = ('unknown', $on, 10) if $time < $on;
		} elsif ($what eq 'wake') {
			next if $state eq 'dead' || ($state eq 'away' && $why < 2);
			# The first wake-up after it left. One before that, when it had not left yet, woke no thread.
			next if defined $woken && $state ne 'running' && !($state eq 'away' && $woken <= $since);
			($woken, $waker) = ($time, $e->[4] ? 'irq' : $e->[3]);
		} elsif ($what eq 'out') {
			($state, $since, $why) = ($e->[3] == 6 ? 'dead' : 'away', $time, $e->[3]);
			$woken = undef if $why < 2;
			$last_cpu = $c;
		} elsif ($what eq 'in') {
			$book->($time);
			if (defined $woken && $why >= 2) {
				my $w = $woken < $since && $state eq 'away' ? $since : $woken;
				push @{$spread{"latency $tid"}}, $time - $w;
				$mine{"wakeup $waker $tid"}++;
			}
			$mine{"thread $tid dispatches"}++;
			$mine{"thread $tid migrations"}++ if defined $last_cpu && $last_cpu ne $c;
			($state, $woken) = ('running', undef);
		} else {
			$book->($time);
			($state, $woken) = ('running', undef);
		}
		$seen = 1;
	}
	$book->($off) if $state ne 'running' && $state ne 'dead';
}

# ---- system calls: an entry and the next exit of the thread

for my $tid (keys %calls) {
	my ($open, @away) = (undef, sort { $a->[0] <=> $b->[0] } @{$absences{$tid} // []});
	my $at = 0;
	for my $r (@{$calls{$tid}}) {
		my ($time, $minor, $result) = @$r;
		next if $time < $on;
		last if $time > $off;
		if (!($minor >> 31)) {
			$open = $r;
			next;
		}
		next unless $open;
		my $key = "call $tid " . ($open->[1] & 0x7FFFFFFF);
		if (($minor & 0x7FFFFFFF) == $open->[1]) {
			push @{$spread{$key}}, $time - $open->[0];
			$at++ while $at < @away && $away[$at][1] <= $open->[0];
			for (my $i = $at; $i < @away && $away[$i][0] < $time; $i++) {
				$mine{"$key off"} += $away[$i][1] - $away[$i][0];
			}
			$mine{"$key errors"}++ if $result < 0 && $result >= -4095;
		}
		$open = undef;
	}
}

# ---- compare

for my $key (keys %spread) {
	my @v = sort { $a <=> $b } @{$spread{$key}};
	my $total = 0;
	$total += $_ for @v;
	$mine{"$key count"} = @v;
	$mine{"$key total"} = $total;
	$mine{"$key min"} = $v[0];
	$mine{"$key max"} = $v[-1];
	for my $p (500, 950, 990) {
		my $rank = int((@v * $p + 999) / 1000);
		$mine{"$key p$p"} = $v[$rank - 1];
	}
}

my (%post, $wrong, $compared);
$wrong = $mine{wrong} // 0;
delete $mine{wrong};
open($in, '<', $reported) or die "$reported: $!\n";
while (<$in>) {
	chomp;
	my ($key, $value) = split /\t/;
	my ($what) = $key =~ /(\w+)$/;
	if ($what eq 'min') {
		$post{$key} = $value if !defined $post{$key} || $value < $post{$key};
	} elsif ($what eq 'max') {
		$post{$key} = $value if !defined $post{$key} || $value > $post{$key};
	} elsif ($what =~ /^p\d+$/) {
		# If several rows have the same name, only the sum can be judged.
		$post{$key} = exists $post{$key} ? 'several' : $value;
	} else {
		$post{$key} += $value;
	}
}
close $in;

# The CPUs' books, with losses too.
for my $key (grep { /^cpu \d+ wall$/ } keys %post) {
	my ($c) = $key =~ /(\d+)/;
	my $sum = 0;
	$sum += $post{"cpu $c $_"} // 0 for qw(busy idle interrupt others unknown);
	$compared++;
	next if $sum == $post{$key};
	print "CPU $c: times sum to $sum of $post{$key} ns\n";
	$wrong++;
}
if ($lossy) {
	print "judge: records were lost: only the CPUs' sums were compared\n";
	exit($wrong ? 1 : 0);
}

my %compare = map { $_ => 1 } grep { !/^cpu \d+ (others|unknown)$/ } keys %mine, keys %post;
for my $key (sort keys %compare) {
	my ($m, $p) = ($mine{$key} // 0, $post{$key} // 0);
	# A CPU without records of running threads.
	next if $key =~ /^cpu (\d+) / && !defined $mine{"cpu $1 wall"};
	next if $p eq 'several';
	$compared++;
	next if $key =~ / p\d+$/ ? $p >= $m && $p <= $m + $m / 32 : $p == $m;
	print "$key: post says $p, the records say $m\n" if ++$wrong <= 20;
}
print "and ", $wrong - 20, " more\n" if $wrong > 20;
print "judge: $compared values compared, $wrong differ\n";
exit($wrong ? 1 : 0);
