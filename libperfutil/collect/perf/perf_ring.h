/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapped ring of a perf event: its head, its records one by one, its tail. */
#ifndef PITRACE_PERF_RING_H
#define PITRACE_PERF_RING_H

#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

struct perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	size_t bytes;                      /* bytes of data, a power of two */
	uint64_t at;                       /* read so far */
	uint8_t *joined;                   /* copy of a record that wraps */
};

/* Maps the ring with `bytes` of data, or less (at least 64 KB) if the limit of locked memory
 * requires it. 0 or -errno. */
int perf_ring_map(struct perf_ring *r, int fd, size_t bytes);
void perf_ring_unmap(struct perf_ring *r);
uint64_t perf_ring_head(const struct perf_ring *r);
/* Returns the record at r->at if it ends at or before `until`, else NULL; perf_ring_next consumes
 * it. */
const struct perf_event_header *perf_ring_peek(struct perf_ring *r, uint64_t until);
void perf_ring_next(struct perf_ring *r, const struct perf_event_header *h);
/* Frees the space before r->at. */
void perf_ring_done(struct perf_ring *r);

#endif
