/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Depth-first search gives numbers and parents. Most objects are referred to by their parent alone,
 * which then is their dominator. For the others, those with several ways, references that are not
 * the search's own are turned round; semi-dominators are found from the last number to the first
 * (Lengauer and Tarjan, with compressed paths, over those with several ways: the semi-dominator of
 * any other is its parent); then of each, from the first to the last, the nearest dominator of its
 * parent that is not behind its semi-dominator (Georgiadis and Tarjan). At the end objects are
 * numbered once more, by depth in the tree of dominators. Arrays of all objects are reused.
 */
#include "dominators.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bits.h"
#include "large.h"

#define NONE UINT32_MAX

/* Some numbers of all, each with its rank, from 1 on. */
struct several {
	uint64_t *bits;
	uint32_t *before; /* how many there are in front of each 64 */
	uint32_t count;
};

struct dominator_search {
	uint32_t *parent;  /* by number */
	uint64_t *reached; /* a bit for each object; */
	uint64_t *others;  /* another one refers to it than its parent does */
	struct several several;
	struct visit {
		uint32_t object, at;
	} * stack;
	uint64_t room;
};

/* ---- depth first ----------------------------------------------------------------------------- */

/* The place of an object's references makes room for its number. */
static struct visit enter(struct dominators *d, struct dominator_search *s, uint32_t object,
			  uint32_t parent)
{
	const struct visit v = { object, d->number[object] };

	bit_set(s->reached, object);
	d->number[object] = ++d->count;
	s->parent[d->count] = parent;
	return v;
}

static int visit(struct dominators *d, const struct graph *g, struct dominator_search *s,
		 uint32_t first)
{
	uint64_t depth = 0;
	uint32_t to, number, own;

	if (array_room(s->stack, s->room, 1))
		return -ENOMEM;
	s->stack[depth++] = enter(d, s, first, 0);
	while (depth) {
		struct visit *f = &s->stack[depth - 1];

		if (f->at == NO_EDGES) {
			depth--;
			continue;
		}
		to = graph_next(g, f->object, &f->at);
		own = d->number[f->object];
		if (bit_is_set(s->reached, to)) {
			number = d->number[to];
			if (s->parent[number] != own)
				bit_set(s->others, to);
			continue;
		}
		if (array_next(s->stack, depth, s->room))
			return -ENOMEM;
		s->stack[depth++] = enter(d, s, to, own);
	}
	return 0;
}

static int search(struct dominators *d, struct graph *g, const uint64_t *root,
		  struct dominator_search *s)
{
	const size_t words = ((size_t)g->objects + 1) / 64 + 1;
	int rc = 0;

	d->number = g->from;
	g->from = NULL;
	s->parent = large_alloc((size_t)g->objects + 1, sizeof(*s->parent));
	s->reached = calloc(words, sizeof(*s->reached));
	s->others = calloc(words, sizeof(*s->others));
	if (!s->parent || !s->reached || !s->others)
		return -ENOMEM;
	s->parent[0] = 0;
	for (uint32_t w = 0; w <= g->objects / 64 && !rc; w++)
		for (uint64_t bits = root[w]; bits && !rc; bits &= bits - 1) {
			uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(bits);

			if (i < g->objects && !bit_is_set(s->reached, i))
				rc = visit(d, g, s, i);
		}
	for (uint32_t i = 0; i < g->objects; i++)
		if (!bit_is_set(s->reached, i))
			d->number[i] = 0;
	free(s->stack);
	free(s->reached);
	s->stack = NULL;
	s->reached = NULL;
	return rc;
}

/* ---- those with several ways ----------------------------------------------------------------- */

static int rank_all(struct several *s, const struct dominators *d, const uint64_t *others,
		    uint32_t objects)
{
	const uint32_t words = d->count / 64 + 1;

	s->bits = calloc(words, sizeof(*s->bits));
	s->before = malloc((size_t)words * sizeof(*s->before));
	if (!s->bits || !s->before)
		return -ENOMEM;
	for (uint32_t w = 0; w <= objects / 64; w++)
		for (uint64_t bits = others[w]; bits; bits &= bits - 1)
			bit_set(s->bits, d->number[w * 64 + (uint32_t)__builtin_ctzll(bits)]);
	for (uint32_t w = 0; w < words; w++) {
		s->before[w] = s->count;
		s->count += bits_of(s->bits[w]);
	}
	return 0;
}

static uint32_t rank_of(const struct several *s, uint32_t number)
{
	const uint64_t below = (2ull << number % 64) - 1;

	return s->before[number / 64] + bits_of(s->bits[number / 64] & below);
}

#define TOGETHER 64u

/* A reference, by objects or numbers. */
struct turned {
	uint32_t from, to;
};

/* The next references to those with several ways, by numbers; false: none is left. What each step
 * needs is far away in memory: it is asked for one step before, for all of them. */
