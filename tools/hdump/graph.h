/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which inner object refers to which. References are mostly to what lies near: of each object there
 * are the distances to what it refers to, in bytes of seven bits.
 */
#ifndef HDUMP_GRAPH_H
#define HDUMP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define NO_EDGES UINT32_MAX

struct graph {
	uint32_t *from; /* of each object where its first is; NO_EDGES */
	uint8_t *bytes;
	uint64_t used, room;
	uint32_t objects;
	uint64_t edges;
	uint64_t last; /* where the last one of the object begins that is added to; */
	uint32_t to;   /* and what it leads to */
};

int graph_begin(struct graph *g, uint32_t objects);
/* From an object that has none yet: all of it one after the other. -EFBIG: too many. */
int graph_add(struct graph *g, uint32_t from, uint32_t to);
/* No more from this one. */
void graph_end(struct graph *g);
void graph_free(struct graph *g);

/* Next one of an object; *at is from[] at first and NO_EDGES behind the last. */
static inline uint32_t graph_next(const struct graph *g, uint32_t from, uint32_t *at)
{
	const uint8_t *p = g->bytes + *at;
	uint64_t v = *p & 63;
	const bool last = *p & 64;

	for (unsigned int shift = 6; *p & 128; shift += 7)
		v |= (uint64_t)(*++p & 127) << shift;
	*at = last ? NO_EDGES : (uint32_t)(p + 1 - g->bytes);
	return from + (uint32_t)(v >> 1 ^ -(v & 1));
}

#endif
