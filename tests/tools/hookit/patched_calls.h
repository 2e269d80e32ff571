/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions count their calls themselves: CALLED("NAME") in each; at the end calls_write(). */
#ifndef PATCHED_CALLS_H
#define PATCHED_CALLS_H

#include <stdio.h>

/* The compilers make neither part of their callers nor copies of them. */
#ifdef __clang__
#define QUIET __attribute__((noinline))
#else
#define QUIET __attribute__((noinline, noclone))
#endif

static unsigned long long calls[64];
static const char *names[64];
#define CALLED(name)                                                   \
	do {                                                           \
		enum { here = __COUNTER__ };                           \
		names[here] = name;                                    \
		__atomic_fetch_add(&calls[here], 1, __ATOMIC_RELAXED); \
	} while (0)

/* As patch_counter.c writes them; to standard output without a path. */
static void calls_write(const char *path)
{
	FILE *out = path ? fopen(path, "w") : stdout;

	for (int i = 0; i < 64; i++) {
		if (calls[i])
			fprintf(out, "%s %llu\n", names[i], calls[i]);
	}
	if (path)
		fclose(out);
}

#endif
