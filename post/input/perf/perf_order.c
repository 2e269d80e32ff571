/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorts records by time. A file has the contents of the rings one after the other, so the input
 * consists of runs of increasing time. After perf has read all rings once it writes FINISHED_ROUND:
 * records before the last round are older than all later ones. Up to there the runs are merged;
 * memory is that of one or two rounds. Without rounds this would be the whole file: beyond
 * PERF_ORDER_HELD, sorted runs are written to unnamed files (spilled), and PERF_FAN such runs are
 * merged into one. Memory is then PERF_ORDER_HELD, plus 128 KB for each spilled run: 15 for each
 * factor of sixteen in size.
 */
#include "input/perf/perf_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define AWAY_ROOM (2u * PERF_RECORD_MAX)

#define BLOCK PERF_BLOCK /* size and alignment of the blocks that hold records */

struct perf_block {
	uint32_t live, used;     /* number of its records; bytes */
	struct perf_block *next; /* in the list of spare blocks */
};

static struct perf_block *block_of(struct perf_held *h)
{
	return (struct perf_block *)((uintptr_t)h & ~(uintptr_t)(BLOCK - 1));
}

static void release(struct perf_order *o, struct perf_held *h)
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

/* ---- merging --------------------------------------------------------------------------------- */

/* In a file a record is preceded by its time. */
static size_t held_bytes(const struct perf_held *h)
{
	return (sizeof(*h) + h->size + 7) & ~(size_t)7;
}

/* Reads more of the run into the buffer, at least one record. */
static int parked_fill(const struct spill *file, struct perf_parked *a)
{
	size_t n;
	int rc;

	if (!a->buffer) {
		a->buffer = malloc(AWAY_ROOM);
		if (!a->buffer)
			return -ENOMEM;
	}
	memmove(a->buffer, a->buffer + a->used, a->have - a->used);
	a->have -= a->used;
	a->used = 0;
	n = AWAY_ROOM - a->have;
	if (n > a->end - a->at)
		n = (size_t)(a->end - a->at);
	rc = spill_read(file, a->at, a->buffer + a->have, n);
	a->have += n;
	a->at += n;
	return rc;
}

/* Advances to the next entry of a run. */
static int parked_next(const struct spill *file, struct perf_parked *a)
{
	const size_t most = sizeof(uint64_t) + sizeof(struct perf_held) + PERF_RECORD_MAX;
	int rc;

	a->entry.held = NULL;
	if (a->have - a->used < most && a->at < a->end) {
		rc = parked_fill(file, a);
		if (rc)
			return rc;
	}
	if (a->used == a->have) {
		free(a->buffer);
		a->buffer = NULL;
		return 0;
	}
	memcpy(&a->entry.time, a->buffer + a->used, sizeof(a->entry.time));
	a->entry.held = (struct perf_held *)(a->buffer + a->used + sizeof(a->entry.time));
	a->used += sizeof(a->entry.time) + held_bytes(a->entry.held);
	return 0;
}

static const struct perf_entry *first_of(const struct perf_order *o, uint32_t run)
{
	return run < o->nparked ? &o->parked[run].run->entry :
				  &o->entry[o->run[run - o->nparked].at];
}

/* Records of equal time keep the order of reading. */
static bool before(const struct perf_order *o, uint32_t a, uint32_t b)
{
	uint64_t x = first_of(o, a)->time, y = first_of(o, b)->time;

	return x != y ? x < y : a < b;
}

