#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The worst files for readers of what is packed or told by ids: each ends within the memory and time that
# pitrace-formats(7) tells, says what was left out, and reads the rest.
set -u
# shellcheck source=tests/tools/lib.sh
. "$(dirname "$0")/lib.sh"
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
"$programs/format/test_packed" packed.nrm2
bounded native_packed 400 20 '1024 times' -csv -r packed.nrm2

# ---- a program: debugging information of 400 MB, packed to half a MB
echo 'int main(void) { volatile int i; for (i = 0; i < 9; i++); return 0; }' >prog.c
gcc -g -O0 -no-pie -o prog prog.c
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
	says "dwarf_packed${section}_told" err 'packed too well'
done
[ $failures = 0 ]
