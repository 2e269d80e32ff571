/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples with a deferred user stack, which the kernel walks when the thread returns to user mode.
 * Such a sample ends with a cookie and waits for the record with that cookie, which has the stack
 * of all samples that wait for it. If another stack of the thread comes first, or the thread exits,
 * the sample stays without a user stack. As in perf, samples are returned when their stack arrives,
 * with their own time; memory is that of the waiting samples, up to a limit.
 */
#include "input/perf/perf_deferred.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "input/perf/perf_bytes.h"
#include "base/keys.h"

#define WAITING_MOST (32ull << 20) /* bytes */

struct waiting {
	struct waiting *next;          /* of its thread */
	struct waiting *older, *newer; /* of all threads */
	uint32_t thread;
	struct perf_waiting sample;
	uint8_t record[];
};

struct deferred_thread {
	uint32_t tid;
	struct waiting *first, *last;
};

struct perf_deferred {
	struct deferred_thread *thread;
	uint32_t nthreads, room;
	struct keys by_tid;
	struct waiting *oldest, *newest;
	uint64_t bytes, alone;
	perf_waited ready;
	uint8_t *chain; /* of both parts */
};

static uint32_t find_thread(const struct perf_deferred *d, uint32_t tid)
{
	return keys_find(&d->by_tid, hash_mix(tid, 0), d->thread, e, e->tid == tid);
}

static uint32_t get_thread(struct perf_deferred *d, uint32_t tid)
{
	uint32_t i = find_thread(d, tid);

	if (i != NO_KEY)
		return i;
	if (keys_next(&d->by_tid, hash_mix(tid, 0), d->thread, d->nthreads, d->room))
		return NO_KEY;
	d->thread[d->nthreads] = (struct deferred_thread){ .tid = tid };
	return d->nthreads++;
}

static uint64_t bytes_of_waiting(const struct waiting *w)
{
	return sizeof(*w) + w->sample.size;
}

/* Removes the thread's first waiting sample; the caller frees it. */
static struct waiting *take_first(struct perf_deferred *d, uint32_t thread)
{
	struct deferred_thread *t = &d->thread[thread];
	struct waiting *w = t->first;

	if (!w)
		return NULL;
	t->first = w->next;
	if (!t->first)
		t->last = NULL;
	*(w->older ? &w->older->newer : &d->oldest) = w->newer;
	*(w->newer ? &w->newer->older : &d->newest) = w->older;
	d->bytes -= bytes_of_waiting(w);
	return w;
}

/* ---- joining the parts ----------------------------------------------------------------------- */

static uint64_t context_word(const struct perf *p)
{
	uint64_t word = PERF_CONTEXT_USER;

	return p->swap ? __builtin_bswap64(word) : word;
}

/* Words are in the file's byte order. */
static void join(const struct perf *p, uint8_t *room, struct perf_item *sample,
		 const struct perf_item *stack)
{
	uint64_t n = sample->nchain, word = context_word(p);

	if (n)
		memcpy(room, sample->chain, n * sizeof(uint64_t));
	if (stack->nchain && perf_word(stack, stack->chain, 0) < PERF_CONTEXT_MAX)
		memcpy(room + n++ * sizeof(uint64_t), &word, sizeof(word));
	if (stack->nchain)
		memcpy(room + n * sizeof(uint64_t), stack->chain, stack->nchain * sizeof(uint64_t));
	sample->chain = room;
	sample->nchain = n + stack->nchain;
}

/* stack: NULL if the sample gets none. */
static int release(struct perf *p, struct waiting *w, const struct perf_item *stack)
{
	struct perf_deferred *d = p->deferred;
	const char *why;
	struct perf_item item;
	int rc = perf_decode(&p->attr[w->sample.attr].shape, w->record, w->sample.size, &item,
			     &why);

	if (!rc && stack && stack->cookie == item.cookie)
		join(p, d->chain, &item, stack);
	else
		d->alone++;
	/* The sample has been decoded before. */
	rc = rc ? 0 : d->ready(p, &w->sample, &item);
	free(w);
	return rc;
}

static int release_all(struct perf *p, uint32_t tid, const struct perf_item *stack)
{
	struct perf_deferred *d = p->deferred;
	uint32_t thread = d ? find_thread(d, tid) : NO_KEY;
	struct waiting *w;
	int rc = 0;

	while (thread != NO_KEY && !rc && (w = take_first(d, thread)))
		rc = release(p, w, stack);
	return rc;
}

int perf_deferred_stack(struct perf *p, const struct perf_item *stack)
{
	return release_all(p, stack->tid, stack);
}

int perf_deferred_thread_ends(struct perf *p, uint32_t tid)
{
	return release_all(p, tid, NULL);
}

int perf_deferred_end(struct perf *p)
{
	struct perf_deferred *d = p->deferred;
	int rc = 0;

	while (d && !rc && d->oldest)
		rc = release(p, take_first(d, d->oldest->thread), NULL);
	return rc;
}

/* ---- waiting --------------------------------------------------------------------------------- */

int perf_deferred_wait(struct perf *p, const struct perf_item *item, const struct perf_entry *e,
		       uint64_t time, perf_waited ready)
{
	struct perf_deferred *d = p->deferred;
	const struct perf_held *h = e->held;
	struct waiting *w;
	uint32_t thread;
	int rc = 0;

	if (!d) {
		d = p->deferred = calloc(1, sizeof(*d));
		if (!d)
			return -ENOMEM;
		d->chain = malloc(2 * PERF_RECORD_MAX);
		d->ready = ready;
	}
	thread = get_thread(d, item->tid);
	w = malloc(sizeof(*w) + h->size);
	if (thread == NO_KEY || !w || !d->chain) {
		free(w);
		return -ENOMEM;
	}
	*w = (struct waiting){
		.older = d->newest,
		.thread = thread,
		.sample = { .time = time, .offset = h->offset, .attr = h->attr, .size = h->size },
	};
	memcpy(w->record, h->record, h->size);
	*(d->newest ? &d->newest->newer : &d->oldest) = w;
	d->newest = w;
	*(d->thread[thread].last ? &d->thread[thread].last->next : &d->thread[thread].first) = w;
	d->thread[thread].last = w;
	d->bytes += bytes_of_waiting(w);
	if (d->bytes <= WAITING_MOST)
		return 0;
	perf_fault_in(p, h->file, h->offset,
		      "more samples wait for their user stacks than 32 MB "
		      "hold: the first of them are returned without");
	while (!rc && d->bytes > WAITING_MOST / 2)
		rc = release(p, take_first(d, d->oldest->thread), NULL);
	return rc;
}

uint64_t perf_deferred_alone(const struct perf *p)
{
	return p->deferred ? p->deferred->alone : 0;
}

void perf_deferred_free(struct perf *p)
{
	struct perf_deferred *d = p->deferred;
	struct waiting *w;

	if (!d)
		return;
	while ((w = d->oldest)) {
		d->oldest = w->newer;
		free(w);
	}
	keys_free(&d->by_tid);
	free(d->thread);
	free(d->chain);
	free(d);
	p->deferred = NULL;
}
