/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Facts are kept in immutable runs. New facts are put into a run at the next look-up of the past,
 * and runs are merged so that their number stays logarithmic. Each run is a segment tree over the
 * ranges between all starts and ends: a fact is stored at the few nodes that it covers completely.
 * All facts of a node are valid at each of its addresses, so they follow each other in time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/space/space_past.h"
#include "base/array.h"
#include "base/search.h"

#define FRESH 32 /* up to this many are searched one by one */

struct space_run {
	uint32_t n, cuts;
	struct past_fact *facts; /* by `from`, then by order */
	uint64_t *cut;           /* where a range begins: at starts, and after ends */
	uint32_t *begin;         /* node i's list: lists[begin[i]] up to [begin[i + 1]] */
	uint32_t *lists;         /* indices of facts, ascending */
};

int space_past_add(struct space_past *p, const struct past_fact *fact)
{
	if (array_next(p->fresh, p->n, p->room))
		return -ENOMEM;
	p->fresh[p->n] = *fact;
	p->fresh[p->n++].order = p->added++;
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct past_fact *x = a, *y = b;

	if (x->from.time != y->from.time)
		return x->from.time < y->from.time ? -1 : 1;
	if (x->from.order != y->from.order)
		return x->from.order < y->from.order ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void free_run(struct space_run *r)
{
	if (!r)
		return;
	free(r->facts);
	free(r->cut);
	free(r->begin);
	free(r->lists);
	free(r);
}

static void make_cuts(struct space_run *r)
{
	uint32_t n = 0, kept = 0;

	for (uint32_t i = 0; i < r->n; i++) {
		r->cut[n++] = r->facts[i].start;
		if (r->facts[i].last != UINT64_MAX)
			r->cut[n++] = r->facts[i].last + 1;
	}
	qsort(r->cut, n, sizeof(*r->cut), by_value);
	for (uint32_t i = 0; i < n; i++)
		if (!i || r->cut[i] != r->cut[i - 1])
			r->cut[kept++] = r->cut[i];
	r->cuts = kept;
}

#define NODES_MOST 64

/* Finds the nodes that a fact covers completely: node i has the children 2i and 2i + 1, the ranges
 * are the nodes from `cuts` on. */
static unsigned int nodes_of(const struct space_run *r, const struct past_fact *f, uint32_t *nodes)
{
	uint32_t low = search_sorted(i, 0, r->cuts, r->cut[i] < f->start);
	uint32_t high = search_sorted(i, low, r->cuts, r->cut[i] <= f->last);
	unsigned int n = 0;

	for (low += r->cuts, high += r->cuts; low < high; low /= 2, high /= 2) {
		if (low & 1)
			nodes[n++] = low++;
		if (high & 1)
			nodes[n++] = --high;
	}
	return n;
}

static bool make_lists(struct space_run *r)
{
	const uint32_t count = 2 * r->cuts;
	uint32_t nodes[NODES_MOST];
	uint64_t all = 0;

	for (uint32_t i = 0; i < r->n; i++)
		for (unsigned int k = nodes_of(r, &r->facts[i], nodes); k; k--)
			r->begin[nodes[k - 1] + 1]++;
	for (uint32_t i = 0; i <= count; i++) {
		all += r->begin[i];
		r->begin[i] = (uint32_t)all;
	}
	if (all > UINT32_MAX)
		return false;
	r->lists = malloc(all * sizeof(*r->lists));
	if (!r->lists)
		return false;
	/* begin[node] moves to the end of its list, and is moved back afterwards. */
	for (uint32_t i = 0; i < r->n; i++)
		for (unsigned int k = nodes_of(r, &r->facts[i], nodes); k; k--)
			r->lists[r->begin[nodes[k - 1]]++] = i;
	memmove(r->begin + 1, r->begin, count * sizeof(*r->begin));
	r->begin[0] = 0;
	return true;
}

/* Takes ownership of the facts. */
static struct space_run *new_run(struct past_fact *facts, uint32_t n)
{
	struct space_run *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->n = n;
	r->cut = malloc(2 * (size_t)n * sizeof(*r->cut));
	if (r->cut) {
		qsort(facts, n, sizeof(*facts), by_time);
		r->facts = facts;
		make_cuts(r);
		r->begin = calloc(2 * (size_t)r->cuts + 2, sizeof(*r->begin));
	}
	if (!r->begin || !make_lists(r)) {
		r->facts = NULL;
		free_run(r);
		return NULL;
	}
	return r;
}

/* Puts the fresh facts into a run, merged with runs that are at most twice as large. Without memory
 * they are searched one by one, as before. */
static void settle(struct space_past *p)
{
	uint32_t from = p->n_runs, n = p->n;
	struct past_fact *facts;
	struct space_run *run;

	if (p->n <= FRESH || array_next(p->runs, p->n_runs, p->room_runs))
		return;
	while (from && p->runs[from - 1]->n <= 2 * (uint64_t)n && n + p->runs[from - 1]->n > n)
		n += p->runs[--from]->n;
	facts = malloc(n * sizeof(*facts));
	if (!facts)
		return;
	n = 0;
	for (uint32_t i = from; i < p->n_runs; i++) {
		memcpy(facts + n, p->runs[i]->facts, p->runs[i]->n * sizeof(*facts));
		n += p->runs[i]->n;
	}
	memcpy(facts + n, p->fresh, p->n * sizeof(*facts));
	run = new_run(facts, n + p->n);
	if (!run) {
		free(facts);
		return;
	}
	for (uint32_t i = from; i < p->n_runs; i++)
		free_run(p->runs[i]);
	p->runs[from] = run;
	p->n_runs = from + 1;
	free(p->fresh);
	p->fresh = NULL;
	p->n = p->room = 0;
}

/* ---- look-ups -------------------------------------------------------------------------------- */

static bool holds(const struct past_fact *f, struct moment at)
{
	return moment_not_after(f->from, at) && !moment_not_after(f->to, at);
}

/* Returns the node of the range with this address; 0: before all ranges. */
static uint32_t leaf_of(const struct space_run *r, uint64_t address)
{
	const uint32_t at = search_sorted(i, 0, r->cuts, r->cut[i] <= address);

	return at ? at - 1 + r->cuts : 0;
}

/* Returns how many of a node's facts begin no later than `at`. */
static uint32_t begun(const struct space_run *r, uint32_t node, struct moment at)
{
	return search_sorted(i, r->begin[node], r->begin[node + 1],
			     moment_not_after(r->facts[r->lists[i]].from, at));
}

const struct past_fact *space_past_find(struct space_past *p, uint64_t address, struct moment at)
{
	settle(p);
	for (uint32_t i = 0; i < p->n; i++)
		if (p->fresh[i].start <= address && p->fresh[i].last >= address &&
		    holds(&p->fresh[i], at))
			return &p->fresh[i];
	for (uint32_t i = 0; i < p->n_runs; i++) {
		const struct space_run *r = p->runs[i];

		for (uint32_t node = leaf_of(r, address); node; node /= 2) {
			const uint32_t end = begun(r, node, at);
			const struct past_fact *f;

			if (end == r->begin[node])
				continue;
			f = &r->facts[r->lists[end - 1]];
			if (holds(f, at))
				return f;
		}
	}
	return NULL;
}

const struct past_fact *space_past_next(struct space_past *p, uint64_t address, struct moment at)
{
	const struct past_fact *first = NULL;

	settle(p);
	for (uint32_t i = 0; i < p->n; i++) {
		const struct past_fact *f = &p->fresh[i];

		if (f->start <= address && f->last >= address && !moment_not_after(f->from, at) &&
		    (!first || by_time(f, first) < 0))
			first = f;
	}
	for (uint32_t i = 0; i < p->n_runs; i++) {
		const struct space_run *r = p->runs[i];

		for (uint32_t node = leaf_of(r, address); node; node /= 2) {
			const uint32_t next = begun(r, node, at);

			if (next < r->begin[node + 1] &&
			    (!first || by_time(&r->facts[r->lists[next]], first) < 0))
				first = &r->facts[r->lists[next]];
		}
	}
	return first;
}

void space_past_each(const struct space_past *p, const uint64_t *address,
		     void (*take)(void *arg, const struct past_fact *fact), void *arg)
{
	for (uint32_t i = 0; i < p->n; i++)
		if (!address || (p->fresh[i].start <= *address && p->fresh[i].last >= *address))
			take(arg, &p->fresh[i]);
	for (uint32_t i = 0; i < p->n_runs; i++) {
		const struct space_run *r = p->runs[i];

		for (uint32_t k = 0; !address && k < r->n; k++)
			take(arg, &r->facts[k]);
		for (uint32_t node = address ? leaf_of(r, *address) : 0; node; node /= 2)
			for (uint32_t k = r->begin[node]; k < r->begin[node + 1]; k++)
				take(arg, &r->facts[r->lists[k]]);
	}
}

void space_past_free(struct space_past *p)
{
	for (uint32_t i = 0; i < p->n_runs; i++)
		free_run(p->runs[i]);
	free(p->runs);
	free(p->fresh);
	*p = (struct space_past){ 0 };
}
