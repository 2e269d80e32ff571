/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Passes one thread's events to log-gen. The thread writes, one other thread reads; neither waits.
 * An event that does not fit is dropped as a whole and counted; the number of dropped events is
 * recorded in their place.
 */
#ifndef CALL_RING_H
#define CALL_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "sequence.h"

#define RING_METRICS 8
#define RING_WORDS   (1u << 19)
#define RING_EVENT   0xff /* bits of an event's first word; the type and the method above */
#define RING_TYPE    8
#define RING_METHOD  16
#define RING_LOST    EVENTS /* instead of an event; the method field is the number of lost events */

struct call_ring {
	/* Written by the thread: */
	atomic_uint_least64_t head; /* words written */
	uint64_t seen;              /* the tail when it was last read */
	uint64_t lost_here;         /* dropped since the last event that fit */
	atomic_uint_least64_t lost; /* total */
	uint64_t value[RING_METRICS], cost[RING_METRICS]; /* of the event that is being written */
	uint32_t metrics, words;
	atomic_bool ended;
	_Alignas(64) atomic_uint_least64_t tail; /* written by the reader: words read */
	uint64_t *word;
	size_t size;
	char *named;    /* the name that was last written; the reader owns it */
	uint32_t place; /* number of the thread; 0: not written yet */
	bool emptied;
};

/* Returns NULL if there is no memory. A ring is never freed: the thread may still write to it. */
struct call_ring *call_ring_new(uint32_t metrics);
/* Releases the pages after the thread has ended and the reader has read all events. */
void call_ring_empty(struct call_ring *r);

static inline uint64_t *ring_at(const struct call_ring *r, uint64_t at)
{
	return &r->word[at & (r->words - 1)];
}

static inline void call_ring_put(struct call_ring *r, enum call_event event, uint32_t method,
				 uint32_t type)
{
	uint64_t head = atomic_load_explicit(&r->head, memory_order_relaxed);
	uint64_t need = 2 + 2ull * r->metrics;

	if (__builtin_expect(r->words - (head - r->seen) < need, 0)) {
		r->seen = atomic_load_explicit(&r->tail, memory_order_acquire);
		if (r->words - (head - r->seen) < need) {
			r->lost_here++;
			atomic_store_explicit(&r->lost, r->lost + 1, memory_order_relaxed);
			return;
		}
	}
	if (__builtin_expect(r->lost_here != 0, 0)) {
		*ring_at(r, head++) = r->lost_here << RING_METHOD | RING_LOST;
		r->lost_here = 0;
	}
	*ring_at(r, head++) = (uint64_t)method << RING_METHOD | type << RING_TYPE | event;
	for (uint32_t i = 0; i < r->metrics; i++) {
		*ring_at(r, head++) = r->value[i];
		*ring_at(r, head++) = r->cost[i];
	}
	atomic_store_explicit(&r->head, head, memory_order_release);
}

#endif
