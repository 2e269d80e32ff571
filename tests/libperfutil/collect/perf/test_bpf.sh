#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# BPF programs that come and go while a trace is on have their names, each for as long as it was there: in a
# perf.data, in a trace of swtrace's collector perf, and in a perf.data that post writes of either. Held
# against the ticks that perf itself counts.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../../lib/lib.sh"
cd "$work" || exit 1
export LC_ALL=C

cat >bpf.c <<'END'
/* Loads two programs one after the other and runs each: the second is likely to be where the first was. */
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#define I(code, dst, src, off, imm) ((struct bpf_insn){ code, dst, src, off, imm })
static int run(const char *name, int turns)
{
	struct bpf_insn p[] = {
		I(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0), I(BPF_ALU64 | BPF_MOV | BPF_K, 1, 0, 0, 20000),
		I(BPF_ALU64 | BPF_ADD | BPF_X, 0, 1, 0, 0), I(BPF_ALU64 | BPF_XOR | BPF_K, 0, 0, 0, 7),
		I(BPF_ALU64 | BPF_SUB | BPF_K, 1, 0, 0, 1), I(BPF_JMP | BPF_JNE | BPF_K, 1, 0, -4, 0),
		I(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	char in[64] = { 0 };
	struct timespec from, to;
	union bpf_attr a;
	int fd, k;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	a.insns = (uintptr_t)p;
	a.insn_cnt = sizeof(p) / sizeof(p[0]);
	a.license = (uintptr_t)"GPL";
	strcpy(a.prog_name, name);
	fd = (int)syscall(__NR_bpf, BPF_PROG_LOAD, &a, sizeof(a));
	if (fd < 0)
		return 1;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (k = 0; k < turns; k++) {
		memset(&a, 0, sizeof(a));
		a.test.prog_fd = (uint32_t)fd;
		a.test.data_in = (uintptr_t)in;
		a.test.data_size_in = sizeof(in);
		a.test.repeat = 2000;
		if (syscall(__NR_bpf, BPF_PROG_TEST_RUN, &a, sizeof(a)))
			return 1;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("%s %.0f ms\n", name, (to.tv_sec - from.tv_sec) * 1e3 + (to.tv_nsec - from.tv_nsec) / 1e6);
	close(fd);
	usleep(300000);			/* until it is freed */
	return 0;
}
int main(void)
{
	return run("first", 20) || run("second", 40);
}
END
gcc -O1 -o bpf bpf.c && ./bpf 2>err &&
	perf record -q -e cpu-clock -F 1000 -o b.data ./bpf 2>err && perf script --show-bpf-events -i b.data 2>/dev/null |
	grep -q PERF_RECORD_KSYMBOL || {
	echo "skip ${suite} BPF programs or perf's records of them are not to be had here"
	exit 77
}
# NAME TICKS of programs, sorted
ticks_of() {
	"$bin/post" -q -csv -o - -r "$1" 2>err | awk -F, '
		match($6, /bpf_prog_[0-9a-f]+_(first|second)/) { n[substr($6, RSTART, RLENGTH)] += $7 }
		END { for (i in n) print i, n[i] }' | sort
}
perf_ticks() {
	perf script -G -F ip,sym -i "$1" 2>/dev/null | awk '$2 ~ /^bpf_prog_.*_(first|second)$/ { n[$2]++ }
		END { for (i in n) print i, n[i] }' | sort
}
perf_ticks b.data >want
ticks_of b.data >have
[ "$(wc -l <want)" = 2 ] && diff want have >out
verdict read $? "$(cat out) $(head -c 300 err)"
printf 'ffffffff81000000 T _text\nffffffff81000000 T _stext\nffffffff82000000 T _etext\n' >map
"$bin/post" -q -kmap map -csv -o - -r b.data 2>err | grep -c 'bpf_prog_[0-9a-f]*_' >have
calc "$(cat have) >= 2"
verdict read_with_kmap $? "$(cat have)"
"$bin/post" -q -format perf.data -o again.data -r b.data 2>err
perf_ticks again.data >have
diff want have >out
verdict written $? "$(cat out)"

# Every tick in kernel code of that run that is not in the programs stays what it was: none is in a program's
# place when it was not there.
"$bin/swtrace" run -q -B perf -F 1000 -o b.nrm2 -- ./bpf >out 2>&1
ticks_of b.nrm2 >have
# At 1,000 a second each program has as many ticks as milliseconds of CPU time, by its own account.
awk 'FNR == NR { ms[$1] = $2; next } { sub(/.*_/, "", $1); n[$1] += $2 }
	END { for (p in ms) { good += ms[p] > 50 && n[p] > 0.9 * ms[p] && n[p] < 1.1 * ms[p] } exit good != 2 }' out have
verdict live $? "$(cat out have)"
"$bin/post" -q -csv -o - -r b.nrm2 2>err | awk -F, '$5 == "NoModule" { n += $7 } END { exit n > 5 }'
verdict live_no_nomodule $? "$("$bin/post" -q -csv -o - -r b.nrm2 | head -5)"
"$bin/post" -q -format perf.data -o own.data -r b.nrm2 2>err
perf_ticks own.data >again
[ -s have ] && diff have again >out
verdict live_written $?
[ $failures = 0 ]
