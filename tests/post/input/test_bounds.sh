#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The worst files for readers of compressed data or ids: each ends within the memory and time that pitrace-formats(7)
# promises, reports what was left out, and reads the rest.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1

# bounded NAME MEGABYTES SECONDS WORDS OPTION...: of address space and CPU; what it says on stderr
bounded() {
	local name=$1 most=$2 seconds=$3 words=$4
	shift 4
	(ulimit -v $((most * 1024)) -t "$seconds" && exec "$bin/post" -q "$@" -o out.report 2>err)
	is "${name}_code" $? 1
	says "${name}_told" err "$words"
}

# ---- pprof: empty strings; each process with each module
cat >profile.pl <<'EOF'
sub v { my $n = shift; my $o = ''; while ($n > 127) { $o .= chr($n & 127 | 128); $n >>= 7 } $o . chr $n }
sub f { v($_[0] << 3 | 2) . v(length $_[1]) . $_[1] }
sub n { v($_[0] << 3) . v($_[1]) }
my ($how, $k) = @ARGV;
print f(1, n(1, 1) . n(2, 2)), f(6, ''), f(6, 'samples'), f(6, 'count'), f(6, 'pid');
print "\x32\x00" x $k if $how eq 'strings';
if ($how eq 'owners') {
	print f(3, n(1, $_)) for 1 .. 2000;
	print f(2, n(2, 1) . f(3, n(1, 3) . n(3, $_))) for 1 .. $k;
}
EOF
perl profile.pl strings 24000000 | gzip >strings.pb.gz
bounded pprof_unpacked 400 20 "32 times the file's size" -csv -r strings.pb.gz
perl profile.pl strings 4000000 | gzip >entries.pb.gz
bounded pprof_entries 400 20 'more strings and places than' -csv -r entries.pb.gz
perl profile.pl owners 20000 | gzip >owners.pb.gz
bounded pprof_owners 400 20 'too many processes and threads' -csv -r owners.pb.gz

# One place of 8,000 inlined functions, which all samples share, each called from another function.
perl -e '
	sub v { my $n = shift; my $o = ""; while ($n > 127) { $o .= chr($n & 127 | 128); $n >>= 7 } $o . chr $n }
	sub f { v($_[0] << 3 | 2) . v(length $_[1]) . $_[1] }
	sub n { v($_[0] << 3) . v($_[1]) }
	print f(1, n(1, 1) . n(2, 2)), f(6, ""), f(6, "samples"), f(6, "count"), f(6, "leaf");
	print f(6, "root$_") for 1 .. 5000;
	print f(5, n(1, $_) . n(2, 4)) for 1 .. 8000;
	print f(5, n(1, 8000 + $_) . n(2, 4 + $_)) for 1 .. 5000;
	print f(4, n(1, 1) . join "", map { f(4, n(1, $_)) } 1 .. 8000);
	print f(4, n(1, 1 + $_) . f(4, n(1, 8000 + $_))), f(2, f(1, v(1) . v(1 + $_)) . f(2, v(1))) for 1 .. 5000;
' >shared.pb
bounded pprof_stacks 400 40 'calls, all together' -callers -r shared.pb
says pprof_stacks_tree err 'calls that the tree of calls has no room for'

# ---- gperftools: paths that one line makes long; samples beside as many mappings
perl -e '
	print pack "Q*", 0, 3, 0, 10000, 0, 1, 1, 0x1000, 0, 1, 0;
	print "build=", "x" x 8000, "\n";
	printf "%x-%x: \$build\n", $_, $_ + 1 for 1 .. 60000;
' >paths.prof
bounded gperftools_paths 100 10 'the rest is left out' -csv -r paths.prof
perl -e '
	print pack "Q*", 0, 3, 0, 10000, 0;
	print pack("Q*", 1, 100), pack("Q", ~0) x 100 for 1 .. 20000;
	print pack "Q*", 0, 1, 0;
	printf "%x-%x: a\n", 2 * $_, 2 * $_ + 1 for 1 .. 60000;