static bool some_others(const struct dominators *d, const struct graph *g,
			const struct dominator_search *s, struct graph_walk *at,
			struct turned *list, unsigned int *count)
{
	unsigned int n = 0;
	uint32_t to;

	while (n < TOGETHER && graph_walk(g, at, &to))
		if (bit_is_set(s->others, to)) {
			list[n++] = (struct turned){ at->from, to };
			__builtin_prefetch(&d->number[to]);
		}
	for (unsigned int i = 0; i < n; i++) {
		list[i] = (struct turned){ d->number[list[i].from], d->number[list[i].to] };
		__builtin_prefetch(&s->parent[list[i].to]);
	}
	*count = 0;
	for (unsigned int i = 0; i < n; i++)
		if (list[i].from && s->parent[list[i].to] != list[i].from)
			list[(*count)++] = list[i];
	return n;
}

/* begin[r] … begin[r + 1]: who refers to the number of this rank, in *from, beside its parent. */
static int turn(const struct dominators *d, const struct graph *g, const struct dominator_search *s,
		uint32_t *begin, uint32_t **from)
{
	struct turned list[TOGETHER];
	uint64_t sum = 0;
	unsigned int n;

	/* Once to count, once to put them there. */
	for (struct graph_walk at = { 0 }; some_others(d, g, s, &at, list, &n);)
		for (unsigned int i = 0; i < n; i++)
			begin[rank_of(&s->several, list[i].to)]++;
	for (uint64_t r = 0; r <= s->several.count; r++) {
		sum += begin[r];
		if (sum >= NONE)
			return -ENOMEM;
		begin[r] = (uint32_t)sum;
	}
	begin[(uint64_t)s->several.count + 1] = (uint32_t)sum;
	*from = large_alloc(sum ? sum : 1, sizeof(**from));
	if (!*from)
		return -ENOMEM;
	for (struct graph_walk at = { 0 }; some_others(d, g, s, &at, list, &n);)
		for (unsigned int i = 0; i < n; i++)
			(*from)[--begin[rank_of(&s->several, list[i].to)]] = list[i].from;
	return 0;
}

/* The least semi-dominator on the way from v up to what is not behind w; the way becomes one step.
 * Up links point down meanwhile, so that no stack is needed. */
