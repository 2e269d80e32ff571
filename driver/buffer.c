// SPDX-License-Identifier: GPL-2.0
/* The ring: reserve, commit, segments, losses. */
#include <linux/string.h>
#include "buffer.h"
#include "clock.h"

#define HIGH_BYTES	((u32)sizeof(struct pitrace_rec))
#define LOST_BYTES	((u32)(sizeof(struct pitrace_rec) + sizeof(struct pitrace_lost_rec)))

void ring_reset(struct ring *r)
{
	int k;

	local_set(&r->head, 0);
	local_set(&r->nest, 0);
	r->last = r->tail = r->published = 0;
	r->lost_news = false;
	for (k = 0; k < PITRACE_LOST_KINDS; k++) {
		local_set(&r->lost[k], 0);
		r->announced[k] = 0;
	}
	WRITE_ONCE(r->page->ring[r->kind].head, 0);
}

static inline void *ring_at(const struct ring *r, unsigned long position)
{
	return r->data + (position & (r->size - 1));
}

static void count_lost(struct ring *r, enum pitrace_lost kind, u32 count)
{
	local_add(count, &r->lost[kind]);
	WRITE_ONCE(r->page->lost[kind], local_read(&r->lost[kind]));
	r->lost_news = true;
}

void ring_lose(struct ring *r, enum pitrace_lost kind, u32 count)
{
	count_lost(r, kind, count);
}

static void *put_header(void *p, u16 major, u32 minor, u32 bytes, u16 type, u64 stamp)
{
	struct pitrace_rec *rec = p;

	rec->type_len = bytes | type;
	rec->major = major;
	rec->minor = minor;
	rec->stamp = (u32)stamp;
	return rec + 1;
}

/* PAD up to the segment's end; the last 4 or 8 bytes have room for one or two words of it only. */
static void put_pad(void *p, unsigned long bytes, u64 stamp)
{
	u32 words[3] = {
		(min_t(u32, bytes, PITRACE_LEN_MASK) & PITRACE_LEN_MASK) | PITRACE_PAD << 16,
		0, (u32)stamp
	};

	memcpy(p, words, min_t(unsigned long, bytes, sizeof(words)));
}

static u64 records_lost(const struct ring *r)
{
	u64 sum = 0;
	int k;

	for (k = 0; k < PITRACE_LOST_KINDS; k++)
		if (k != PITRACE_LOST_OVERRUN)
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

/* The LOST record of one kind that has news, if any. Returns where the next record goes. */
static void *put_lost(struct ring *r, void *p, int kind, u64 stamp)
{
	struct pitrace_lost_rec lost = { .total = local_read(&r->lost[kind]) };
	int k;

	lost.count = lost.total - r->announced[kind];
	r->announced[kind] = lost.total;
	p = put_header(p, PITRACE_LOST, kind, LOST_BYTES, PITRACE_TYPE_STRUCT, stamp);
	memcpy(p, &lost, sizeof(lost));

	/* Clear first, then look: a nested loss after the look sets it again. */
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

void *ring_reserve(struct ring *r, u16 major, u32 minor, u32 size, enum pitrace_lost lost)
{
	u32 bytes = sizeof(struct pitrace_rec) + ALIGN(size, 4);
	unsigned long old, new, offset, pad, tail;
	u64 stamp, last;
	bool open, high;
	int told;
	void *p;

	local_inc(&r->nest);
	do {
		old = local_read(&r->head);
		last = READ_ONCE(r->last);
		/* Read inside the loop: a nested writer's later stamp must not precede ours. */
		stamp = clock_stamp(r->clock);
		if (unlikely(stamp < last))
			stamp = last;
		offset = old & (r->segment - 1);
		told = unlikely(r->lost_news) ? lost_kind(r) : -1;
		new = old + bytes + (told >= 0 ? LOST_BYTES : 0);
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
		if (unlikely(new - tail > r->size))
			goto full;
	} while (unlikely(local_cmpxchg(&r->head, old, new) != old));
	r->last = stamp;

	if (unlikely(open)) {
		if (pad)
			put_pad(ring_at(r, old), pad, stamp);
		old += pad;
		put_segment(r, old, stamp);
		old += sizeof(struct pitrace_segment);
	}
	p = ring_at(r, old);
	if (unlikely(high))
		p = put_header(p, PITRACE_HIGH, stamp >> 32, HIGH_BYTES, PITRACE_TYPE_U32, stamp);
	if (unlikely(told >= 0))
		p = put_lost(r, p, told, stamp);
	return put_header(p, major, minor, bytes, PITRACE_TYPE_STRUCT, stamp);

full:
	count_lost(r, lost, 1);
	r->full(r);
	ring_commit(r);
	return NULL;
}

void ring_commit(struct ring *r)
{
	unsigned long head;
	bool crossed = false;

	/* Only the outermost writer publishes: all nested in it have finished by then. */
	if (local_read(&r->nest) > 1) {
		local_dec(&r->nest);
		return;
	}
	do {
		barrier();
		local_set(&r->nest, 1);
		head = local_read(&r->head);
		crossed |= (head ^ r->published) >= r->segment;
		r->published = head;
		/* (A) records before head */
		smp_store_release(&r->page->ring[r->kind].head, head);
		local_set(&r->nest, 0);
		barrier();
		/* One that came in between published nothing if it saw us; look again. */
	} while (unlikely(head != local_read(&r->head)));
	if (unlikely(crossed))
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
		r->announced[k] = lost.total;
		p = ring_reserve(r, PITRACE_LOST, k, sizeof(lost), PITRACE_LOST_OTHER);
		if (!p)
			break;
		memcpy(p, &lost, sizeof(lost));
		ring_commit(r);
	}
	r->lost_news = lost_kind(r) >= 0;
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
	} while (local_cmpxchg(&r->head, old, old + pad) != old);
	if (pad)
		put_pad(ring_at(r, old), pad, r->last);
	ring_commit(r);
}

void ring_consume(struct ring *r, u64 position)
{
	u64 head = READ_ONCE(r->page->ring[r->kind].head);

	/* (B) under the session's consumer lock */
	position = min(position, head) & ~(u64)(r->segment - 1);
	if (position > r->tail)
		WRITE_ONCE(r->tail, position);
}

bool ring_readable(const struct ring *r)
{
	return READ_ONCE(r->page->ring[r->kind].head) - READ_ONCE(r->tail) >= r->segment;
}

bool ring_half_full(const struct ring *r)
{
	return READ_ONCE(r->page->ring[r->kind].head) - READ_ONCE(r->tail) > r->size / 2;
}
