#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Memory that is refused, once, at each place of libhookit's code that asks for it, in a program that is measured
# (tests/lib/no_memory.sh): that program does what it does, and the log has all its calls, if perhaps
# by their addresses, or it is said that it has not.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
# shellcheck source=tests/lib/no_memory.sh
. "$top/tests/lib/no_memory.sh"
[ -f "$build/lib/libhookit.so" ] || {
	echo "skip hookit_memory it is not built with sanitizers"
	exit 0
}
cd "$work" || exit 1
export NO_MEMORY_OF=libhookit.so.0 LD_LIBRARY_PATH=$work
ln -s "$build/lib/libhookit.so" libhookit.so.0
cat >calls.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int two(int x) { return x + 1; }
int one(int x) { return two(x) + 1; }
static void *run(void *p)
{
	for (int i = 0; i < 200; i++)
		one(i);
	return p;
}
int main(void)
{
	pthread_t t;

	run(NULL);
	if (!pthread_create(&t, NULL, run, NULL))
		pthread_join(t, NULL);
	puts("done");
	return 0;
}
END
gcc -O1 -fno-inline -finstrument-functions calls.c -o calls -L. -Wl,--no-as-needed -l:libhookit.so.0 -lpthread || exit 1

codes=0
whole() {
	cat out
	cat log-rt.* log-gen.* 2>/dev/null | awk '/^ LV/ { on = 1; next }
		on && $1 != "" { print $1, $2, $3 }'
	rm -f log-rt.* log-gen.*
}
# The library keeps its memory in mappings of its own, where leaks are not checked.
leaks() { :; }
run() { # NAME OPTIONS
	HOOKITOPTS=$2,CALIBRATION=none,LOGPATH=$work each "$1" ./calls
}
run tree METHODTYPES
run records TRACEHOOK
run names METHODTYPES,FUNCTIONS=one+run
[ $failures = 0 ]
