/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds segments for collectors without the module: each struct is a ring of one CPU. Records are
 * added in the order of their stamps; a full segment is passed to the sink.
 */
#ifndef PITRACE_SEGMENT_H
#define PITRACE_SEGMENT_H

#include <stddef.h>
#include <stdint.h>
#include <pitrace.h>

/* Receives a segment of `size` bytes with its padding, valid during the call. 0 or -errno, which
 * ends the drain. */
typedef int (*segment_sink)(void *arg, const void *segment, size_t size);

struct segment_out {
	uint32_t session, cpu;
	uint16_t ring; /* enum pitrace_ring_kind */
	size_t size;   /* bytes of a segment */
	uint64_t lost; /* records lost in this ring so far: counted by the owner */
	/* The remaining members are private to segment.c. */
	uint8_t *data; /* allocated at the first record */
	size_t used;   /* 0: no segment is open */
	uint64_t sequence, last;
};

/*
 * Reserves a record of `bytes` of data (rounded up to 4, the padding is zeroed), with its header
 * written. A stamp less than the previous one is raised to it. If the open segment is full, it is
 * passed to the sink first. NULL with *err: no memory, too long for a segment, or the sink's error.
 */
void *segment_put(struct segment_out *o, uint16_t major, uint32_t minor, uint16_t type,
		  size_t bytes, uint64_t stamp, segment_sink sink, void *arg, int *err);
/* Passes the open segment, if any, to the sink. 0 or the sink's error. */
int segment_close(struct segment_out *o, segment_sink sink, void *arg);
void segment_free(struct segment_out *o);

#endif
