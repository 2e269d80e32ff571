/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * References between inner objects. Most references are to near objects, so an object is stored as
 * distances, with seven bits per byte: first its own distance from the object added before it, then
 * the distances to the objects that it refers to.
 */
#ifndef HDUMP_GRAPH_H
#define HDUMP_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#define NO_EDGES UINT32_MAX

struct graph {
	uint32_t *from; /* offset of each object's first reference, or NO_EDGES */
	uint8_t *bytes;
	uint64_t used, room;
	uint32_t objects;
	uint64_t edges;
	uint32_t before; /* the object whose references were added last */
	uint64_t last;   /* offset of its latest reference */
	uint32_t to;     /* the object that it refers to */
};

int graph_begin(struct graph *g, uint32_t objects);
/* Adds a reference; all references of an object must be added one after another. Returns 0,
 * -ENOMEM, or -EFBIG if there are too many. */
int graph_add(struct graph *g, uint32_t from, uint32_t to);
/* Ends the references of the current object. */
void graph_end(struct graph *g);
void graph_free(struct graph *g);

/* Decodes the distance at *p and returns the object at that distance from `from`; *last: it is the
 * last one. */
static inline uint32_t graph_take(const uint8_t **p, uint32_t from, bool *last)
{
	uint64_t v = **p & 63;

	*last = **p & 64;
	for (unsigned int shift = 6; *(*p)++ & 128; shift += 7)
		v |= (uint64_t)(**p & 127) << shift;
	return from + (uint32_t)(v >> 1 ^ -(v & 1));
}

/* Returns the next reference of an object; *at is from[] at first, NO_EDGES after the last one. */
static inline uint32_t graph_next(const struct graph *g, uint32_t from, uint32_t *at)
{
	const uint8_t *p = g->bytes + *at;
	bool last;
	uint32_t to = graph_take(&p, from, &last);

	*at = last ? NO_EDGES : (uint32_t)(p - g->bytes);
	return to;
}

/* Iterates over all references, in the order in which they were added; begins zeroed. */
struct graph_walk {
	uint64_t at;
	uint32_t from;
	bool inside; /* further references of the same object follow */
};

/* Returns false if none is left. */
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
