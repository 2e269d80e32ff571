/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorts records by time. A file has the rings' contents one after the other, so the input consists
 * of runs of growing time. After perf has read all rings once it writes FINISHED_ROUND: records
 * from before the last round began are older than all later ones. Up to there the runs are merged;
 * memory is what one or two rounds hold. Without rounds it is the whole file.
 */
#include "input/perf/perf_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define BLOCK PERF_BLOCK /* records are kept in blocks of this size and alignment */

struct perf_block {
	uint32_t live, used;     /* records in it; bytes */
	struct perf_block *next; /* of spare ones */
};

static struct perf_block *block_of(struct perf_held *h)
{
	return (struct perf_block *)((uintptr_t)h & ~(uintptr_t)(BLOCK - 1));
}

static void let_go(struct perf_order *o, struct perf_held *h)
{
	struct perf_block *b = block_of(h);

	if (--b->live)
		return;
	if (b == o->block) {
		b->used = sizeof(*b);
	} else if (!o->spare) {
		o->spare = b;
	} else {
		free(b);
		o->blocks--;
	}
}

static struct perf_held *hold(struct perf_order *o, size_t size)
{
	size_t need = (sizeof(struct perf_held) + size + 7) & ~(size_t)7;
	struct perf_block *b = o->block;
	struct perf_held *h;

	if (!b || b->used + need > BLOCK) {
		b = o->spare ? o->spare : aligned_alloc(BLOCK, BLOCK);
		if (!b)
			return NULL;
		o->blocks += !o->spare;
		o->spare = NULL;
		*b = (struct perf_block){ .used = sizeof(*b) };
		/* The old block is freed with its last record; a block without records had room. */
		o->block = b;
	}
	h = (struct perf_held *)((uint8_t *)b + b->used);
	b->used += (uint32_t)need;
	b->live++;
	return h;
}

int perf_order_add(struct perf_order *o, const struct perf_raw *raw, uint32_t attr, uint64_t time)
{
	struct perf_run *run = o->nruns ? &o->run[o->nruns - 1] : NULL;
	struct perf_held *h;

	if (array_next(o->entry, o->n, o->room))
		return -ENOMEM;
	if (!run || run->end != o->n || o->entry[o->n - 1].time > time) {
		if (array_next(o->run, o->nruns, o->room_runs))
			return -ENOMEM;
		run = &o->run[o->nruns++];
		run->at = run->end = o->n;
	}
	h = hold(o, raw->size);
	if (!h)
		return -ENOMEM;
	h->offset = raw->offset;
	h->size = (uint16_t)raw->size;
	h->file = (uint16_t)raw->file;
	h->attr = attr;
	memcpy(h->record, raw->data, raw->size);
	o->entry[o->n] = (struct perf_entry){ time, h };
	run->end = ++o->n;
	if (time > o->greatest)
		o->greatest = time;
	return 0;
}

/* ---- merging --------------------------------------------------------------------------------- */

/* Equal times: the order of reading. */
static bool before(const struct perf_order *o, size_t a, size_t b)
{
	uint64_t x = o->entry[o->run[a].at].time, y = o->entry[o->run[b].at].time;

	return x != y ? x < y : a < b;
}

static void sift(struct perf_order *o, size_t i)
{
	size_t top = o->heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= o->nheap)
			break;
		if (child + 1 < o->nheap && before(o, o->heap[child + 1], o->heap[child]))
			child++;
		if (!before(o, o->heap[child], top))
			break;
		o->heap[i] = o->heap[child];
		i = child;
	}
	o->heap[i] = top;
}

int perf_order_round(struct perf_order *o, bool end)
{
	size_t i;

	if (array_room(o->heap, o->room_heap, o->nruns))
		return -ENOMEM;
	o->nheap = o->nruns;
	for (i = 0; i < o->nruns; i++)
		o->heap[i] = i;
	for (i = o->nheap / 2; i-- > 0;)
		sift(o, i);
	o->draining = true;
	o->all = end;
	return 0;
}

/* Moves what is left of the runs to the front. */
static void keep_rest(struct perf_order *o)
{
	size_t i, n = 0, runs = 0;

	for (i = 0; i < o->nruns; i++) {
		struct perf_run r = o->run[i];

		if (r.at == r.end)
			continue;
		memmove(o->entry + n, o->entry + r.at, (r.end - r.at) * sizeof(*o->entry));
		o->run[runs++] = (struct perf_run){ n, n + (r.end - r.at) };
		n += r.end - r.at;
	}
	o->n = n;
	o->nruns = runs;
	o->draining = false;
	o->bound = o->greatest;
}

const struct perf_entry *perf_order_next(struct perf_order *o)
{
	const struct perf_entry *e;
	struct perf_run *run;

	if (o->given) {
		let_go(o, o->given);
		o->given = NULL;
	}
	if (!o->draining)
		return NULL;
	run = o->nheap ? &o->run[o->heap[0]] : NULL;
	if (!run || (!o->all && o->entry[run->at].time > o->bound)) {
		keep_rest(o);
		return NULL;
	}
	e = &o->entry[run->at++];
	o->given = e->held;
	if (run->at == run->end)
		o->heap[0] = o->heap[--o->nheap];
	if (o->nheap)
		sift(o, 0);
	return e;
}

void perf_order_free(struct perf_order *o)
{
	if (o->given)
		let_go(o, o->given);
	for (size_t i = 0; i < o->nruns; i++) {
		for (size_t k = o->run[i].at; k < o->run[i].end; k++)
			let_go(o, o->entry[k].held);
	}
	free(o->entry);
	free(o->run);
	free(o->heap);
	free(o->block);
	free(o->spare);
	*o = (struct perf_order){ 0 };
}
