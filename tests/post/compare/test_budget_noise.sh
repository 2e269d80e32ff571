#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A budget of instructions, 100 times: what differs from run to run (addresses, environment,
# other programs) never breaks it; 1 % more in one function always does, and no other line is named.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1
turns=100

cat >work.c <<'END'
#include <stdlib.h>
#include <string.h>
static volatile long sum;
__attribute__((noinline)) void work(long n) { while (n-- > 0) sum += n; }
__attribute__((noinline)) void rest(long n) { while (n-- > 0) sum ^= n; }
__attribute__((noinline)) static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
	int list[16];

	(void)argc;
	for (int i = 0; i < 16; i++)
		list[i] = i * 7 % 16;
	work(atol(argv[1]));
	rest(50);
	qsort(list, 16, sizeof(*list), compare);
	return list[0];
}
END
gcc -O1 -g -o work work.c || exit 1
traced() { # FILE COUNT: with an environment of its own
	env "NOISE=$(head -c $((RANDOM % 3000)) /dev/zero | tr '\0' x)" \
		"$bin/swtrace" run --itrace -B ptrace --from main -q -o "$1" -- ./work "$2" >out 2>err
}
if ! traced a.nrm2 100; then
	echo "skip ${suite} no instruction traces here"
	exit 77
fi
"$bin/arcf" -tree -new-budget a.nrm2 | grep -E '^"(work|rest|compare|main)"' >budget
is lines "$(wc -l <budget)" 4
kept=0 broken=0
why() { # TURN: what was said
	sed "s/^/# turn $1: /" out err
}
for ((i = 0; i < turns; i++)); do
	if traced a.nrm2 100 && "$bin/arcf" -tree -budget budget a.nrm2 >out 2>err; then
		kept=$((kept + 1))
	else
		why $i
	fi
	if traced a.nrm2 101 && ! "$bin/arcf" -tree -budget budget a.nrm2 -csv >out 2>err &&
		[ "$(grep 'true,true$' out | cut -d, -f 2 | sort -u | tr '\n' ' ')" = 'work ' ]; then
		broken=$((broken + 1))
	else
		why $i
	fi
done
is noise_keeps_it "$kept" $turns
is one_percent_breaks_it "$broken" $turns
[ $failures = 0 ]
