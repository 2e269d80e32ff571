#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sources of names for a perf.data besides the files that ran: copies by build id that perf and debuginfod's client
# keep, and jitdumps, whose times are of another clock unless perf was told otherwise. Call chains of any length.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
export HOME=$work/home
mkdir home
unset DEBUGINFOD_CACHE_PATH XDG_CACHE_HOME DEBUGINFOD_URLS

post() {
	"$bin/post" -q "$@" 2>err
	[ $? -le 1 ]
}

# ---- chains that are longer than the kernel's usual 127 addresses
perl -e '
	my @chain = (-512, 0x401000 .. 0x401000 + 599);
	my $body = pack("QLLQQQ", 0x401000, 70, 70, 1000, 1, scalar @chain) . pack("q*", @chain);
	my $data = pack("LSS", 9, 2, 8 + length $body) . $body;
	print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
	print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x20 | 0x100, 0, 1 << 18), "\0" x 64, pack("QQ", 104, 0), $data;
' >deep.data
post -show -json -o - -r deep.data | jq -r 'select(.record == "tprof").stack_user | "\(length) \(.[0]) \(.[-1])"' >out
is deep_chain "$(cat out)" '600 0x401000 0x401257'
post -format perf.data -o deep.written -r deep.data
post -show -json -o - -r deep.written | jq -r 'select(.record == "tprof").stack_user | "\(length) \(.[0]) \(.[-1])"' >out
is deep_chain_written "$(cat out)" '600 0x401000 0x401257'

# ---- data of an AUX area: told; those that are not decoded are passed over
for kind in 1 4 99; do
	perl -e '
		my $body = pack("QLLQQ", 0x401000, 70, 70, 1000, 1);
		my $sample = pack("LSS", 9, 2, 8 + length $body) . $body;
		my $info = pack("LSSLLQ", 70, 0, 24, shift, 0, 0);
		my $aux = pack("LSSQQQ", 11, 0, 32, 0, 24, 1);	# truncated
		my $trace = pack("LSSQQQLLLL", 71, 0, 48, 24, 0, 0, 0, 70, 0, 0) . "\x02\x82" x 12;
		my $data = $info . $sample . $aux . $trace . $sample;
		print "PERFILE2", pack("Q*", 104, 128, 104, 128, 232, length $data, 0, 0, 0, 0, 0, 0);
		print pack("LLQQQQQ", 1, 112, 0, 1, 0x1 | 0x2 | 0x4 | 0x100, 0, 0), "\0" x 64, pack("QQ", 104, 0), $data;
	' $kind >aux.$kind
	post -info -r aux.$kind | sed -n 's/^aux data : //p'
	post -json -r aux.$kind | jq .total_ticks
done >have
without=$("$bin/post" -version | grep -q libipt && echo 'not ')
cat >want <<EOF
24 bytes of Intel PT, ${without}decoded; cut by the kernel 1 times
2
24 bytes of Arm SPE, not decoded; cut by the kernel 1 times
2
24 bytes of an unknown kind, not decoded; cut by the kernel 1 times
2
EOF
diff want have >out
verdict aux_data_told $?

perf record -q -e cpu-clock -o probe.data true 2>/dev/null && [ -s probe.data ] || {
	echo "skip ${suite}_recorded perf record does not work here"
	[ $failures = 0 ]
	exit
}

# ---- a program that is gone
cat >work.c <<'EOF'
static volatile unsigned long sink;
static __attribute__((noinline)) void known(unsigned long n)
{ for (unsigned long i = 0; i < n; i++) sink += i * i; }
int main(void) { known(200000000); return 0; }
EOF
gcc -O1 -Wl,--build-id -o work work.c || exit 1
id=$(readelf -n work | sed -n 's/.*Build ID: //p')
perf record -q -N -e cpu-clock --buildid-all -o gone.data ./work 2>err || exit 1
mv work away
cc -O1 -Wl,--build-id -DOTHER -o other -x c - <<<'int known_not(void) { return 1; } int main(void) { return known_not(); }'
named() { # NAME WANT: whether samples are named, of which there are many
	local have
	post -csv -r gone.data >out
	have=$(awk -F, '/,known,/ { n += $7 } END { print (n > 5) ? "named" : "not" }' out)
	is "$1" "$have" "$2"
}
named no_copy not
kept=home/.debug/.build-id/${id:0:2}/${id:2}
mkdir -p "$kept"
cp other "$kept/elf"
named copy_of_another not
cp away "$kept/elf"
named copy_of_perf named
strip -o "$kept/elf" away
named copy_without_symbols not
cp away "$kept/debug"
named copy_and_debug_file_of_perf named
rm -r home/.debug
mkdir -p "home/.debug/.build-id/${id:0:2}"
cp away "$kept"
named copy_of_old_perf named
rm -r home/.debug

