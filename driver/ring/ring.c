// SPDX-License-Identifier: GPL-2.0
/* The rare cases of the ring: segments, high halves, losses; and its consumer. */
#include <linux/irqflags.h>
#include <linux/string.h>
#include "ring/ring.h"

#define HIGH_BYTES ((u32)sizeof(struct pitrace_rec))
#define LOST_BYTES ((u32)(sizeof(struct pitrace_rec) + sizeof(struct pitrace_lost_rec)))

void ring_reset(struct ring *r)
{
	int k;

	local_set(&r->head, 0);
	local_set(&r->nest, 0);
	r->last = r->tail = r->limit = r->clocked = r->notified = 0;
	r->high = 0;
	r->mask = r->size - 1;
	r->lost_news = r->starved = false;
	for (k = 0; k < PITRACE_LOST_KINDS; k++) {
		local_set(&r->lost[k], 0);
		r->announced[k] = 0;
	}
	r->published = &r->page->ring[r->kind].head;
	WRITE_ONCE(*r->published, 0);
	WRITE_ONCE(r->page->ring[r->kind].opened, 0);
}

static void count_lost(struct ring *r, enum pitrace_lost kind, u32 count)
{
	local_add(count, &r->lost[kind]);
	WRITE_ONCE(r->page->lost[kind], local_read(&r->lost[kind]));
	r->lost_news = true;
	r->limit = r->clocked = 0;
}

void ring_lose(struct ring *r, enum pitrace_lost kind, u32 count)
{
	count_lost(r, kind, count);
}

/* PAD up to the segment's end; the last 4 or 8 bytes have room for one or two words of it only. */
static void put_pad(void *p, unsigned long bytes, u64 stamp)
{
	struct pitrace_rec pad = {
		.type_len = min_t(u32, bytes, PITRACE_LEN_MASK) & PITRACE_LEN_MASK,
		.major = PITRACE_PAD,
		.stamp = (u32)stamp,
	};

	memcpy(p, &pad, min_t(unsigned long, bytes, sizeof(pad)));
}

static u64 records_lost(const struct ring *r)
{
	u64 sum = 0;
	int k;

	for (k = 0; k < PITRACE_LOST_KINDS; k++)
		if (k != PITRACE_LOST_OVERRUN && k != PITRACE_LOST_THROTTLED)
			sum += local_read(&r->lost[k]);
	return sum;
}

static void put_segment(struct ring *r, unsigned long position, u64 stamp)
{
	struct pitrace_segment *seg = ring_at(r, position);

	memset(seg, 0, sizeof(*seg));
	seg->magic = PITRACE_SEGMENT_MAGIC;
	seg->size = sizeof(*seg);
	seg->ring = r->kind;
	seg->session = r->session;
	seg->cpu = r->cpu;
	seg->sequence = position / r->segment;
	seg->stamp = stamp;
	seg->lost = records_lost(r);
}

/* Writes the LOST record of one kind with unannounced losses, if any. Returns the place of the next
 * record. */
static void *put_lost(struct ring *r, void *p, int kind, u64 stamp)
{
	struct pitrace_lost_rec lost = { .total = local_read(&r->lost[kind]) };
	int k;

	lost.count = lost.total - r->announced[kind];
	lost.uid = kind == PITRACE_LOST_BUDGET ? r->lost_uid : 0;
	r->announced[kind] = lost.total;
	p = ring_put_header(p, PITRACE_LOST, kind, LOST_BYTES, PITRACE_TYPE_STRUCT, stamp);
	memcpy(p, &lost, sizeof(lost));

	/* Cleared before the check: a nested loss after the check sets it again. */
	r->lost_news = false;
	barrier();
	for (k = 0; k < PITRACE_LOST_KINDS; k++)
		if (local_read(&r->lost[k]) != r->announced[k])
			r->lost_news = true;
	return p + sizeof(lost);
}

