/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks the call tree once, tracking the symbols on the current path and their positions. */
#include "model/callers.h"

#include <string.h>

struct walk {
	struct callers *c;
	const struct calls *calls;
	uint32_t *on_path;   /* by index in called[]: its occurrences on the path */
	uint32_t *innermost; /* by index in called[]: depth of its innermost occurrence */
	struct path_call {
		uint32_t called; /* index in called[] */
		uint32_t before; /* its previous innermost depth */
	} * path;                /* by depth */
};

static uint32_t get_called(struct callers *c, uint32_t symbol, bool kernel)
{
	struct called new = { .symbol = symbol, .kernel = kernel };
	uint64_t hash = hash_mix(symbol, kernel);
	uint32_t i = keys_find(&c->by_symbol, hash, c->called, e,
			       e->symbol == new.symbol && e->kernel == new.kernel);

	if (i != NO_KEY)
		return i;
	if (keys_next(&c->by_symbol, hash, c->called, c->ncalled, c->room_called))
		return NO_KEY;
	c->called[c->ncalled] = new;
	return c->ncalled++;
}

static int add_edge(struct callers *c, uint32_t of, uint32_t other, bool caller, uint64_t ticks)
{
	struct edge new = { .of = of, .other = other, .caller = caller };
	uint64_t hash = hash_mix((uint64_t)of << 32 | other, caller);
	uint32_t i = keys_find(&c->by_edge, hash, c->edge, e,
			       e->of == new.of && e->other == new.other && e->caller == new.caller);

	if (i == NO_KEY) {
		if (keys_next(&c->by_edge, hash, c->edge, c->nedge, c->room_edge))
			return -ENOMEM;
		i = c->nedge++;
		c->edge[i] = new;
	}
	c->edge[i].ticks += ticks; /* may be below zero (wrapped) meanwhile, but not at the end */
	return 0;
}

static int enter(struct walk *w, uint32_t node)
{
	const struct call *call = &w->calls->call[node];
	uint32_t s = get_called(w->c, call->id, call->kernel), before = w->innermost[s];
	uint32_t depth = call->depth, parent = depth > 1 ? w->path[depth - 1].called : NO_KEY;
	struct called *called = &w->c->called[s];
	int rc = 0;

	w->path[depth] = (struct path_call){ s, before };
	if (w->on_path[s]++ == 0) {
		called->total += call->total;
		rc = add_edge(w->c, s, parent, true, call->total);
	} else {
		if (w->on_path[s] == 2)
			called->recursive += call->total;
		/* The symbol recurs deeper in these stacks: only the innermost call's callee
		 * counts. */
		if (w->path[before + 1].called != s)
			rc = add_edge(w->c, s, w->path[before + 1].called, false, -call->total);
	}
	called->self += call->self;
	if (!rc && parent != NO_KEY && parent != s)
		rc = add_edge(w->c, parent, s, false, call->total);
	w->innermost[s] = depth;
	return rc;
}

/* Removes the calls of the path from this depth on. */
static void leave(struct walk *w, uint32_t depth, uint32_t from)
{
	for (; depth >= from && depth; depth--) {
		struct path_call *s = &w->path[depth];

		w->innermost[s->called] = s->before;
		w->on_path[s->called]--;
	}
}

/* Iterative, since the depth of calls is limited only by memory. */
static int walk(struct walk *w)
{
	uint32_t i, depth = 0;
	int rc = 0;

	for (i = w->calls->first; !rc && i != NO_KEY; i = calls_after(w->calls, i, true)) {
		leave(w, depth, w->calls->call[i].depth);
		depth = w->calls->call[i].depth;
		if (depth) /* roots are processes */
			rc = enter(w, i);
	}
	return rc;
}

static int compare_called(const void *pa, const void *pb, void *names)
{
	const struct called *a = pa, *b = pb;
	const struct symbol *symbol = ((const struct names *)names)->symbols.symbol;
	int c;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	c = strcmp(symbol[a->symbol].name, symbol[b->symbol].name);
	if (c)
		return c;
	return a->symbol != b->symbol ? (a->symbol < b->symbol ? -1 : 1) : a->kernel - b->kernel;
}

static int compare_edges(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->of != b->of)
		return a->of < b->of ? -1 : 1;
	if (a->caller != b->caller)
		return a->caller ? -1 : 1;
	if (a->ticks != b->ticks)
		return a->ticks > b->ticks ? -1 : 1;
	return a->other < b->other ? -1 : a->other > b->other;
}

/* Sorts for reports: symbols by ticks, with the edges of each one adjacent. */
static void put_in_order(struct callers *c, const struct names *n, uint32_t *place)
{
	uint32_t i, k = 0;

	for (i = 0; i < c->ncalled; i++)
		c->called[i].callers = i;
	if (c->ncalled)
		qsort_r(c->called, c->ncalled, sizeof(*c->called), compare_called,
			(void *)(uintptr_t)n);
	for (i = 0; i < c->ncalled; i++)
		place[c->called[i].callers] = i;
	for (i = 0; i < c->nedge; i++) {
		struct edge e = c->edge[i];

		e.of = place[e.of];
		if (e.other != NO_KEY)
			e.other = place[e.other];
		if (e.ticks)
			c->edge[k++] = e;
	}
	c->nedge = k;
	if (c->nedge)
		qsort(c->edge, c->nedge, sizeof(*c->edge), compare_edges);
	for (i = 0; i < c->ncalled; i++)
		c->called[i].callers = c->called[i].callees = 0;
	for (i = c->nedge; i-- > 0;) {
		struct called *of = &c->called[c->edge[i].of];

		*(c->edge[i].caller ? &of->callers : &of->callees) = i;
		++*(c->edge[i].caller ? &of->ncallers : &of->ncallees);
	}
}

int callers_build(struct callers *c, const struct calls *calls, const struct names *n)
{
	struct walk w = { .c = c, .calls = calls };
	uint32_t i;
	int rc = 0;

	*c = (struct callers){ 0 };
	for (i = 0; i < calls->ncall; i++) {
		if (calls->call[i].depth &&
		    get_called(c, calls->call[i].id, calls->call[i].kernel) == NO_KEY)
			return -ENOMEM;
	}
	w.on_path = calloc((size_t)c->ncalled + 1, sizeof(*w.on_path));
	w.innermost = calloc((size_t)c->ncalled + 1, sizeof(*w.innermost));
	w.path = calloc((size_t)calls_deepest(calls) + 2, sizeof(*w.path));
	if (!w.on_path || !w.innermost || !w.path)
		rc = -ENOMEM;
	if (!rc)
		rc = walk(&w);
	if (!rc)
		put_in_order(c, n, w.on_path);
	free(w.on_path);
	free(w.innermost);
	free(w.path);
	return rc;
}

void callers_free(struct callers *c)
{
	free(c->called);
	free(c->edge);
	keys_free(&c->by_symbol);
	keys_free(&c->by_edge);
	*c = (struct callers){ 0 };
}
