/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's ring of segments. Writers are nested on their own CPU only (task with preemption off,
 * interrupt, NMI); they reserve by cmpxchg on the growing head and the outermost one publishes.
 * A writer never blocks, allocates or locks. The path of nearly every record is inline here; what
 * is rare (a new segment, a new high half, losses to announce) is in ring.c.
 *
 * A ring that wraps has no consumer. Its writers have one limit: nested ones must not overwrite
 * what the outermost one has not published yet.
 */
#ifndef PITRACE_RING_H
#define PITRACE_RING_H

#include <linux/types.h>
#include <asm/local.h>
#include "ring/clock.h"
#include "pitrace.h"

struct ring {
	local_t nest;          /* active writers, optionally + RING_CLOSED */
	local_t head;          /* reserved up to here */
	u64 last;              /* stamp of the newest record */
	u32 high;              /* its high half */
	u32 clock;             /* enum pitrace_clock */
	unsigned long limit;   /* records up to here need no other check: the open segment's end,
					   or 0 when losses must be announced; always 0 where the
					   clock is not the TSC: then */
	unsigned long clocked; /* ... this field is used */
	void *data;
	unsigned long mask; /* size - 1 */
	bool lost_news;     /* some lost[] differs from announced[] */
	u16 kind;           /* enum pitrace_ring_kind */

	__u64 *published;   /* head, as user space sees it */
	bool starved;       /* full, and the owner has been notified */
	bool wrap;          /* the oldest segments are overwritten; tail follows */
	unsigned long size; /* bytes, powers of two */
	unsigned long segment;
	u64 tail;                 /* consumed up to here; only grows */
	unsigned long notified;   /* the consumer knows of segments closed up to here */
	struct pitrace_cpu *page; /* of this CPU, mapped to user space */
	u32 session;
	u32 cpu;
	u32 lost_uid; /* user with BUDGET losses not yet announced */
	local_t lost[PITRACE_LOST_KINDS];
	u64 announced[PITRACE_LOST_KINDS];
	void *owner;
	/* From any context: full: a record found no room, the first since the ring had some;
	 * crossed: a segment was closed. */
	void (*full)(struct ring *r);
	void (*crossed)(struct ring *r);
};

#define RING_CLOSED 0x10000 /* a segment was closed, the consumer not yet notified */

/* Resets positions and losses. No writer or reader may be active. */
void ring_reset(struct ring *r);

void *ring_reserve_slow(struct ring *r, u16 major, u32 minor, u32 bytes, enum pitrace_lost lost);
void ring_commit_slow(struct ring *r);

static __always_inline void *ring_at(const struct ring *r, unsigned long position)
{
	return r->data + (position & r->mask);
}

static __always_inline void *ring_put_header(void *p, u16 major, u32 minor, u32 bytes, u16 type,
					     u64 stamp)
{
	struct pitrace_rec *rec = p;

	rec->type_len = bytes | type;
	rec->major = major;
	rec->minor = minor;
	rec->stamp = (u32)stamp;
	return rec + 1;
}

/*
 * Reserves a record of `size` data bytes (rounded up to 4) and writes its header. NULL: no room,
 * counted as lost of kind `lost`; then don't commit. On this CPU, preemption off.
 *
 * A whole segment has room when its first byte has: consumed positions are segments' ends. One
 * comparison with the limit answers for the segment, the room, the losses and the clock.
 */
static __always_inline void *ring_reserve(struct ring *r, u16 major, u32 minor, u32 size,
					  enum pitrace_lost lost)
{
	u32 bytes = sizeof(struct pitrace_rec) + ALIGN(size, 4);
	long old, new;
	u64 stamp;
	void *p;

	local_inc(&r->nest);
	old = local_read(&r->head);
	new = old + bytes;
	if (unlikely(new > r->limit))
		return ring_reserve_slow(r, major, minor, bytes, lost);
	/* Read after the head: a nested writer's later stamp must not precede ours. */
	stamp = arch_cycles();
	if (unlikely((u32)(stamp >> 32) != r->high || (u32)stamp < (u32)r->last ||
		     !local_try_cmpxchg(&r->head, &old, new)))
		return ring_reserve_slow(r, major, minor, bytes, lost);
	r->last = stamp;
	p = ring_put_header(ring_at(r, old), major, minor, bytes, PITRACE_TYPE_STRUCT, stamp);
	/* Lets the compiler drop the callers' checks for NULL here. */
	if (!p)
		__builtin_unreachable();
	return p;
}

/* Only the outermost writer publishes, after all writers nested in it; and only if a segment was
 * closed, since readers never read open ones. */
static __always_inline void ring_commit(struct ring *r)
{
	barrier();
	if (unlikely(!local_dec_and_test(&r->nest)))
		ring_commit_slow(r);
}

/* Counts a loss other than a record without room (overruns); a LOST record will announce it. */
void ring_lose(struct ring *r, enum pitrace_lost kind, u32 count);
/* Counts one PITRACE_LOST_BUDGET for this user. Task context. */
void ring_lose_of(struct ring *r, u32 uid);
/* Writes LOST records now, in case no other record follows: same conditions as ring_close. */
void ring_announce(struct ring *r);
/* Writes LOST records and closes the open segment. On the ring's own CPU with interrupts off, or
 * for a CPU that is offline. */
void ring_close(struct ring *r);
/* May be called anywhere. The position is clamped to whole, published segments. */
void ring_consume(struct ring *r, u64 position);
/* Is there a complete segment to read? */
bool ring_readable(const struct ring *r);

static __always_inline bool ring_half_full(const struct ring *r)
{
	return (u64)local_read(&r->head) - READ_ONCE(r->tail) > r->size / 2;
}

#endif