' >upper.prof
(ulimit -v 100000 -t 20 && exec "$bin/post" -q -csv -r upper.prof -o out.report 2>err)
is gperftools_upper $? 0

# ---- XRay: functions that are left, and were not entered
perl -e '
	my $k = 60000;
	sub meta { chr($_[0] << 1 | 1) . substr $_[1] . "\0" x 15, 0, 15 }
	print pack("SSLQQQ", 1, 1, 3, 1000000000, 16 * 3 + 8 * 9 * $k, 0);
	print meta(0, pack "L", 1), meta(4, pack "QL", 1, 0), meta(2, pack "SQ", 0, 1000);
	print pack("LL", 1 << 4, 1) x $k, pack("LL", 2 << 4 | 1 << 1, 1) x (8 * $k);
' >exits.xray
(ulimit -v 100000 -t 20 && exec "$bin/post" -q -functions -r exits.xray -o out.report 2>err)
verdict xray_exits "$([ $? -le 1 ]; echo $?)"
says xray_exits_counted out.report 480000

# ---- a perf map and a log of a JIT: many functions, then one in place of them all, again and again
perl -e '
	my $map = pack("LLQQQ", 77, 77, 0x10000, 0x10000000, 0) . "//anon\0\0";
	my $data = pack("LSS", 1, 2, 8 + length $map) . $map;
	for my $time (1000, 1000000) {
		my $body = pack("QLLQQ", 0x10002, 77, 77, $time, 1);
		$data .= pack("LSS", 9, 2, 8 + length $body) . $body;
	}
	print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
	print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0), $data;
' >jit.data
mkdir maps logs
perl -e '
	printf "%x 1 f\n", 0x10000 + 2 * $_ for 1 .. 20000;
	print "10000 10000000 g\n10000 10000000 h\n" x 10000;
' >maps/perf-77.map
bounded perf_map_changes 500 20 'too many changes' -csv -jdir maps -r jit.data
perl -e '
	printf "%d\t%x\t1\tLOAD\tf\t\n", $_, 0x10000 + 2 * $_ for 1 .. 20000;
	printf "%d\t10000\t1000000\tLOAD\t%s\t\n", 20000 + $_, $_ & 1 ? "g" : "h" for 1 .. 20000;
' >logs/log-jita2n_77
# Told in the order of time each is one change, and all of them are kept.
(ulimit -v 100000 -t 20 && exec "$bin/post" -q -csv -jdir logs -r jit.data -o out.report 2>err)
is jit_log_changes_code $? 0
is jit_log_changes_names "$(tail -n +2 out.report | cut -d, -f6,7 | tr '\n' ' ')" 'f,1 h,1 '

# ---- perf.data: each of many events with the same ids
perl -e '
	my ($events, $ids) = (2000, 20000);
	my $body = pack("QLLQQ", 0x401000, 70, 70, 1000, 1);
	my $data = pack("LSS", 9, 2, 8 + length $body) . $body;
	my $at = 104 + 8 * $ids;
	print "PERFILE2", pack("Q*", 104, 128, $at, 128 * $events, $at + 128 * $events, length $data, 0, 0, 0, 0, 0, 0);
	print pack("Q*", 1 .. $ids);
	print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 8 * $ids) for 1 .. $events;
	print $data;
' >ids.data
bounded perf_ids 250 20 'or are those of others, too' -csv -r ids.data

# ---- perf.data: names that unpack to a thousand times the file
if command -v zstd >/dev/null; then
	perl -e '
		my $comm = pack("LSSLL", 3, 0, 32, 70, 70) . "work" . "\0" x 12;
		print $comm x 8000000;
	' | zstd -q -19 --no-check >names.zst
	perl -e '
		my $packed = do { local $/; <STDIN> };
		my $body = pack("QLLQQ", 0x401000, 70, 70, 1000, 1);
		my $data = pack("LSS", 9, 2, 8 + length $body) . $body;
		$data .= pack("LSS", 81, 0, 8 + length $_) . $_ for unpack "(a60000)*", $packed;
		print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
		print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0), $data;
	' <names.zst >names.data
	bounded perf_compressed 400 20 'came out of what is compressed' -csv -r names.data
