#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that is refused, once, at each place of swtrace's code and of libperfutil's in it that asks for it
# (tests/lib/no_memory.sh): by each collector that needs no module. A trace without a complaint has what
# it has otherwise: who ran, what was mapped, the machine, its kernel's names.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/no_memory.sh
. "$top/tests/lib/no_memory.sh"
cd "$work" || exit 1
export NO_MEMORY_OF=swtrace
codes="125 126"
cat >spin.c <<'END'
#include <stdio.h>
#include <time.h>
volatile unsigned long sum;
__attribute__((noinline)) static void spin(void)
{
	for (int i = 0; i < 100000; i++)
		sum += (unsigned long)i;
}
int main(int argc, char **argv)
{
	struct timespec t;

	(void)argv;
	do {
		spin();
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while (argc == 1 && !t.tv_sec && t.tv_nsec < 60000000);
	puts("done");
	return 0;
}
END
gcc -O1 spin.c -o spin || exit 1

# The part that two recordings of one program have in common.
whole() {
	cat out
	[ -s out.file ] || return
	"$bin/post" -q -info out.file 2>&1 |
		sed -E '/^(file|size|sections : [0-9]+ of (segments|system|snapshots)|cpu mhz|scope|clock|ticks in step)/d'
	"$bin/post" -q -stats out.file >stats 2>&1
	sed -nE 's/ +(mte (process|module|build-id)) events: +([0-9]+) .*/\1 \3/p' stats
	# On a busy machine a few samples may all be of its begin.
	if [ "$(sed -nE 's/ *tprof user events: +([0-9]+) .*/\1/p' stats | grep . || echo 0)" -ge 5 ]; then
		"$bin/post" -q -o - out.file 2>&1 | grep -q '\<spin$' || echo nameless
	fi
}
same() { # … or it says that records are lost
	whole | cmp -s - "$1" || "$bin/post" -o report out.file 2>&1 | grep -Eq 'lost: .*(names|samples) [1-9]'
}
run() { # NAME OPTION...
	local name=$1
	shift
	each "$name" "$bin/swtrace" run -q -o out.file "$@"
}

run timer -B timer -- ./spin
run timer_stacks -B timer -g -- ./spin
run perf -B perf -- ./spin
run perf_stacks -B perf -g -- ./spin
run itrace --itrace -B ptrace --from main -n 2k -- ./spin short
[ $failures = 0 ]