static uint32_t least(uint32_t *up, uint32_t *low, uint32_t v, uint32_t w)
{
	uint32_t x = v, below = NONE, next, top, min;

	if (v <= w)
		return NONE;
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

#define STEPS 8

/* The nearest ancestor of v in the search that is not behind w: as numbers are by depth, it is the
 * least parent of all between them. Mostly it is a few steps away. */
static uint32_t ancestor(const struct lowest *parents, uint32_t v, uint32_t w)
{
	uint32_t a = v;

	for (int i = 0; i < STEPS; i++) {
		a = parents->level[0][a];
		if (a <= w)
			return a;
	}
	return lowest_of(parents, w + 1, v + 1);
}

/*
 * semi[r] takes the place of begin[r]. up and low are by rank; owner is by number: the rank of the
 * nearest ancestor that has several ways, or its own. Between those the semi-dominator of each
 * object is its parent: the least of these on a way is the ancestor that ends it.
 */
static void semi_dominators(const struct dominator_search *s, const struct lowest *parents,
			    const uint32_t *owner, uint32_t *up, uint32_t *low, uint32_t *begin,
			    const uint32_t *from)
{
	uint32_t end = begin[(uint64_t)s->several.count + 1], semi, v, w, other;

	for (uint32_t r = s->several.count; r; r--) {
		w = low[r]; /* its number, as long as it has no semi-dominator */
		semi = s->parent[w];
		for (uint32_t i = begin[r]; i < end && semi; i++) {
			v = from[i];
			if (v > w) {
				other = least(up, low, owner[v], r);
				v = ancestor(parents, v, w);
				v = other < v ? other : v;
			}
			semi = v < semi ? v : semi;
		}
		end = begin[r];
		begin[r] = low[r] = semi;
	}
}

/* *semi: by rank. The graph is given back. */
static int find_semi_dominators(struct dominators *d, struct graph *g, struct dominator_search *s,
				uint32_t **semi)
{
	uint32_t *begin, *from = NULL, *up = NULL, *low = NULL, *owner = NULL, r = 0;
	struct lowest parents = { 0 };
	size_t n;
	int rc = rank_all(&s->several, d, s->others, g->objects);

	n = (size_t)s->several.count + 2;
	*semi = begin = calloc(n, sizeof(*begin));
	if (!rc)
		rc = begin ? turn(d, g, s, begin, &from) : -ENOMEM;
	graph_free(g);
	free(s->others);
	s->others = NULL;
	if (!rc)
		rc = lowest_begin(&parents, s->parent, d->count + 1);
	if (!rc) {
		up = malloc(n * sizeof(*up));
		low = malloc(n * sizeof(*low));
		owner = large_alloc((size_t)d->count + 1, sizeof(*owner));
		rc = up && low && owner ? 0 : -ENOMEM;
	}
	if (!rc) {
		owner[0] = 0;
		for (uint32_t v = 1; v <= d->count; v++) {
			owner[v] = owner[s->parent[v]];
			if (bit_is_set(s->several.bits, v)) {
				up[++r] = owner[v];
				low[r] = v;
				owner[v] = r;
			}
		}
		semi_dominators(s, &parents, owner, up, low, begin, from);
	}
	lowest_free(&parents);
	free(owner);
	free(low);
	free(up);
	free(from);
	return rc;
}

/* ---- dominators ------------------------------------------------------------------------------ */

/* jump[v] skips as many as its own number in skew binary has: a way up has few of them. */
static void add_jump(uint32_t *jump, uint32_t *depth, uint32_t v, uint32_t up)
{
	uint32_t far = jump[up];

	depth[v] = depth[up] + 1;
	jump[v] = depth[up] - depth[far] == depth[far] - depth[jump[far]] ? jump[far] : up;
}

/* The nearest of v and its dominators that is not behind `limit`. */
static uint32_t not_behind(const uint32_t *idom, const uint32_t *jump, uint32_t v, uint32_t limit)
{
	while (v > limit)
		v = jump[v] > limit ? jump[v] : idom[v];
	return v;
}

/* Dominators take the place of parents. */
static void find_dominators(const struct dominators *d, struct dominator_search *s,
			    const uint32_t *semi, uint32_t *jump, uint32_t *depth)
{
	uint32_t *idom = s->parent, r = 0;

	jump[0] = depth[0] = 0;
	for (uint32_t v = 1; v <= d->count; v++) {
		if (bit_is_set(s->several.bits, v))
			idom[v] = not_behind(idom, jump, idom[v], semi[++r]);
		add_jump(jump, depth, v, idom[v]);
	}
}

static void count_all(uint32_t *size, const uint32_t *idom, uint32_t count)
{
	for (uint32_t v = 0; v <= count; v++)
		size[v] = 1;
	for (uint32_t v = count; v; v--)
		size[idom[v]] += size[v];
}

/* Numbers by depth in the tree of dominators; `moved` and `size` are room. */
static void renumber(struct dominators *d, struct dominator_search *s, uint32_t objects,
		     uint32_t *moved, uint32_t *size)
{
	uint32_t *idom = s->parent, own, *next = size;

	/* The next number that is free below each: at first the one behind its own. */
	count_all(size, idom, d->count);
	moved[0] = 0;
	next[0] = 1;
	for (uint32_t v = 1; v <= d->count; v++) {
		own = size[v];
		moved[v] = next[idom[v]];
		next[idom[v]] += own;
		next[v] = moved[v] + 1;
	}
	d->idom = size;
	d->idom[0] = 0;
	for (uint32_t v = 1; v <= d->count; v++)
		d->idom[moved[v]] = moved[idom[v]];
	for (uint32_t i = 0, n = d->count; i < objects; i++)
		d->number[i] = d->number[i] ? moved[d->number[i]] : ++n;
}

int dominators_find(struct dominators *d, struct graph *g, const uint64_t *root)
{
	const uint32_t objects = g->objects;
	struct dominator_search s = { 0 };
	uint32_t *semi = NULL, *one = NULL, *other = NULL;
	size_t n;
	int rc;

	*d = (struct dominators){ 0 };
	rc = search(d, g, root, &s);
	n = (size_t)d->count + 1;
	if (!rc)
		rc = find_semi_dominators(d, g, &s, &semi);
	if (!rc) {
		one = large_alloc(n, sizeof(*one));
		other = large_alloc(n, sizeof(*other));
		rc = one && other ? 0 : -ENOMEM;
	}
	if (!rc) {
		find_dominators(d, &s, semi, one, other);
		renumber(d, &s, objects, one, other);
		other = NULL; /* d->idom */
		rc = lowest_begin(&d->lowest, d->idom, d->count + 1);
	}
	graph_free(g);
	free(s.parent);
	free(s.reached);
	free(s.others);
	free(s.several.bits);
	free(s.several.before);
	free(s.stack);
	free(semi);
	free(one);
	free(other);
	if (rc)
		dominators_free(d);
	return rc;
}

void dominators_free(struct dominators *d)
{
	free(d->number);
	free(d->idom);
	lowest_free(&d->lowest);
	*d = (struct dominators){ 0 };
}

uint32_t dominators_common(const struct dominators *d, uint32_t a, uint32_t b)
{
	/* What a dominates follows it: where one leaves that, dominators are smaller. */
	return a == b ? a :
	       a < b  ? lowest_of(&d->lowest, a + 1, b + 1) :
			lowest_of(&d->lowest, b + 1, a + 1);
}

uint32_t *dominators_sizes(const struct dominators *d)
{
	uint32_t *size = malloc(((size_t)d->count + 1) * sizeof(*size));

	if (size)
		count_all(size, d->idom, d->count);
	return size;
}