cache=home/.cache/debuginfod_client/$id
mkdir -p "$cache"
cp away "$cache/executable"
named cache_of_debuginfod named
strip -o "$cache/executable" away
named cached_without_symbols not
objcopy --only-keep-debug away "$cache/debuginfo"
named cached_debug_file named
mkdir elsewhere
mv "$cache" elsewhere/
DEBUGINFOD_CACHE_PATH=$work/elsewhere named cache_by_environment named
XDG_CACHE_HOME=$work named cache_not_there not
mkdir -p debuginfod_client
mv "elsewhere/$id" debuginfod_client/
XDG_CACHE_HOME=$work named cache_of_desktop named
mv debuginfod_client home/.debuginfod_client_cache
named cache_of_old_debuginfod named

# ---- a jitdump
cat >jit.c <<'EOF'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) static unsigned long made(unsigned long n)
{ unsigned long s = 0; for (unsigned long i = 0; i < n; i++) s += i ^ (s << 1); return s; }
static unsigned int ns;	/* a tick of the clock; unless 1 it is a counter of the machine's */
static uint64_t now(void)
{ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (t.tv_sec * 1000000000ull + t.tv_nsec) / ns; }
int main(int argc, char **argv)
{
	ns = argc > 1 ? atoi(argv[1]) : 1;
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct { uint32_t magic, version, size, machine, pad, pid; uint64_t time, flags; } h =
		{ 0x4A695444, 1, 40, 62, 0, getpid(), now(), ns > 1 };
	struct { uint32_t id, size; uint64_t time; uint32_t pid, tid; uint64_t vma, at, bytes, index; } l =
		{ 0, 56 + 8 + 256, now(), getpid(), getpid(), (uintptr_t)code, (uintptr_t)code, 256, 1 };
	char name[64];
	snprintf(name, sizeof(name), "jit-%d.dump", getpid());
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	memcpy(code, made, 256);
	write(fd, &h, sizeof(h));
	FILE *mapped = fopen("mapped", "w");
	fprintf(mapped, "%lu\n", now());
	fclose(mapped);
	mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	write(fd, &l, sizeof(l));
	write(fd, "jitcode", 8);
	write(fd, code, 256);
	unsigned long (*f)(unsigned long) = (void *)code;
	return f(300000000) == 1;
}
EOF
gcc -O1 -o jit jit.c 2>/dev/null || exit 1
perf record -q -N -e cpu-clock -o own.data ./jit 2>err
"$bin/post" -csv -r own.data >out 2>err
says other_clock_is_told err "jit-[0-9]*\.dump: its times use CLOCK_MONOTONIC, .*-k mono"
perf record -q -N -k mono -e cpu-clock -o mono.data ./jit 2>err
"$bin/post" -csv -r mono.data >out 2>err
! grep -q CLOCK_MONOTONIC err
verdict same_clock_is_not $?
says same_clock_names out 'jitcode'
# Times that a jitdump took from the machine's counter, here of four nanoseconds each, which TIME_CONV
# (79) makes perf's own. When the dump was mapped is known by both clocks. With a wrong multiplier the
# code comes long after it ran.
perf record -q -N -e cpu-clock -o - ./jit 4 >counted.data 2>err
zero=$(($(perf script --show-mmap-events --ns -i counted.data 2>/dev/null |
	sed -nE 's/.* ([0-9]+)\.([0-9]{9}): PERF_RECORD_MMAP2 .*jit-[0-9]+\.dump.*/\1\2/p') - 4 * $(cat mapped)))
converted() { # MULTIPLIER
	head -c 16 counted.data
	perl -e 'print pack("L<S<S<Q<2q<2", 79, 0, 40, 0, @ARGV, 0)' "$1" $zero
	tail -c +17 counted.data
}
"$bin/post" -csv -r counted.data >out 2>err
says counter_alone_is_told err "jit-[0-9]*\.dump: .* use the processor's clock"
converted 4 >with.data
"$bin/post" -csv -r with.data 2>err | grep JITCODE >out
says counter_converted out ',jitcode,'
converted 8 >with.data
"$bin/post" -csv -r with.data 2>err | grep JITCODE >out
says counter_converted_wrongly out ',JitUnannounced,'
[ $failures = 0 ]
