/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ring of a perf event, mapped: where it is written to, its records one by one, its consumer's
 * place. */
#ifndef PITRACE_PERF_RING_H
#define PITRACE_PERF_RING_H

#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

struct perf_ring {
	struct perf_event_mmap_page *page;	/* NULL: not mapped */
	size_t bytes;			/* of data, a power of two */
	uint64_t at;			/* what was read of it so far */
	uint8_t *joined;		/* a record that lay across the ring's end */
};

/* Map it with `bytes` of data, or less where that many may not be locked (64 KB at least). 0 or
 * -errno. */
int perf_ring_map(struct perf_ring *r, int fd, size_t bytes);
void perf_ring_unmap(struct perf_ring *r);
uint64_t perf_ring_head(const struct perf_ring *r);
/* The record at r->at, if it ends at or before `until`; perf_ring_next passes it. NULL: no more. */
const struct perf_event_header *perf_ring_peek(struct perf_ring *r, uint64_t until);
void perf_ring_next(struct perf_ring *r, const struct perf_event_header *h);
/* What lies before r->at may be overwritten. */
void perf_ring_done(struct perf_ring *r);

#endif
