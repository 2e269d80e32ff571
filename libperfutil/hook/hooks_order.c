/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Puts programs' records in the order of time, whatever slots and processes they come from. A
 * record is handed over when all that are older have been read. Each gets a unique stamp, so that
 * the order of a thread's records holds whatever CPU they were made on.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "hook/hooks_inner.h"
#include "file/segment.h"

#define RING_BYTES (64u << 10)  /* of the segments that go into the trace */
#define HOLD_MAX   (256u << 20) /* bytes of records that wait; beyond, all are handed over */
#define KEEP_MAX   (1u << 30)   /* … that are kept; beyond, they are lost */

int room_grow(struct room *r, size_t size)
{
	size_t more = size + size / 2;
	void *p;

	if (size <= r->size)
		return 0;
	p = realloc(r->data, more);
	if (!p)
		return -ENOMEM;
	r->data = p;
	r->size = more;
	return 0;
}

/* Segments begin anew. */
static void begin_ring(struct hooks *h, int ring)
{
	for (uint32_t c = 0; c < h->ncpus; c++) {
		segment_free(&h->out[ring][c]);
		h->out[ring][c] = (struct segment_out){
			.session = h->session,
			.cpu = c,
			.ring = (uint16_t)ring,
			.size = RING_BYTES,
		};
	}
	h->last[ring] = 0;
	if (ring == PITRACE_RING_TRACE)
		h->reported = 0;
}

/* Resets the state of an interval: rings, losses. */
void hooks_order_begin(struct hooks *h)
{
	for (int ring = 0; ring < PITRACE_RINGS; ring++) {
		begin_ring(h, ring);
		h->n[ring] = 0;
	}
	h->nbytes = 0;
	h->lost = 0;
	h->blocked = h->discarded = 0;
	hook_clock_restart(&h->clock);
	h->since = h->known = hook_clock_pair(&h->clock);
}

int hooks_order_keep(struct hooks *h, uint64_t stamp, uint16_t major, uint32_t minor,
		     const void *data, uint32_t size)
{
	int ring = major == PITRACE_MTE ? PITRACE_RING_MTE : PITRACE_RING_TRACE;
	int err;

	if (h->keep && h->nbytes + size > KEEP_MAX) {
		h->lost++;
		return 0;
	}
	err = room_grow(&h->bytes, h->nbytes + size);
	if (!err)
		err = room_grow(&h->index[ring], (h->n[ring] + 1) * sizeof(struct pending));
	if (err)
		return err;
	((struct pending *)h->index[ring].data)[h->n[ring]++] = (struct pending){
		.stamp = stamp,
		.at = h->nbytes,
		.minor = minor,
		.size = size,
		.major = major,
	};
	memcpy((uint8_t *)h->bytes.data + h->nbytes, data, size);
	h->nbytes += size;
	h->sorted[ring] = false;
	return 0;
}

int hooks_order_tidy(struct hooks *h)
{
	struct room bytes = { 0 };
	size_t used = 0, n = 0;
	int err;

	for (int ring = 0; ring < PITRACE_RINGS; ring++) {
		const struct pending *q = h->index[ring].data;

		for (size_t i = 0; i < h->n[ring]; i++)
			used += q[i].size;
	}
	/* Little would be gained. */
	if (used > h->nbytes / 2)
		return 0;
	if (used) {
		err = room_grow(&bytes, used);
		if (err)
			return err;
		for (int ring = 0; ring < PITRACE_RINGS; ring++) {
			struct pending *q = h->index[ring].data;

			for (size_t i = 0; i < h->n[ring]; i++) {
				memcpy((uint8_t *)bytes.data + n,
				       (const uint8_t *)h->bytes.data + q[i].at, q[i].size);
				q[i].at = n;
				n += q[i].size;
			}
		}
		free(h->bytes.data);
		h->bytes = bytes;
	}
	h->nbytes = used;
	return 0;
}

