/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One CPU's ring of segments. Writers are nested on their own CPU only (task with preemption off,
 * interrupt, NMI); they reserve by cmpxchg on the growing head and the outermost one publishes.
 * A writer never blocks, allocates or locks. What nearly every record needs is inline here; what
 * is rare (a new segment, a new high half, losses to tell) is in buffer.c.
 *
 * A ring that wraps has no consumer: what limits its writers is only that those nested in one
 * another must not overwrite what the outermost has not published yet.
 */
#ifndef PITRACE_BUFFER_H
#define PITRACE_BUFFER_H

#include <linux/types.h>
#include <asm/local.h>
#include "clock.h"
#include "pitrace.h"

struct ring {
	local_t nest;			/* writers at work, perhaps + RING_CLOSED */
	local_t head;			/* reserved up to here */
	u64 last;			/* stamp of the newest record; its high half is in force */
	unsigned long limit;		/* records up to here need nothing but their own bytes: the
					   open segment's end, or 0 when there are losses to tell */
	void *data;
	unsigned long mask;		/* size - 1 */
	__u64 *published;		/* head, as user space sees it */
	u32 clock;			/* enum pitrace_clock */
	bool lost_news;			/* some lost[] differs from announced[] */
	u16 kind;			/* enum pitrace_ring_kind */

	bool starved;			/* full, and the owner knows */
	bool wrap;			/* the oldest segments are overwritten; tail follows */
	unsigned long size;		/* bytes, powers of two */
	unsigned long segment;
	u64 tail;			/* consumed up to here; only grows */
	unsigned long told;		/* the consumer knows of segments closed up to here */
	struct pitrace_cpu *page;	/* of this CPU, seen by user space */
	u32 session;
	u32 cpu;
	u32 lost_uid;			/* whose BUDGET losses are not yet announced */
	local_t lost[PITRACE_LOST_KINDS];
	u64 announced[PITRACE_LOST_KINDS];
	void *owner;
	/* From any context: a record found no room, the first one since there was some; a segment
	 * was closed. */
	void (*full)(struct ring *r);
	void (*crossed)(struct ring *r);
};

#define RING_CLOSED	0x10000		/* a segment may have been closed; nobody was told yet */

/* Forget everything: positions, losses. Nobody writes or reads. */
void ring_reset(struct ring *r);

void *ring_reserve_slow(struct ring *r, u16 major, u32 minor, u32 bytes, enum pitrace_lost lost);
void ring_commit_slow(struct ring *r);
void ring_publish(struct ring *r);

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
 * Room for a record of `size` data bytes (rounded up to 4), its header already written. NULL: no
 * room, counted as lost of kind `lost`; then don't commit. On this CPU, preemption off.
 *
 * A whole segment has room when its first byte has: consumed positions are segments' ends. So one
 * comparison with the limit answers for the segment, the room and the losses.
 */
static __always_inline void *ring_reserve(struct ring *r, u16 major, u32 minor, u32 size,
					  enum pitrace_lost lost)
{
	u32 bytes = sizeof(struct pitrace_rec) + ALIGN(size, 4);
	long old, new;
	u64 stamp, last;
	void *p;

	local_inc(&r->nest);
	old = local_read(&r->head);
	last = READ_ONCE(r->last);
	/* Read after the head: a nested writer's later stamp must not precede ours. */
	stamp = clock_stamp(r->clock);
	new = old + bytes;
	/* Same high half as the last stamp, and not before it? */
	p = ring_at(r, old);
	if (unlikely(new > r->limit || stamp - last > (u32)~last ||
		     !local_try_cmpxchg(&r->head, &old, new)))
		return ring_reserve_slow(r, major, minor, bytes, lost);
	r->last = stamp;
	return ring_put_header(p, major, minor, bytes, PITRACE_TYPE_STRUCT, stamp);
}

/* Only the outermost writer publishes: all nested in it have finished by then. */
static __always_inline void ring_commit(struct ring *r)
{
	unsigned long head;

	barrier();
	if (unlikely(local_read(&r->nest) != 1)) {
		ring_commit_slow(r);
		return;
	}
	head = local_read(&r->head);
	/* (A) records before head */
	smp_store_release(r->published, head);
	local_set(&r->nest, 0);
	barrier();
	/* One that came in between published nothing if it saw us; look again. */
	if (unlikely(head != local_read(&r->head)))
		ring_publish(r);
}

/* Count a loss that is not a record without room (overruns); a LOST record will tell. */
void ring_lose(struct ring *r, enum pitrace_lost kind, u32 count);
/* Count one of PITRACE_LOST_BUDGET to this user. Task context. */
void ring_lose_of(struct ring *r, u32 uid);
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
