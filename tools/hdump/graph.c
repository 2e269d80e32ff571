/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first byte of a distance has six bits, a mark for the object's last one, and one for more. */
#include "graph.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "large.h"

#define LAST     64
#define NOONE    UINT32_MAX
#define DISTANCE 8 /* not less than the most bytes that a distance takes */

int graph_begin(struct graph *g, uint32_t objects)
{
	*g = (struct graph){ .objects = objects, .to = NOONE };
	g->from = large_alloc((size_t)objects + 1, sizeof(*g->from));
	if (!g->from)
		return -ENOMEM;
	memset(g->from, 0xff, ((size_t)objects + 1) * sizeof(*g->from));
	return 0;
}

static void put(struct graph *g, uint32_t from, uint32_t to)
{
	const int64_t far = (int64_t)to - from;
	uint64_t v = (uint64_t)far << 1 ^ (far < 0 ? UINT64_MAX : 0);
	uint8_t *p = g->bytes + g->used;

	*p = v & 63;
	for (v >>= 6; v; v >>= 7) {
		*p |= 128;
		*++p = v & 127;
	}
	g->used = (uint64_t)(p + 1 - g->bytes);
}

int graph_add(struct graph *g, uint32_t from, uint32_t to)
{
	if (to == g->to)
		return 0;
	if (g->used > UINT32_MAX - 2 * DISTANCE)
		return -EFBIG;
	if (array_room(g->bytes, g->room, g->used + 2 * DISTANCE))
		return -ENOMEM;
	if (g->from[from] == NO_EDGES) {
		put(g, g->before, from);
		g->before = from;
		g->from[from] = (uint32_t)g->used;
	}
	g->last = g->used;
	g->to = to;
	g->edges++;
	put(g, from, to);
	return 0;
}

void graph_end(struct graph *g)
{
	if (g->to != NOONE)
		g->bytes[g->last] |= LAST;
	g->to = NOONE;
}

void graph_free(struct graph *g)
{
	free(g->from);
	free(g->bytes);
	*g = (struct graph){ 0 };
}