bool hooks_order_waiting(const struct hooks *h)
{
	return h->n[PITRACE_RING_MTE] || h->n[PITRACE_RING_TRACE];
}

/* ---- what goes into the trace ---------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
	const struct pending *x = a, *y = b;

	if (x->stamp != y->stamp)
		return x->stamp < y->stamp ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Stamps are unique: equal ones on two CPUs would have no order. */
static uint64_t next_stamp(struct hooks *h, int ring, uint64_t stamp)
{
	if (stamp <= h->last[ring])
		stamp = h->last[ring] + 1;
	h->last[ring] = stamp;
	return stamp;
}

/* Losses for lack of a slot are reported in CPU 0's ring: their CPU is unknown. */
static int write_lost(struct hooks *h, segment_sink sink, void *arg)
{
	struct segment_out *o = &h->out[PITRACE_RING_TRACE][0];
	uint64_t count = h->lost - h->reported;
	struct pitrace_lost_rec lost = {
		.count = (uint32_t)(count > UINT32_MAX ? UINT32_MAX : count),
		.total = h->lost,
	};
	void *p;
	int err;

	if (!count)
		return 0;
	p = segment_put(o, PITRACE_LOST, PITRACE_LOST_USER, PITRACE_TYPE_STRUCT, sizeof(lost),
			next_stamp(h, PITRACE_RING_TRACE, hook_clock_ns(&h->clock, h->since)), sink,
			arg, &err);
	if (!p)
		return err;
	memcpy(p, &lost, sizeof(lost));
	h->reported = o->lost = h->lost;
	return 0;
}

static int put(struct hooks *h, int ring, const struct pending *q, segment_sink sink, void *arg)
{
	const uint8_t *data = (const uint8_t *)h->bytes.data + q->at;
	struct pitrace_user u;
	int err;
	void *p;

	memcpy(&u, data, sizeof(u));
	p = segment_put(&h->out[ring][u.cpu], q->major, q->minor, PITRACE_TYPE_MIXED, q->size,
			next_stamp(h, ring, hook_clock_ns(&h->clock, q->stamp)), sink, arg, &err);
	if (p)
		memcpy(p, data, q->size);
	return err;
}

int hooks_drain(struct hooks *h, int ring, bool all, segment_sink sink, void *arg)
{
	struct pending *q = h->index[ring].data;
	bool too_much = h->nbytes > HOLD_MAX;
	size_t i;
	int err = 0;

	if (h->keep)
		begin_ring(h, ring);
	if (h->n[ring] && !h->sorted[ring])
		qsort(q, h->n[ring], sizeof(*q), by_time);
	h->sorted[ring] = true;
	for (i = 0; i < h->n[ring] && !err && (q[i].stamp <= h->known || too_much); i++)
		err = put(h, ring, &q[i], sink, arg);
	if (h->keep)
		i = 0;
	h->n[ring] -= i;
	if (i)
		memmove(q, q + i, h->n[ring] * sizeof(*q));
	if (!err && ring == PITRACE_RING_TRACE)
		err = write_lost(h, sink, arg);
	if (all || ring == PITRACE_RING_MTE)
		for (uint32_t c = 0; c < h->ncpus && !err; c++)
			err = segment_close(&h->out[ring][c], sink, arg);
	return err;
}

static int nobody(void *arg, const void *segment, size_t size)
{
	(void)arg;
	(void)segment;
	(void)size;
	return 0;
}

int hooks_discard(struct hooks *h)
{
	int err = 0;

	h->discarded = hook_clock_pair(&h->clock);
	h->n[PITRACE_RING_TRACE] = 0;
	for (uint32_t c = 0; c < h->ncpus && !err; c++)
		err = segment_close(&h->out[PITRACE_RING_TRACE][c], nobody, NULL);
	return err;
}

uint64_t hooks_lost(const struct hooks *h)
{
	return h->lost;
}
