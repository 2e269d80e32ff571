/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A depth-first search assigns numbers and parents. Most objects are referred to only by their
 * parent, which then is their immediate dominator. For the others, those with several paths,
 * references other than from the parent are reversed. Semi-dominators are computed from the last
 * number to the first (Lengauer and Tarjan with path compression, only over objects with several
 * paths: the semi-dominator of any other is its parent). The immediate dominator is the nearest
 * dominator of the parent whose number is not above the semi-dominator's, computed from the first
 * number to the last (Georgiadis and Tarjan). Finally objects are renumbered in depth-first order
 * of the dominator tree. Arrays over all objects are reused.
 */
#include "dominators.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bits.h"
#include "large.h"

#define NONE UINT32_MAX

/* A subset of the numbers; each member has a rank, from 1 on. */
struct several {
	uint64_t *bits;
	uint32_t *before; /* members before each word of bits */
	uint32_t count;
};

struct dominator_search {
	uint32_t *parent;  /* by number */
	uint64_t *reached; /* a bit for each object */
	uint64_t *others;  /* a bit for each object with a second reference */
	struct several several;
	struct visit {
		uint32_t object, at;
	} * stack;
	uint64_t room;
};

/* ---- depth first ----------------------------------------------------------------------------- */

/* Replaces the object's offset of references by its number. */
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
	uint32_t to, own;

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
		/* Also if it is from the parent again: a check costs more than it saves. */
		if (bit_is_set(s->reached, to)) {
			bit_set(s->others, to);
			continue;
		}
		if (array_next(s->stack, depth, s->room))
			return -ENOMEM;
		own = d->number[s->stack[depth - 1].object];
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

/* ---- objects with several paths -------------------------------------------------------------- */

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

/* A reference between objects, between numbers, or from a number to a rank. */
struct turned {
	uint32_t from, to;
};

/* Lists the next references to objects with several paths, from numbers to ranks. Returns false if
 * none is left. Each step prefetches what the next one needs, because it is scattered in memory. */
static bool some_others(const struct dominators *d, const struct graph *g,
			const struct dominator_search *s, const uint32_t *begin,
			struct graph_walk *at, struct turned *list, unsigned int *count)
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
		__builtin_prefetch(&s->several.before[list[i].to / 64]);
	}
	*count = 0;
	for (unsigned int i = 0; i < n; i++)
		if (list[i].from && s->parent[list[i].to] != list[i].from) {
			const uint32_t rank = rank_of(&s->several, list[i].to);

			__builtin_prefetch(&begin[rank]);
			list[(*count)++] = (struct turned){ list[i].from, rank };
		}
	return n;
}

/* Reverses references: *from[begin[r]] … *from[begin[r + 1] - 1] are the numbers that refer to the
 * one of rank r, without its parent. */
static int turn(const struct dominators *d, const struct graph *g, const struct dominator_search *s,
		uint32_t *begin, uint32_t **from)
{
	struct turned list[TOGETHER];
	uint64_t sum = 0;
	unsigned int n;

	/* The first pass counts references, the second one stores them. */
	for (struct graph_walk at = { 0 }; some_others(d, g, s, begin, &at, list, &n);)
		for (unsigned int i = 0; i < n; i++)
			begin[list[i].to]++;
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
	for (struct graph_walk at = { 0 }; some_others(d, g, s, begin, &at, list, &n);)
		for (unsigned int i = 0; i < n; i++)
			(*from)[--begin[list[i].to]] = list[i].from;
	return 0;
}

/* Returns the least semi-dominator on the path from v up to the first one not above w, and
 * compresses the path. Reverses the links meanwhile, so that no stack is needed. */
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

#define STEPS     8
#define AHEAD     16
#define FAR_AHEAD 32

/* Returns the nearest ancestor of v in the search whose number is not above w. As numbers are in
 * depth-first order, it is the least parent of all numbers between them. Mostly it is near. */
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

/* Prefetches for the references that are FAR_AHEAD and AHEAD before those from `begin` to `end`, as
 * these are processed from the last ones to the first ones. */
static inline void prefetch_owners(const struct lowest *parents, const uint32_t *owner,
				   const uint32_t *up, const uint32_t *from, uint32_t begin,
				   uint32_t end)
{
	for (uint32_t i = end; i-- > begin && i >= FAR_AHEAD;) {
		__builtin_prefetch(&owner[from[i - FAR_AHEAD]]);
		__builtin_prefetch(&parents->level[0][from[i - FAR_AHEAD]]);
		__builtin_prefetch(&up[owner[from[i - AHEAD]]]);
	}
}

/*
 * Replaces begin[r] by semi[r]. The index of up and low is a rank. owner[v] is the rank of v's
 * nearest ancestor with several paths, or its own. The semi-dominator of any object between two of
 * those is its parent, so the least one on such a path is the ancestor at its end.
 */
static void semi_dominators(const struct dominator_search *s, const struct lowest *parents,
			    const uint32_t *owner, uint32_t *up, uint32_t *low, uint32_t *begin,
			    const uint32_t *from)
{
	uint32_t end = begin[(uint64_t)s->several.count + 1], semi, v, w, other;

	for (uint32_t r = s->several.count; r; r--) {
		w = low[r]; /* the number of rank r, until its semi-dominator is known */
		semi = s->parent[w];
		prefetch_owners(parents, owner, up, from, begin[r], end);
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

/* Computes *semi, whose index is a rank. Frees the graph. */
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

/* Sets jump[v], a link up the dominator tree. The lengths of links are skew binary numbers, so that
 * any ancestor is reached in a logarithmic number of steps. */
static void add_jump(uint32_t *jump, uint32_t *depth, uint32_t v, uint32_t up)
{
	uint32_t far = jump[up];

	depth[v] = depth[up] + 1;
	jump[v] = depth[up] - depth[far] == depth[far] - depth[jump[far]] ? jump[far] : up;
}

/* Returns the nearest of v and its dominators whose number is not above `limit`. */
static uint32_t not_behind(const uint32_t *idom, const uint32_t *jump, uint32_t v, uint32_t limit)
{
	while (v > limit)
		v = jump[v] > limit ? jump[v] : idom[v];
	return v;
}

/* Replaces parents by immediate dominators. */
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

/* Renumbers objects in depth-first order of the dominator tree; `moved` and `size` are scratch, and
 * `size` becomes d->idom. */
static void renumber(struct dominators *d, struct dominator_search *s, uint32_t objects,
		     uint32_t *moved, uint32_t *size)
{
	uint32_t *idom = s->parent, own, *next = size;

	/* next[v] is the next free number below v, at first the one after its own. */
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
	/* Objects that a dominates have the numbers after it; beyond those, immediate dominators
	 * are less. */
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