static int lost_kind(const struct ring *r)
{
	int k;

	for (k = 0; k < PITRACE_LOST_KINDS; k++)
		if (local_read(&r->lost[k]) != r->announced[k])
			return k;
	return -1;
}

/* A reader that copies segments out of a ring that wraps must see that one is being overwritten
 * before it is: also before a nested writer can find it open, so before the head moves. It only
 * grows. */
static void publish_opened(struct ring *r, u64 end)
{
	u64 *opened = &r->page->ring[r->kind].opened;
	u64 old = READ_ONCE(*opened);

	/* (D) opened before what is written; cmpxchg orders */
	while (old < end && !try_cmpxchg(opened, &old, end))
		;
}

/* The writer that commits last publishes. */
static void note_closed(struct ring *r)
{
	if (local_read(&r->nest) < RING_CLOSED)
		local_add(RING_CLOSED, &r->nest);
}

/* Records up to the end of the segment that holds `position` need no further check. */
static void set_limit(struct ring *r, unsigned long position)
{
	r->starved = false;
	*(r->clock == PITRACE_CLOCK_TSC ? &r->limit : &r->clocked) = ALIGN(position, r->segment);
	barrier();
	/* Keeps a loss that a nested writer counted before the store above. */
	if (r->lost_news)
		r->limit = r->clocked = 0;
}

static noinline void *reserve_slow(struct ring *r, u16 major, u32 minor, u32 bytes,
				   enum pitrace_lost lost)
{
	unsigned long old, new, offset, pad, tail;
	u64 stamp, last;
	bool open, high;
	int kind;
	void *p;

	do {
		old = local_read(&r->head);
		last = READ_ONCE(r->last);
		/* Read inside the loop: a nested writer's later stamp must not precede ours. */
		stamp = clock_stamp(r->clock);
		if (stamp < last)
			stamp = last;
		offset = old & (r->segment - 1);
		kind = r->lost_news ? lost_kind(r) : -1;
		new = old + bytes + (kind >= 0 ? LOST_BYTES : 0);
		open = offset == 0;
		pad = 0;
		high = false;
		if (!open) {
			high = (stamp ^ last) >> 32;
			if (offset + (new - old) + (high ? HIGH_BYTES : 0) > r->segment) {
				open = true;
				pad = r->segment - offset;
				high = false;
			}
		}
		new += pad + (open ? sizeof(struct pitrace_segment) : 0) + (high ? HIGH_BYTES : 0);
		tail = READ_ONCE(r->tail);
		if (new - tail > r->size)
			goto full;
		if (open && r->wrap)
			publish_opened(r, ALIGN(new, r->segment));
	} while (!local_try_cmpxchg(&r->head, (long *)&old, new));
	r->last = stamp;
	r->high = stamp >> 32;

	if (open) {
		note_closed(r);
		if (pad)
			put_pad(ring_at(r, old), pad, stamp);
		old += pad;
		put_segment(r, old, stamp);
		old += sizeof(struct pitrace_segment);
	}
	p = ring_at(r, old);
	if (high)
		p = ring_put_header(p, PITRACE_HIGH, stamp >> 32, HIGH_BYTES, PITRACE_TYPE_U32,
				    stamp);
	if (kind >= 0)
		p = put_lost(r, p, kind, stamp);
	set_limit(r, new);
	return ring_put_header(p, major, minor, bytes, PITRACE_TYPE_STRUCT, stamp);

full:
	count_lost(r, lost, 1);
	/* Only once: waking the consumer takes an interrupt, whose own records find no room
	 * either. */
	if (!r->starved) {
		r->starved = true;
		r->full(r);
	}
	ring_commit(r);
	return NULL;
}

/* Called after ring_reserve's own try; the writer is counted already. The try for clocks other than
 * the TSC is repeated here, apart from the rare cases. */
