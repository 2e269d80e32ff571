/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sorts programs' records by time, across all slots and processes. A record is handed over when all
 * older ones have been read. Each gets a unique stamp, so that a thread's records keep their order
 * across CPUs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "hook/hooks_inner.h"
#include "file/segment.h"

#define RING_BYTES (64u << 10) /* segments of the trace */
#define HUGE_PAGE  ((size_t)2 << 20)
#define HOLD_MUCH  (8u << 20)   /* bytes of waiting records: time to hand some over */
#define HOLD_MAX   (256u << 20) /* bytes of waiting records; beyond this all are handed over */
#define KEEP_MAX   (1u << 30)   /* … of kept records; beyond this they are lost */

/* A page of 2 MB takes one fault where small pages take 512. */
static void *get(size_t size)
{
	void *p = size < HUGE_PAGE ? malloc(size) : aligned_alloc(HUGE_PAGE, size);

	if (p && size >= HUGE_PAGE && madvise(p, size, MADV_HUGEPAGE))
		errno = 0; /* kernels without huge pages */
	return p;
}

int room_grow(struct room *r, size_t size)
{
	size_t more = size + size / 2;
	void *p;

	if (size <= r->size)
		return 0;
	if (more >= HUGE_PAGE)
		more = (more + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	p = get(more);
	if (!p)
		return -ENOMEM;
	if (r->size)
		memcpy(p, r->data, r->size);
	free(r->data);
	r->data = p;
	r->size = more;
	return 0;
}

void room_free(struct room *r)
{
	free(r->data);
	*r = (struct room){ 0 };
}

/* Frees memory after a burst. */
static void room_rest(struct room *r)
{
	if (r->size > HUGE_PAGE)
		room_free(r);
}

/* Starts new segments. */
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

void *hooks_order_keep(struct hooks *h, uint64_t stamp, uint16_t major, uint32_t minor,
		       uint32_t size, int *err)
{
	int ring = major == PITRACE_MTE ? PITRACE_RING_MTE : PITRACE_RING_TRACE;
	size_t at = h->nbytes;

	*err = 0;
	if (h->keep && at + size > KEEP_MAX) {
		h->lost++;
		return NULL;
	}
	*err = room_grow(&h->bytes, at + size);
	if (!*err)
		*err = room_grow(&h->index[ring], (h->n[ring] + 1) * sizeof(struct pending));
	if (*err)
		return NULL;
	((struct pending *)h->index[ring].data)[h->n[ring]++] = (struct pending){
		.stamp = stamp,
		.at = at,
		.minor = minor,
		.size = size,
		.major = major,
	};
	h->nbytes += size;
	h->sorted[ring] = false;
	return (uint8_t *)h->bytes.data + at;
}

/* Moves the waiting records, the newest, to new memory. */
static int keep_waiting(struct hooks *h, size_t used)
{
	struct room bytes = h->spare;
	size_t n = 0;
	int err = room_grow(&bytes, used);

	h->spare = bytes;
	if (err)
		return err;
	for (int ring = 0; ring < PITRACE_RINGS; ring++) {
		struct pending *q = h->index[ring].data;

		for (size_t i = 0; i < h->n[ring]; i++) {
			memcpy((uint8_t *)bytes.data + n, (const uint8_t *)h->bytes.data + q[i].at,
			       q[i].size);
			q[i].at = n;
			n += q[i].size;
		}
	}
	h->spare = h->bytes;
	h->bytes = bytes;
	return 0;
}

int hooks_order_tidy(struct hooks *h)
{
	size_t used = 0;
	int err;

	for (int ring = 0; ring < PITRACE_RINGS; ring++) {
		const struct pending *q = h->index[ring].data;

		for (size_t i = 0; i < h->n[ring]; i++)
			used += q[i].size;
	}
	/* No records have arrived since the last call. */
	if (!h->nbytes) {
		room_rest(&h->bytes);
		room_rest(&h->spare);
		room_rest(&h->other);
		for (int ring = 0; ring < PITRACE_RINGS; ring++)
			room_rest(&h->index[ring]);
	}
	/* Little memory would be freed. */
	if (used > h->nbytes / 2)
		return 0;
	err = used ? keep_waiting(h, used) : 0;
	if (!err)
		h->nbytes = used;
	return err;
}

bool hooks_hold_much(const struct hooks *h)
{
	return h->nbytes > HOLD_MUCH;
}

bool hooks_order_waiting(const struct hooks *h)
{
	return h->n[PITRACE_RING_MTE] || h->n[PITRACE_RING_TRACE];
}

/* output to the trace */

static bool before(const struct pending *x, const struct pending *y)
{
	return x->stamp != y->stamp ? x->stamp < y->stamp : x->at < y->at;
}

/* Returns the index after the last of those, from `i` on, that are in order. */
static size_t run_end(const struct pending *q, size_t i, size_t n)
{
	for (i++; i < n && !before(&q[i], &q[i - 1]); i++)
		;
	return i;
}

/* Merges two runs of `from`, [a, b) and [b, end), into the same place in `to`. */
static void merge(const struct pending *from, size_t a, size_t b, size_t end, struct pending *to)
{
	size_t first = a, second = b;

	for (size_t i = a; i < end; i++)
		to[i] = first < b && (second == end || !before(&from[second], &from[first])) ?
				from[first++] :
				from[second++];
}

/* True: it is a single run. False: pairs of runs have been merged. */
static bool merge_pairs(const struct pending *from, size_t n, struct pending *to)
{
	size_t a = 0, b = run_end(from, 0, n), end;

	if (b == n)
		return true;
	for (; a < n; a = end) {
		b = run_end(from, a, n);
		end = b < n ? run_end(from, b, n) : n;
		merge(from, a, b, end, to);
	}
	return false;
}

/* Slots are sorted, or nearly so: there are few runs. */
static int sort(struct hooks *h, int ring)
{
	size_t n = h->n[ring];
	int err;

	if (h->sorted[ring] || !n)
		return 0;
	err = room_grow(&h->other, n * sizeof(struct pending));
	if (err)
		return err;
	while (!merge_pairs(h->index[ring].data, n, h->other.data)) {
		struct room sorted = h->other;

		h->other = h->index[ring];
		h->index[ring] = sorted;
	}
	h->sorted[ring] = true;
	return 0;
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
	bool too_much = h->nbytes > HOLD_MAX;
	int err = sort(h, ring);
	struct pending *q = h->index[ring].data;
	size_t i;

	if (err)
		return err;
	if (h->keep)
		begin_ring(h, ring);
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

void hooks_discard(struct hooks *h)
{
	h->discarded = hook_clock_pair(&h->clock);
	h->n[PITRACE_RING_TRACE] = 0;
	for (uint32_t c = 0; c < h->ncpus; c++)
		segment_close(&h->out[PITRACE_RING_TRACE][c], nobody, NULL);
}

uint64_t hooks_lost(const struct hooks *h)
{
	return h->lost;
}
