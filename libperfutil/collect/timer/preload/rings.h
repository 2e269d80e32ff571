/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings: files in the collector's folder, a thread's timer, the process's events. */
#ifndef PITRACE_TIMER_RINGS_H
#define PITRACE_TIMER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collect/timer/preload/timer_control.h"

/* Of a thread whose samples the kernel's tick need not take (fine.c). */
struct fine {
	uint64_t first;			/* CPU time at which the first interval is over */
	uint64_t booked;		/* intervals */
	uint64_t at;			/* CPU time of the next sample, while armed */
	uint64_t random;
	long slept;			/* how often, at the last signal */
	uint32_t calm;			/* ticks since it slept, up to CALM */
	uint32_t resting;		/* atomic: in a call that may wait */
	int timer;			/* the kernel's id */
	bool has_timer, armed, never;
};

/* A ring and the thread that it belongs to. */
struct ring {
	struct timer_file *file;	/* mapped; NULL: there is none of this number */
	uint32_t taken;			/* atomic: it belongs to a thread */
	uint32_t active;		/* the thread has its timer */
	uint32_t tid;
	int timer;			/* the kernel's id */
	uintptr_t stack_low, stack_top;	/* of the thread; 0: not known */
	struct fine fine;
};

extern struct ring timer_rings[];
extern uint32_t timer_ring_count;	/* atomic: rings that have files, from 0 */

/* Is this still the process that has these rings, and may it change anything about them? Not after
 * a fork that passed our handler by. */
bool timer_active(void);

/* Begin the rings of this process: `kind` is TIMER_START or _FORKED. Then, once its mappings are
 * told, the first ring's timer, for the calling thread. */
bool rings_begin(enum timer_kind kind);
void rings_begin_first(enum timer_kind kind);
/* Has the process had more than one thread? */
bool rings_shared(void);
/* Forget the rings of the process that we were forked from, by the thread that had `own`. */
void rings_forget(const struct ring *own);
/* A ring for the calling thread, and its timer; NULL (counted) if there is none to be had. */
struct ring *rings_take(void);
/* The calling thread ends, or its sampling does. */
void rings_release(struct ring *r);
/* An event of the process; the caller holds the events' lock. False: counted as lost. */
bool rings_event(enum timer_kind kind, const void *data, size_t bytes);
/* Signals are blocked while it is held: a handler that leaps out would keep it for ever. */
void rings_lock(uint64_t *signals);
void rings_unlock(uint64_t signals);

/*
 * Room for a record of at most `bytes` with its header, in a ring of this size at data; NULL (and
 * counted) when the collector is behind. Then the record is finished with its true length.
 */
static inline struct timer_record *ring_room(struct timer_ring *ring, uint8_t *data, uint32_t size,
					     uint32_t bytes)
{
	uint64_t head = ring->head, tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE); /* (U) */
	uint32_t at = (uint32_t)(head & (size - 1)), pad = size - at;
	struct timer_record *r;

	bytes = (bytes + 7) & ~7u;
	if (pad >= bytes)
		pad = 0;
	if (head + pad + bytes - tail > size) {
		ring->lost++;
		return NULL;
	}
	if (pad) {
		r = (struct timer_record *)(data + at);
		r->length = 0;
		r->kind = TIMER_PAD;
		at = 0;
		__atomic_store_n(&ring->head, head + pad, __ATOMIC_RELEASE);
	}
	return (struct timer_record *)(data + at);
}

static inline void ring_done(struct timer_ring *ring, struct timer_record *r, uint32_t bytes)
{
	r->length = (uint16_t)((bytes + 7) & ~7u);
	/* (T) */
	__atomic_store_n(&ring->head, ring->head + r->length, __ATOMIC_RELEASE);
}

#endif
