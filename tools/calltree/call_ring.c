/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call_ring.h"

#include <sys/mman.h>

#define HEAD 4096

struct call_ring *call_ring_new(uint32_t metrics)
{
	size_t size = HEAD + RING_WORDS * sizeof(uint64_t);
	char *m = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct call_ring *r = (struct call_ring *)m;

	if (m == MAP_FAILED)
		return NULL;
	_Static_assert(sizeof(*r) <= HEAD, "the ring's head");
	r->metrics = metrics;
	r->words = RING_WORDS;
	r->word = (uint64_t *)(m + HEAD);
	r->size = size;
	return r;
}

void call_ring_empty(struct call_ring *r)
{
	madvise((char *)r + HEAD, r->size - HEAD, MADV_DONTNEED);
}
