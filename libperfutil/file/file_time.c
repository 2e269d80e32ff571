/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts stamps to times. The sync records of the MTE rings tie stamps to the system's clocks.
 * Between two of them time is linear; before the first and after the last the nearest slope
 * continues. The result is a table of pieces that covers all stamps and never decreases.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/array.h"
#include "base/search.h"
#include "file/trace_file.h"
#include "file/record_walk.h"

#define NS_PER_SEC 1000000000ull

static uint64_t clamp64(unsigned __int128 v)
{
	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

/* ---- the sync records ------------------------------------------------------------------------ */

struct points {
	struct file_sync *list;
	size_t n, room;
};

static bool add_point(struct points *p, const struct record *r)
{
	struct pitrace_sync sync;

	if (array_next(p->list, p->n, p->room))
		return false;
	memcpy(&sync, r->data, sizeof(sync));
	p->list[p->n++] = (struct file_sync){ sync.stamp, sync.monotonic, sync.realtime, r->minor };
	return true;
}

static int by_stamp(const void *a, const void *b)
{
	const struct file_sync *x = a, *y = b;

	if (x->stamp != y->stamp)
		return x->stamp < y->stamp ? -1 : 1;
	return x->monotonic < y->monotonic ? -1 : x->monotonic > y->monotonic;
}

static bool collect(struct pifile *f, struct points *p)
{
	struct file_buffer b = { 0 };
	bool unstable = false;

	for (size_t i = f->time.seen; i < f->nsections; i++) {
		struct pitrace_segment h;
		struct record_walk walk;
		struct record r;
		const void *payload;
		size_t size;

		if (f->sections[i].type != PIFILE_SEC_SEGMENT ||
		    f->sections[i].ring != PITRACE_RING_MTE)
			continue;
		payload = file_payload(f, i, &b, &size);
		/* Faults of the records are reported by the merge. */
		if (!payload || record_walk_begin(&walk, payload, size, &h))
			continue;
		while (record_next(&walk, &r) > 0) {
			if (r.major != PITRACE_SYNC || r.size < sizeof(struct pitrace_sync))
				continue;
			if (!add_point(p, &r)) {
				file_buffer_free(&b);
				return false;
			}
			if (r.minor == PITRACE_SYNC_UNSTABLE && !unstable) {
				unstable = true;
				file_fault(f, file_offset(f, i),
					   "the clock turned unstable at stamp %" PRIu64
					   ": times from there on may be wrong",
					   r.stamp);
			}
		}
	}
	file_buffer_free(&b);
	return true;
}

/* The slope between two close syncs is noise: of syncs within 10 ms only one is kept. Both ends of
 * a suspend are kept. */
static void thin(struct pifile *f, struct points *p)
{
	uint64_t near = (f->header.clock == PITRACE_CLOCK_TSC && f->header.clock_hz ?
				 f->header.clock_hz :
				 NS_PER_SEC) /
			100;
	size_t n = 0, odd = 0;

	if (p->n)
		qsort(p->list, p->n, sizeof(*p->list), by_stamp);
	for (size_t i = 0; i < p->n; i++) {
		const struct file_sync *s = &p->list[i];
		bool end = s->why == PITRACE_SYNC_SUSPEND || s->why == PITRACE_SYNC_RESUME;

		if (n && s->monotonic < p->list[n - 1].monotonic) {
			odd++;
			continue;
		}
		if (n && (s->stamp == p->list[n - 1].stamp ||
			  (s->stamp - p->list[n - 1].stamp < near && !end)))
			continue;
		p->list[n++] = *s;
	}
	p->n = n;
	if (odd)
		file_fault(f, 0,
			   "%zu clock syncs go backwards and were left out: times may be wrong",
			   odd);
}

/* ---- pieces --------------------------------------------------------------------------------- */

static void add_piece(struct file_time *t, uint64_t from, uint64_t to, uint64_t base, uint64_t mult)
{
	t->pieces[t->npieces++] = (struct file_piece){ from, to - from, base, mult };
}

static uint64_t slope(const struct file_sync *a, const struct file_sync *b)
{
	return clamp64(((unsigned __int128)(b->monotonic - a->monotonic) << FILE_TIME_SHIFT) /
		       (b->stamp - a->stamp));
}

/* Finds a slope to extrapolate with: not that of a suspend. */
static bool is_steady(const struct file_sync *a, const struct file_sync *b)
{
	return !(a->why == PITRACE_SYNC_SUSPEND || b->why == PITRACE_SYNC_RESUME) &&
	       b->monotonic > a->monotonic;
}

/* Extends from `at` backwards, until time would be less than 0. */
static void before(struct file_time *t, const struct file_sync *at, uint64_t mult)
{
	unsigned __int128 time = (unsigned __int128)at->monotonic << FILE_TIME_SHIFT;
	uint64_t most = mult ? clamp64(time / mult) : UINT64_MAX;
	uint64_t back = most < at->stamp ? most : at->stamp;
	uint64_t from = at->stamp - back;
	uint64_t base = at->monotonic -
			(uint64_t)((unsigned __int128)back * mult >> FILE_TIME_SHIFT);

	if (from)
		add_piece(t, 0, from - 1, 0, 0);
	if (back)
		add_piece(t, from, at->stamp - 1, base, mult);
}

/* Extends from `at` on, until time would overflow. */
static void after(struct file_time *t, const struct file_sync *at, uint64_t mult)
{
	uint64_t most = mult ? clamp64(((unsigned __int128)(UINT64_MAX - at->monotonic)
					<< FILE_TIME_SHIFT) /
				       mult) :
			       UINT64_MAX;

	if (most >= UINT64_MAX - at->stamp) {
		add_piece(t, at->stamp, UINT64_MAX, at->monotonic, mult);
	} else {
		add_piece(t, at->stamp, at->stamp + most, at->monotonic, mult);
		add_piece(t, at->stamp + most + 1, UINT64_MAX, UINT64_MAX, 0);
	}
}

static void make_pieces(struct pifile *f)
{
	struct file_time *t = &f->time;
	const struct file_sync *p = t->syncs;
	uint64_t hz = f->header.clock_hz ? f->header.clock_hz : NS_PER_SEC;
	uint64_t nominal = clamp64(((unsigned __int128)NS_PER_SEC << FILE_TIME_SHIFT) / hz);
	uint64_t first = nominal, last = nominal;
	static const struct file_sync zero;
	size_t n = t->nsyncs;

	if (f->header.clock != PITRACE_CLOCK_TSC) {
		add_piece(t, 0, UINT64_MAX, 0, (uint64_t)1 << FILE_TIME_SHIFT);
		return;
	}
	if (!n) {
		after(t, &zero, nominal);
		return;
	}
	for (size_t i = n - 1; i > 0; i--)
		if (is_steady(&p[i - 1], &p[i]))
			first = slope(&p[i - 1], &p[i]);
	for (size_t i = 1; i < n; i++)
		if (is_steady(&p[i - 1], &p[i]))
			last = slope(&p[i - 1], &p[i]);
	before(t, &p[0], first);
	for (size_t i = 1; i < n; i++)
		add_piece(t, p[i - 1].stamp, p[i].stamp - 1, p[i - 1].monotonic,
			  slope(&p[i - 1], &p[i]));
	after(t, &p[n - 1], last);
}

const struct file_piece *file_time_piece(const struct file_time *t, uint64_t stamp)
{
	size_t next = search_sorted(i, 1, t->npieces, t->pieces[i].from <= stamp);

	return &t->pieces[next - 1];
}

/* Without a sync to real time: the file was created at about the time of its first record. */
static void guess_day(struct pifile *f)
{
	f->time.day = f->header.start_realtime -
		      file_piece_time(file_time_piece(&f->time, f->first), f->first);
}

bool file_time_build(struct pifile *f)
{
	struct file_time *t = &f->time;
	/* The earlier syncs are found again. */
	struct points p = { t->syncs, t->nsyncs, t->nsyncs };

	if (t->built && t->seen == f->nsections)
		return true;
	t->built = false;
	t->syncs = NULL;
	t->nsyncs = t->npieces = 0;
	if (!collect(f, &p))
		goto no_memory;
	thin(f, &p);
	free(t->pieces);
	t->pieces = calloc(p.n + 4, sizeof(*t->pieces));
	if (!t->pieces)
		goto no_memory;
	t->syncs = p.list;
	t->nsyncs = p.n;
	t->seen = f->nsections;
	if (f->header.clock == PITRACE_CLOCK_TSC && !f->header.clock_hz && p.n < 2)
		file_fault(f, 0, "neither a clock rate nor two clock syncs: times are stamps");
	make_pieces(f);
	guess_day(f);
	t->built = true;
	return true;

no_memory:
	free(p.list);
	errno = ENOMEM;
	return false;
}

uint64_t pifile_monotonic(struct pifile *f, uint64_t stamp)
{
	if (!file_time_build(f))
		return 0;
	return file_piece_time(file_time_piece(&f->time, stamp), stamp);
}

/* The offset of REALTIME from MONOTONIC changes only when the clock is set: linear between syncs,
 * constant outside. */
uint64_t pifile_realtime(struct pifile *f, uint64_t stamp)
{
	uint64_t time = pifile_monotonic(f, stamp);
	const struct file_time *t = &f->time;
	const struct file_sync *p = t->syncs;
	uint64_t distance, change;
	size_t low;

	if (!t->nsyncs)
		return time + t->day;
	low = search_sorted(i, 1, t->nsyncs, p[i].stamp <= stamp) - 1;
	distance = p[low].realtime - p[low].monotonic;
	if (stamp > p[low].stamp && low + 1 < t->nsyncs) {
		change = p[low + 1].realtime - p[low + 1].monotonic - distance;
		distance += (uint64_t)((__int128)(int64_t)change *
				       (__int128)(stamp - p[low].stamp) /
				       (__int128)(p[low + 1].stamp - p[low].stamp));
	}
	return time + distance;
}
