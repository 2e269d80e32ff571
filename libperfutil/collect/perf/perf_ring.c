/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring of a perf event: perf_event_open(2), "mmap layout". */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "collect/perf/perf_ring.h"

#define LEAST_BYTES 65536

int perf_ring_map(struct perf_ring *r, int fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size;
	void *p;

	for (size = LEAST_BYTES; size < bytes; size *= 2)
		;
	for (;; size /= 2) {
		p = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		/* EPERM: more than an ordinary user may lock. */
		if (p != MAP_FAILED || (errno != EPERM && errno != ENOMEM) || size <= LEAST_BYTES)
			break;
	}
	if (p == MAP_FAILED)
		return -errno;
	*r = (struct perf_ring){ .page = p, .bytes = size, .joined = malloc(UINT16_MAX + 1) };
	if (r->joined)
		return 0;
	perf_ring_unmap(r);
	return -ENOMEM;
}

void perf_ring_unmap(struct perf_ring *r)
{
	if (r->page)
		munmap(r->page, (size_t)sysconf(_SC_PAGESIZE) + r->bytes);
	free(r->joined);
	*r = (struct perf_ring){ 0 };
}

uint64_t perf_ring_head(const struct perf_ring *r)
{
	/* Pairs with the kernel's barrier between the records and data_head. */
	return r->page ? __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE) : 0;
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *r, uint64_t until)
{
	const struct perf_event_header *h;
	const uint8_t *data;
	size_t at, left;

	if (!r->page || until - r->at < sizeof(*h))
		return NULL;
	data = (const uint8_t *)r->page + sysconf(_SC_PAGESIZE);
	at = r->at & (r->bytes - 1);
	left = r->bytes - at;
	/* Records are multiples of 8 bytes, so the ring's end never splits a header. */
	h = (const void *)(data + at);
	if (h->size < sizeof(*h) || h->size % sizeof(*h) || h->size > until - r->at)
		return NULL;
	if (h->size <= left)
		return h;
	memcpy(r->joined + left, data, h->size - left);
	memcpy(r->joined, h, left);
	return (const void *)r->joined;
}

void perf_ring_next(struct perf_ring *r, const struct perf_event_header *h)
{
	r->at += h->size;
}

void perf_ring_done(struct perf_ring *r)
{
	/* All reads complete before the kernel sees that it may overwrite. */
	if (r->page)
		__atomic_store_n(&r->page->data_tail, r->at, __ATOMIC_RELEASE);
}
