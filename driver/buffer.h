/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's ring of segments. Writers are nested on their own CPU only (task with preemption off,
 * interrupt, NMI); they reserve by cmpxchg on the growing head and the outermost one publishes.
 * A writer never blocks, allocates or locks.
 */
#ifndef PITRACE_BUFFER_H
#define PITRACE_BUFFER_H

#include <linux/types.h>
#include <asm/local.h>
#include "pitrace.h"

struct ring {
	local_t head;			/* reserved up to here */
	local_t nest;			/* writers at work */
	u64 last;			/* stamp of the newest record; its high half is in force */
	void *data;
	unsigned long size;
	unsigned long segment;		/* bytes, a power of two */
	u64 tail;			/* consumed up to here; only grows */
	u64 published;
	struct pitrace_cpu *page;	/* of this CPU, seen by user space */
	u32 clock;			/* enum pitrace_clock */
	u32 session;
	u32 cpu;
	u16 kind;			/* enum pitrace_ring_kind */
	bool lost_news;			/* some lost[] differs from announced[] */
	local_t lost[PITRACE_LOST_KINDS];
	u64 announced[PITRACE_LOST_KINDS];
	void *owner;
	/* From any context: a record found no room; a segment was closed. */
	void (*full)(struct ring *r);
	void (*crossed)(struct ring *r);
};

/* Forget everything: positions, losses. Nobody writes or reads. */
void ring_reset(struct ring *r);

/*
 * Room for a record of `size` data bytes (rounded up to 4), its header already written. NULL: no
 * room, counted as lost of kind `lost`; then don't commit. On this CPU, preemption off.
 */
void *ring_reserve(struct ring *r, u16 major, u32 minor, u32 size, enum pitrace_lost lost);
void ring_commit(struct ring *r);
/* Count a loss that is not a record without room (overruns); a LOST record will tell. */
void ring_lose(struct ring *r, enum pitrace_lost kind, u32 count);
/* Tell now what was lost, where no record may come that would: as ring_close. */
void ring_announce(struct ring *r);
/* Tell losses, close the open segment. On the ring's own CPU with interrupts off, or for a CPU that
 * is off. */
void ring_close(struct ring *r);
/* May be called anywhere. Clamped to whole, published segments. */
void ring_consume(struct ring *r, u64 position);
/* Is there a whole segment to read? Is it more than half full? */
bool ring_readable(const struct ring *r);
bool ring_half_full(const struct ring *r);

#endif