else
	echo "skip ${suite}_perf_compressed zstd is missing"
fi

# ---- a trace: sections that are some thousand times as large as they stand there
"$programs/programs/packed" packed.nrm2
bounded native_packed 400 20 '1024 times' -csv -r packed.nrm2

# ---- a program: debugging information of 400 MB, packed to half a MB
echo 'int main(void) { volatile int i; for (i = 0; i < 9; i++); return 0; }' >prog.c
gcc -g -O0 -no-pie -fno-asynchronous-unwind-tables -o prog prog.c
head -c 400M /dev/zero >zeros
for section in .debug_str .debug_line_str; do
	objcopy --remove-section $section --add-section $section=zeros prog bomb
	objcopy --compress-debug-sections=zlib bomb
	verdict "dwarf_packed${section}_small" "$(calc "$(stat -c %s bomb) > 2000000"; echo $((1 - $?)))"
	perl -e '
		my ($path, $main) = @ARGV;
		my $name = $path . "\0" x (8 - length($path) % 8);
		my $map = pack("LLQQQ", 70, 70, 0x401000, 0x1000, 0x1000) . $name;
		my $body = pack("QLLQQ", hex $main, 70, 70, 2000, 1);
		my $data = pack("LSS", 1, 2, 8 + length $map) . $map . pack("LSS", 9, 2, 8 + length $body) . $body;
		print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
		print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0), $data;
	' "$work/bomb" "$(nm prog | sed -n 's/ T main$//p')" >bomb.data
	(ulimit -v 400000 -t 20 && exec "$bin/post" -line -r bomb.data -o out.report >/dev/null 2>err)
	is "dwarf_packed${section}_code" $? 0
	says "dwarf_packed${section}_name" out.report main
	says "dwarf_packed${section}_told" err 'compression ratio too high'
done

# The same program's file for its stacks: main, called from main, in a copy of the stack.
if [ "$(uname -m)" = x86_64 ]; then
	perl -e '
		my ($path, $main) = @ARGV;
		my $name = $path . "\0" x (8 - length($path) % 8);
		my $map = pack("LLQQQ", 70, 70, 0x401000, 0x1000, 0x1000) . $name;
		my @regs = (0) x 20;
		@regs[7, 8] = (0x7ffd00000000, hex $main);
		my $stack = pack("Q", 1 + hex $main) . "\0" x 56;
		my $body = pack("QLLQQ", hex $main, 70, 70, 2000, 1) . pack("Q*", 2, @regs, length $stack) . $stack . pack("Q", length $stack);
		my $data = pack("LSS", 1, 2, 8 + length $map) . $map . pack("LSS", 9, 2, 8 + length $body) . $body;
		print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0x40, 0, 0, 0);
		print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100 | 0x1000 | 0x2000, 0, 0), "\0" x 32,
			pack("QLL", 0xff0fff, length $stack, 0), "\0" x 16, pack("QQ", 104, 0), $data,
			pack("QQL", 248 + length $data, 68, 64), pack("a64", "x86_64");
	' "$work/bomb" "$(nm prog | sed -n 's/ T main$//p')" >stack.data
	sed "s,$work/bomb,$work/prog," stack.data >plain.data
	"$bin/post" -q -folded -r plain.data -o plain.folded
	says dwarf_packed_stack plain.folded 'main;main'
	read -r _ _ memory < <("$programs/bench/cost" err 1 "$bin/post" -q -folded -r stack.data -o out.report)
	echo "# $memory MB"
	verdict dwarf_packed_stack_memory "$(calc "$memory < 150"; echo $?)"
else
	echo "skip ${suite}_dwarf_packed_stack the stack is one of x86-64"
fi
[ $failures = 0 ]
