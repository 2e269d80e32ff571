// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A library is loaded, runs, goes; another is loaded at the very same address, runs, goes; and so
 * on. Says when each was in place: NAME BASE FROM TO (CLOCK_MONOTONIC ns), and at which addresses.
 *	reuse ROUNDS MS
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "work.h"

static uintptr_t run(const char *dir, char which, long ms)
{
	char path[PATH_MAX], symbol[32];
	int64_t from, to, end;
	struct link_map *map;
	uintptr_t base;
	long rounds = 0;
	void (*f)(void);
	void *lib;

	snprintf(path, sizeof(path), "%s/libreuse_%c.so", dir, which);
	snprintf(symbol, sizeof(symbol), "middle_%c", which);
	from = clock_ns(CLOCK_MONOTONIC);
	lib = dlopen(path, RTLD_NOW);
	f = lib ? (void (*)(void))dlsym(lib, symbol) : NULL;
	if (!f || dlinfo(lib, RTLD_DI_LINKMAP, &map)) {
		fprintf(stderr, "reuse: %s\n", dlerror());
		exit(1);
	}
	base = map->l_addr;
	end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ms * 1000000;
	do
		f();
	while (++rounds < ROUNDS(ms) || clock_ns(CLOCK_THREAD_CPUTIME_ID) < end);
	dlclose(lib);
	to = clock_ns(CLOCK_MONOTONIC);
	printf("%c %#lx %lld %lld\n", which, (unsigned long)base, (long long)from, (long long)to);
	return base;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 8, i;
	long ms = argc > 2 ? atol(argv[2]) : 20;
	static char exe[PATH_MAX];
	uintptr_t base = 0, now;
	char *dir;

	if (readlink("/proc/self/exe", exe, sizeof(exe) - 1) < 0)
		return 1;
	dir = dirname(exe);
	for (i = 0; i < rounds; i++) {
		now = run(dir, "ab"[i % 2], ms);
		if (i && now != base) {
			fprintf(stderr, "reuse: the address changed: %#lx, %#lx\n",
				(unsigned long)base, (unsigned long)now);
			return 1;
		}
		base = now;
	}
	return 0;
}
