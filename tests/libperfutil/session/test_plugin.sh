#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The static library in a plug-in, which is closed while a thread lives that called it: what the thread has of
# the library ends before the code does.
set -u
# shellcheck source=tests/lib/lib.sh
. "$(dirname "$0")/../../lib/lib.sh"
cd "$work" || exit 1

cat >plugin.c <<'END'
#include <perfutil.h>
int records(void)
{
	uint64_t value = 1;

	return TraceHook(0, 0xD0, 1, 1, 0, &value, NULL, NULL);
}
int fails(void) { return TraceSetMode(77); }
END
cat >host.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
static sem_t called, may_end;
static int (*call)(void);
static void *thread(void *arg)
{
	printf("%d\n", call());
	sem_post(&called);
	sem_wait(&may_end);
	return arg;
}
int main(int argc, char **argv)
{
	void *plugin = dlopen(argv[1], RTLD_NOW);
	pthread_t t;

	if (!plugin || argc != 3)
		return 2;
	call = (int (*)(void))dlsym(plugin, argv[2]);
	pthread_create(&t, NULL, thread, NULL);
	sem_wait(&called);
	dlclose(plugin);
	puts(dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD) ? "still there" : "gone");
	sem_post(&may_end);
	pthread_join(t, NULL);
	return 0;
}
END
"${CC:-gcc}" -w -shared -fPIC -I "$top/driver/uapi" -I "$top/libperfutil/include" -o plugin.so plugin.c \
	"$build/lib/libperfutil.a" -lzstd -lpthread 2>out && "${CC:-gcc}" -w -o host host.c -ldl -pthread 2>>out
verdict compiles $? "$(cat out)"
is nobody_listens "$(./host ./plugin.so records 2>&1; echo $?)" $'1\ngone\n0'
is has_an_error_text "$(./host ./plugin.so fails 2>&1; echo $?)" $'-10\ngone\n0'
if "$bin/swtrace" run -q -B perf -M 0xD0 -o plugin.nrm2 -- ./host ./plugin.so records >out 2>err; then
	is records "$(cat out)" $'0\ngone'
	is recorded "$("$bin/post" -q -show -json -r plugin.nrm2 -o - 2>err | jq -c 'select(.major == 208) | .ints')" '["0x1"]'
else
	echo "skip ${suite}_records the collector perf does not work here: $(head -n 1 err)"
fi
[ $failures = 0 ]