static void sift(struct perf_order *o, size_t i)
{
	uint32_t top = o->heap[i];

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

/* Makes a heap of the spilled runs that were added and of `runs` runs in memory. */
static int heap_make(struct perf_order *o, size_t runs)
{
	if (array_room(o->heap, o->room_heap, o->nparked + runs))
		return -ENOMEM;
	o->nheap = o->nparked + runs;
	for (size_t i = 0; i < o->nheap; i++)
		o->heap[i] = (uint32_t)i;
	for (size_t i = o->nheap / 2; i-- > 0;)
		sift(o, i);
	return 0;
}

/* Adds the runs of a level that have not ended. */
static int heap_level(struct perf_order *o, struct perf_level *l)
{
	for (unsigned int i = 0; i < l->runs; i++) {
		struct perf_parked *a = &l->run[i];
		int rc = 0;

		if (!a->entry.held && a->at < a->end)
			rc = parked_next(&l->file, a);
		if (!rc && a->entry.held && array_next(o->parked, o->nparked, o->room_parked))
			rc = -ENOMEM;
		if (rc)
			return rc;
		if (a->entry.held)
			o->parked[o->nparked++] = (struct perf_source){ &l->file, a };
	}
	return 0;
}

/* Removes the first entry of the heap. */
static int heap_advance(struct perf_order *o)
{
	uint32_t i = o->heap[0];
	bool ended;
	int rc = 0;

	if (i < o->nparked) {
		rc = parked_next(o->parked[i].file, o->parked[i].run);
		ended = !o->parked[i].run->entry.held;
	} else {
		struct perf_run *run = &o->run[i - o->nparked];

		release(o, o->entry[run->at++].held);
		ended = run->at == run->end;
	}
	if (rc)
		return rc;
	if (ended)
		o->heap[0] = o->heap[--o->nheap];
	if (o->nheap)
		sift(o, 0);
	return 0;
}

/* ---- spilled runs ---------------------------------------------------------------------------- */

/* Writes the contents of the heap as a run of a level. */
static int write_run(struct perf_order *o, struct perf_level *l)
{
	struct perf_parked *to = &l->run[l->runs];
	int rc = 0;

	*to = (struct perf_parked){ .at = l->file.size };
	while (!rc && o->nheap) {
		const struct perf_entry *e = first_of(o, o->heap[0]);

		rc = spill_add(&l->file, &e->time, sizeof(e->time));
		if (!rc)
			rc = spill_add(&l->file, e->held, held_bytes(e->held));
		if (!rc)
			rc = heap_advance(o);
	}
	to->end = l->file.size;
	l->runs++;
	return rc;
}

static void empty_level(struct perf_level *l)
{
	for (unsigned int i = 0; i < l->runs; i++)
		free(l->run[i].buffer);
	spill_free(&l->file);
	l->runs = 0;
}

/* Makes room for a run at that level: merges its runs into one of the next level. */
static int room_at(struct perf_order *o, unsigned int level)
{
	struct perf_level *l = &o->level[level];
	int rc;

	if (level >= o->levels)
		o->levels = level + 1;
	if (l->runs < PERF_FAN)
		return 0;
	rc = level + 1 < PERF_LEVELS ? room_at(o, level + 1) : -EFBIG;
	o->nparked = 0;
	if (!rc)
		rc = heap_level(o, l);
	if (!rc)
		rc = heap_make(o, 0);
	if (!rc)
		rc = write_run(o, l + 1);
	if (!rc)
		empty_level(l);
	return rc;
}

static int park(struct perf_order *o)
{
	int rc;

	if (!o->level)
		o->level = calloc(PERF_LEVELS, sizeof(*o->level));
	rc = o->level ? room_at(o, 0) : -ENOMEM;
	o->nparked = 0;
	if (!rc)
		rc = heap_make(o, o->nruns);
	if (!rc)
		rc = write_run(o, &o->level[0]);
	if (!rc)
		o->n = o->nruns = 0;
	return rc;
}

static void free_parked(struct perf_order *o)
{
	for (unsigned int i = 0; i < o->levels; i++)
		empty_level(&o->level[i]);
	free(o->level);
	o->level = NULL;
	o->levels = 0;
}

/* ---- interface ------------------------------------------------------------------------------- */

static uint64_t in_memory(const struct perf_order *o)
{
	return o->blocks * PERF_BLOCK + o->n * sizeof(*o->entry) +
	       o->nruns * (sizeof(*o->run) + sizeof(*o->heap));
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
	return in_memory(o) > (o->most ? o->most : PERF_ORDER_HELD) ? park(o) : 0;
}

int perf_order_round(struct perf_order *o, bool end)
{
	int rc = 0;

	o->nparked = 0;
	for (unsigned int i = o->levels; i-- > 0 && !rc;)
		rc = heap_level(o, &o->level[i]);
	if (!rc)
		rc = heap_make(o, o->nruns);
	o->draining = !rc;
	o->all = end;
	return rc;
}

/* Moves the rest of the runs to the front. */
static void keep_rest(struct perf_order *o)
{
	size_t i, n = 0, runs = 0;
	bool parked = false;

	for (i = 0; i < o->nruns; i++) {
		struct perf_run r = o->run[i];

		if (r.at == r.end)
			continue;
		memmove(o->entry + n, o->entry + r.at, (r.end - r.at) * sizeof(*o->entry));
		o->run[runs++] = (struct perf_run){ n, n + (r.end - r.at) };
		n += r.end - r.at;
	}
	for (i = 0; i < o->nparked; i++)
		parked |= o->parked[i].run->entry.held != NULL;
	if (!parked)
		free_parked(o);
	o->nparked = 0;
	o->n = n;
	o->nruns = runs;
	o->draining = false;
	o->bound = o->greatest;
}

int perf_order_next(struct perf_order *o, const struct perf_entry **entry)
{
	int rc = o->given ? heap_advance(o) : 0;

	*entry = NULL;
	o->given = false;
	if (rc || !o->draining)
		return rc;
	if (o->nheap)
		*entry = first_of(o, o->heap[0]);
	o->given = *entry && (o->all || (*entry)->time <= o->bound);
	if (o->given)
		return 1;
	*entry = NULL;
	keep_rest(o);
	return 0;
}

void perf_order_free(struct perf_order *o)
{
	for (size_t i = 0; i < o->nruns; i++) {
		for (size_t k = o->run[i].at; k < o->run[i].end; k++)
			release(o, o->entry[k].held);
	}
	free_parked(o);
	free(o->parked);
	free(o->entry);
	free(o->run);
	free(o->heap);
	free(o->block);
	free(o->spare);
	*o = (struct perf_order){ 0 };
}
