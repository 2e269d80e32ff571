/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fault a page, and a walk through tables for each access, are a good part of what arrays cost
 * that are used at random. */
#include "large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE (4u << 20)

/* What is not a whole huge page stays of small ones: no memory more is used. */
static void *advised(void *p, size_t bytes)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = ((uintptr_t)p + page - 1) & ~(page - 1);
	const uintptr_t end = ((uintptr_t)p + bytes) & ~(page - 1);

	if (p && bytes >= LARGE)
		madvise((void *)begin, end - begin, MADV_HUGEPAGE);
	return p;
}

void *large_alloc(size_t count, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(count, size, &bytes) ? NULL : advised(malloc(bytes), bytes);
}

void *large_zeroed(size_t count, size_t size)
{
	return advised(calloc(count, size), count * size);
}
