/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which inner object refers to which. References are mostly to what lies near: of each object there
 * are the distances to what it refers to, in bytes of seven bits, behind the distance to the object
 * itself from the one that was added before.
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
	uint32_t before; /* the object that was added to last */
	uint64_t last;   /* where the last one of it begins, */
	uint32_t to;     /* and what it leads to */
};

int graph_begin(struct graph *g, uint32_t objects);
/* From an object that has none yet: all of it one after the other. -EFBIG: too many. */
int graph_add(struct graph *g, uint32_t from, uint32_t to);
/* No more from this one. */
void graph_end(struct graph *g);
void graph_free(struct graph *g);

/* What the distance at *p from an object leads to; *last: it is the object's last one. */
static inline uint32_t graph_take(const uint8_t **p, uint32_t from, bool *last)
{
	uint64_t v = **p & 63;

	*last = **p & 64;
	for (unsigned int shift = 6; *(*p)++ & 128; shift += 7)
		v |= (uint64_t)(**p & 127) << shift;
	return from + (uint32_t)(v >> 1 ^ -(v & 1));
}

/* Next one of an object; *at is from[] at first and NO_EDGES behind the last. */
static inline uint32_t graph_next(const struct graph *g, uint32_t from, uint32_t *at)
{
	const uint8_t *p = g->bytes + *at;
	bool last;
	uint32_t to = graph_take(&p, from, &last);

	*at = last ? NO_EDGES : (uint32_t)(p - g->bytes);
	return to;
}

/* All of them, in the order in which they were added; zeroed: at the first. */
struct graph_walk {
	uint64_t at;
	uint32_t from;
	bool inside; /* more of the same object follow */
};

/* False: there is none left. */
static inline bool graph_walk(const struct graph *g, struct graph_walk *w, uint32_t *to)
{
	const uint8_t *p;
	bool last;

	if (w->at == g->used)
		return false;
	p = g->bytes + w->at;
	if (!w->inside)
		w->from = graph_take(&p, w->from, &last);
	*to = graph_take(&p, w->from, &last);
	w->inside = !last;
	w->at = (uint64_t)(p - g->bytes);
	return true;
}

#endif