void *ring_reserve_slow(struct ring *r, u16 major, u32 minor, u32 bytes, enum pitrace_lost lost)
{
	long old = local_read(&r->head), new = old + bytes;
	u64 last, stamp;

	if (new > r->clocked)
		return reserve_slow(r, major, minor, bytes, lost);
	last = READ_ONCE(r->last);
	stamp = ktime_get_mono_fast_ns();
	/* Is the high half that of the last stamp, and the stamp not earlier? */
	if (stamp - last > (u32)~last || !local_try_cmpxchg(&r->head, &old, new))
		return reserve_slow(r, major, minor, bytes, lost);
	r->last = stamp;
	return ring_put_header(ring_at(r, old), major, minor, bytes, PITRACE_TYPE_STRUCT, stamp);
}

/* Called after a commit that left other writers active, or none and a closed segment. A writer that
 * runs in between publishes on its own if no other is active, else leaves it to us: the published
 * position only grows. */
void ring_commit_slow(struct ring *r)
{
	unsigned long head;
	bool crossed = false;

	while (local_read(&r->nest) && !(local_read(&r->nest) & (RING_CLOSED - 1))) {
		local_set(&r->nest, 1);
		barrier();
		head = local_read(&r->head);
		smp_store_release(r->published, head); /* (A) */
		if ((head ^ r->notified) >= r->segment) {
			r->notified = head;
			if (r->wrap)
				WRITE_ONCE(r->tail, head & ~(r->segment - 1));
			crossed = true;
		}
		barrier();
		local_dec(&r->nest);
	}
	if (crossed)
		r->crossed(r);
}

void ring_announce(struct ring *r)
{
	const u32 most = sizeof(struct pitrace_segment) + HIGH_BYTES + LOST_BYTES;
	int k;

	while ((k = lost_kind(r)) >= 0 &&
	       local_read(&r->head) + r->segment + most - READ_ONCE(r->tail) <= r->size) {
		struct pitrace_lost_rec lost = { .total = local_read(&r->lost[k]) };
		void *p;

		lost.count = lost.total - r->announced[k];
		lost.uid = k == PITRACE_LOST_BUDGET ? r->lost_uid : 0;
		r->announced[k] = lost.total;
		p = ring_reserve(r, PITRACE_LOST, k, sizeof(lost), PITRACE_LOST_OTHER);
		if (!p)
			break;
		memcpy(p, &lost, sizeof(lost));
		ring_commit(r);
	}
	/* As in put_lost(). */
	r->lost_news = false;
	barrier();
	if (lost_kind(r) >= 0)
		r->lost_news = true;
}

void ring_lose_of(struct ring *r, u32 uid)
{
	unsigned long flags;

	/* Another user's losses are announced first. */
	if (r->lost_uid != uid) {
		local_irq_save(flags);
		if (local_read(&r->lost[PITRACE_LOST_BUDGET]) != r->announced[PITRACE_LOST_BUDGET])
			ring_announce(r);
		local_irq_restore(flags);
		r->lost_uid = uid;
	}
	count_lost(r, PITRACE_LOST_BUDGET, 1);
}

void ring_close(struct ring *r)
{
	unsigned long old, pad;

	if (r->lost_news)
		ring_announce(r);
	local_inc(&r->nest);
	do {
		old = local_read(&r->head);
		pad = -old & (r->segment - 1);
	} while (!local_try_cmpxchg(&r->head, (long *)&old, old + pad));
	if (pad)
		put_pad(ring_at(r, old), pad, r->last);
	note_closed(r);
	ring_commit(r);
}

void ring_consume(struct ring *r, u64 position)
{
	u64 head = READ_ONCE(*r->published);

	/* (B) under the session's consumer lock */
	position = min(position, head) & ~(u64)(r->segment - 1);
	if (position > r->tail)
		WRITE_ONCE(r->tail, position);
}

bool ring_readable(const struct ring *r)
{
	return READ_ONCE(*r->published) - READ_ONCE(r->tail) >= r->segment;
}
