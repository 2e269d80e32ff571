/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Depth-first search; the references that are not its own, turned round; semi-dominators from the
 * last number to the first (Lengauer and Tarjan, with compressed paths); then of each object, from
 * the first to the last, the nearest dominator of its parent that is not behind its semi-dominator
 * (Georgiadis and Tarjan). Arrays are reused: a word of each is 4 bytes an object.
 */
#include "dominators.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define NONE UINT32_MAX

struct dominator_search {
	uint32_t *parent; /* by number */
	struct visit {
		uint32_t object, at;
	} * stack;
	uint64_t room;
};

static int visit(struct dominators *d, const struct graph *g, struct dominator_search *s,
		 uint32_t first, uint32_t parent)
{
	uint64_t depth = 0;
	uint32_t to;

	d->number[first] = ++d->count;
	s->parent[d->count] = parent;
	if (array_room(s->stack, s->room, 1))
		return -ENOMEM;
	s->stack[depth++] = (struct visit){ first, g->from[first] };
	while (depth) {
		struct visit *f = &s->stack[depth - 1];

		if (f->at == NO_EDGES) {
			depth--;
			continue;
		}
		to = graph_next(g, f->object, &f->at);
		if (d->number[to])
			continue;
		d->number[to] = ++d->count;
		s->parent[d->count] = d->number[f->object];
		if (array_next(s->stack, depth, s->room))
			return -ENOMEM;
		s->stack[depth++] = (struct visit){ to, g->from[to] };
	}
	return 0;
}

static int search(struct dominators *d, const struct graph *g, const uint64_t *root,
		  struct dominator_search *s)
{
	int rc = 0;

	for (uint32_t w = 0; w <= g->objects / 64 && !rc; w++)
		for (uint64_t bits = root[w]; bits && !rc; bits &= bits - 1) {
			uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);

			if (i < g->objects && !d->number[i])
				rc = visit(d, g, s, i, 0);
		}
	free(s->stack);
	s->stack = NULL;
	return rc;
}

/* Calls with each reference that is not the search's own, by numbers. */
#define each_other(d, g, parent, u, w, todo)                                      \
	for (uint32_t o_ = 0; o_ < (g)->objects; o_++) {                          \
		uint32_t u = (d)->number[o_], at_ = u ? (g)->from[o_] : NO_EDGES; \
                                                                                  \
		while (at_ != NO_EDGES) {                                         \
			uint32_t w = (d)->number[graph_next(g, o_, &at_)];        \
                                                                                  \
			if ((parent)[w] != u) {                                   \
				todo;                                             \
			}                                                         \
		}                                                                 \
	}

/* begin[w] … begin[w + 1]: who refers to w, in *from. */
static int turn(const struct dominators *d, const struct graph *g, const uint32_t *parent,
		uint32_t *begin, uint32_t **from)
{
	uint64_t sum = 0;

	each_other(d, g, parent, u, w, begin[w]++);
	for (uint64_t w = 0; w <= d->count; w++) {
		sum += begin[w];
		if (sum >= NONE)
			return -ENOMEM;
		begin[w] = (uint32_t)sum;
	}
	begin[(uint64_t)d->count + 1] = (uint32_t)sum;
	*from = malloc((sum ? sum : 1) * sizeof(**from));
	if (!*from)
		return -ENOMEM;
	each_other(d, g, parent, u, w, (*from)[--begin[w]] = u);
	return 0;
}

/* The least semi-dominator on the way from v up to what is not behind w; the way becomes one step.
 * Up links point down meanwhile, so that no stack is needed. */
static uint32_t least(uint32_t *up, uint32_t *low, uint32_t v, uint32_t w)
{
	uint32_t x = v, below = NONE, next, top, min;

	if (v <= w)
		return v;
	while (up[x] > w) {
		next = up[x];
		up[x] = below;
		below = x;
		x = next;
	}
	top = up[x];
	min = low[x];
	while (below != NONE) {
		x = below;
		below = up[x];
		if (low[x] < min)
			min = low[x];
		low[x] = min;
		up[x] = top;
	}
	return min;
}

/* semi[w] takes the place of begin[w]. */
static void semi_dominators(uint32_t count, uint32_t *up, uint32_t *low, uint32_t *begin,
			    const uint32_t *from)
{
	uint32_t end = begin[(uint64_t)count + 1], semi, v;

	for (uint32_t w = count; w; w--) {
		semi = up[w];
		for (uint32_t i = begin[w]; i < end && semi; i++) {
			v = least(up, low, from[i], w);
			if (v < semi)
				semi = v;
		}
		end = begin[w];
		begin[w] = low[w] = semi;
	}
}

/* jump[v] skips as many as its own number in skew binary has: a way up has few of them. */
static void add_jump(uint32_t *jump, uint32_t *depth, uint32_t v, uint32_t up)
{
	uint32_t far = jump[up];

	depth[v] = depth[up] + 1;
	jump[v] = depth[up] - depth[far] == depth[far] - depth[jump[far]] ? jump[far] : up;
}

/* The nearest of v and its dominators that is not behind `limit`. */
static inline uint32_t not_behind(const uint32_t *idom, const uint32_t *jump, uint32_t v,
				  uint32_t limit)
{
	while (v > limit)
		v = jump[v] > limit ? jump[v] : idom[v];
	return v;
}

int dominators_find(struct dominators *d, struct graph *g, const uint64_t *root)
{
	struct dominator_search s = { 0 };
	uint32_t *begin = NULL, *from = NULL, *up = NULL, *low = NULL;
	size_t n;
	int rc;

	*d = (struct dominators){ 0 };
	d->number = calloc((size_t)g->objects + 1, sizeof(*d->number));
	s.parent = calloc((size_t)g->objects + 2, sizeof(*s.parent));
	rc = d->number && s.parent ? search(d, g, root, &s) : -ENOMEM;
	n = (size_t)d->count + 2;
	if (!rc) {
		begin = calloc(n, sizeof(*begin));
		rc = begin ? turn(d, g, s.parent, begin, &from) : -ENOMEM;
	}
	graph_free(g);
	if (!rc) {
		up = malloc(n * sizeof(*up));
		low = calloc(n, sizeof(*low));
		rc = up && low ? 0 : -ENOMEM;
	}
	if (!rc) {
		memcpy(up, s.parent, ((size_t)d->count + 1) * sizeof(*up));
		semi_dominators(d->count, up, low, begin, from);
		free(from);
		from = NULL;
		/* From here on jumps and depths. */
		up[0] = low[0] = 0;
		for (uint32_t v = 1; v <= d->count; v++) {
			s.parent[v] = not_behind(s.parent, up, s.parent[v], begin[v]);
			add_jump(up, low, v, s.parent[v]);
		}
		d->idom = s.parent;
		d->jump = up;
		s.parent = up = NULL;
	}
	free(s.parent);
	free(s.stack);
	free(begin);
	free(from);
	free(up);
	free(low);
	if (rc)
		dominators_free(d);
	return rc;
}

void dominators_free(struct dominators *d)
{
	free(d->number);
	free(d->idom);
	free(d->jump);
	*d = (struct dominators){ 0 };
}

uint32_t dominators_common(const struct dominators *d, uint32_t a, uint32_t b)
{
	while (a != b) {
		if (a > b)
			a = not_behind(d->idom, d->jump, a, b);
		else
			b = not_behind(d->idom, d->jump, b, a);
	}
	return a;
}
