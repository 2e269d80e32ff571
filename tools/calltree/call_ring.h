/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The events of one thread on their way to log-gen. The thread writes, one other reads: neither
 * waits. What finds no room is dropped whole and counted, and how many they were stands where they
 * are missing.
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
#define RING_LOST    EVENTS /* in place of an event: how many stand in place of the method */

struct call_ring {
	/* The thread's: */
	atomic_uint_least64_t head; /* words it has written */
	uint64_t seen;              /* how far the reader was, when it last looked */
	uint64_t lost_here;         /* dropped since the last event that found room */
	atomic_uint_least64_t lost; /* in all */
	uint64_t value[RING_METRICS], cost[RING_METRICS]; /* of the event that is being written */
	uint32_t metrics, words;
	atomic_bool ended;
	_Alignas(64) atomic_uint_least64_t tail; /* the reader's: words it has taken */
	uint64_t *word;
	size_t size;
	const char *named; /* the name that was told */
	uint32_t place;    /* of the thread; 0: not told yet */
	bool emptied;
};

/* NULL: no memory. It is never given back: the thread may be writing. */
struct call_ring *call_ring_new(uint32_t metrics);
/* Whoever reads has read all, and the thread has ended: its memory goes. */
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
