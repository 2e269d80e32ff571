/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Page faults and TLB misses are a good part of the cost of large arrays that are accessed at
 * random. */
#include "large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define LARGE (4u << 20)

/* Advises only whole huge pages; the rest keeps small pages, so that no extra memory is used. */
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
