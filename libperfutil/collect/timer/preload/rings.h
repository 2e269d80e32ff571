/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings: files in the collector's folder, a thread's timer, the process's events. */
#ifndef PITRACE_TIMER_RINGS_H
#define PITRACE_TIMER_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "collect/timer/preload/timer_control.h"

/* State of a thread's second timer (fine.c). */
struct fine {
	uint64_t first;  /* CPU time at the end of the first interval */
	uint64_t booked; /* intervals counted */
	uint64_t at;     /* CPU time of the next sample, while armed */
	uint64_t random;
	long slept;       /* voluntary switches at the last signal */
	uint32_t calm;    /* ticks since it last slept, up to CALM */
	uint32_t resting; /* atomic: in a call that may block */
	int timer;        /* the kernel's id */
	bool has_timer, armed, never;
};

/* A ring and the thread that it belongs to. */
struct thread_ring {
	struct timer_file *file; /* mapped; NULL: no ring of this number */
	uint32_t taken;          /* atomic: in use by a thread */
	uint32_t active;         /* the thread's timer exists */
	uint32_t tid;
	int timer;                      /* the kernel's id */
	uintptr_t stack_low, stack_top; /* the thread's stack; 0: unknown */
	struct fine fine;
};

extern struct thread_ring timer_rings[];
extern uint32_t timer_ring_count; /* atomic: number of rings that have files */

/* Checks whether this is still the process that owns these rings, and may change them. False after
 * a fork that bypassed the interposed function. */
bool timer_active(void);

/* Starts the rings of this process: `kind` is TIMER_START or _FORKED. rings_begin_first, after its
 * mappings are reported, starts the first ring's timer, for the calling thread. */
bool rings_begin(enum timer_kind kind);
void rings_begin_first(enum timer_kind kind);
/* Checks whether the process ever had more than one thread. */
bool rings_shared(void);
/* Discards the rings inherited from the parent; `own` was the ring of the calling thread. */
void rings_forget(const struct thread_ring *own);
/* Takes a ring for the calling thread and starts its timer; NULL (counted) if none is free. */
struct thread_ring *rings_take(void);
/* Ends the calling thread's ring, at its exit or when its sampling ends. */
void rings_release(struct thread_ring *r);
/* Writes an event of the process; the caller holds the events' lock. False: counted as lost. */
bool rings_event(enum timer_kind kind, const void *data, size_t bytes);
/* The events' lock. Signals stay blocked while it is held: a handler that leaves by longjmp would
 * keep it forever. */
void rings_lock(uint64_t *signals);
void rings_unlock(uint64_t signals);

/*
 * Reserves a record of at most `bytes` including its header in a ring of this size at data; NULL
 * (counted) when the ring is full. ring_commit finishes it with its true length.
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
