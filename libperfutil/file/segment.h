/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Segments as a collector without the module makes them: one of these is a ring of one CPU. Records
 * are put in the order of their stamps; a full segment goes to the sink.
 */
#ifndef PITRACE_SEGMENT_H
#define PITRACE_SEGMENT_H

#include <stddef.h>
#include <stdint.h>
#include <pitrace.h>

/* A segment, of `size` bytes with its padding; it is valid during the call. 0 or -errno: then the
 * drain stops with it. */
typedef int (*segment_sink)(void *arg, const void *segment, size_t size);

struct segment_out {
	uint32_t session, cpu;
	uint16_t ring;			/* enum pitrace_ring_kind */
	size_t size;			/* of a segment */
	uint64_t lost;			/* records lost in this ring so far: the owner counts */
	/* The rest is segment.c's. */
	uint8_t *data;			/* allocated at the first record */
	size_t used;			/* 0: none is open */
	uint64_t sequence, last;
};

/*
 * Room for a record of `bytes` of data (rounded up to 4, the padding is zeroed), its header already
 * written. A stamp less than the one before becomes that. If the open segment is full it goes to
 * sink first. NULL with *err: no memory, too long for a segment, or what the sink answered.
 */
void *segment_put(struct segment_out *o, uint16_t major, uint32_t minor, uint16_t type,
		  size_t bytes, uint64_t stamp, segment_sink sink, void *arg, int *err);
/* Hand over the open segment, if there is one. 0 or what the sink answered. */
int segment_close(struct segment_out *o, segment_sink sink, void *arg);
void segment_free(struct segment_out *o);

#endif
