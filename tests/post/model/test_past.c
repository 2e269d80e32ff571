/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributes a past: exactly if somebody has waited since, otherwise in sum. */
#include <string.h>

#include "model/past.h"
#include "unit.h"

enum { MANY = 1000, NOBODY = 1001, BLAMES = 1002 };

struct told {
	uint64_t ns[BLAMES], all, at;
	uint32_t parts;
	int rc;
};

static int tell(void *arg, const struct past_part *p)
{
	struct told *t = arg;

	CU_ASSERT(p->from >= t->at || !t->parts);
	CU_ASSERT(p->from < p->to);
	CU_ASSERT(p->ns <= p->to - p->from);
	t->at = p->from;
	t->ns[p->blame] += p->ns;
	t->all += p->ns;
	t->parts++;
	return t->rc;
}

static struct told read_past(const struct past *p, uint64_t from, uint64_t to)
{
	struct told t = { .parts = 0 };
	const struct past_reader reader = { tell, &t };

	CU_ASSERT_EQUAL(past_read(p, from, to, NOBODY, &reader), 0);
	CU_ASSERT_EQUAL(t.all, to - from);
	return t;
}

static void add(struct past *p, struct open_waits *w, uint64_t from, uint64_t to, uint32_t blame)
{
	CU_ASSERT_EQUAL(past_add(p, w, from, to, blame, MANY), 0);
}

static void exact(void)
{
	struct open_waits w = { 0 };
	struct past p = { 0 };
	struct told t;

	CU_ASSERT_EQUAL(open_waits_begin(&w, 7, 100), 0);
	add(&p, &w, 100, 120, 1);
	add(&p, &w, 120, 130, 2);
	/* From here on somebody waits: what was is one stretch, what comes another. */
	CU_ASSERT_EQUAL(open_waits_begin(&w, 8, 130), 0);
	add(&p, &w, 130, 137, 1);
	add(&p, &w, 137, 150, 1);
	CU_ASSERT_EQUAL(p.count, 3);
	t = read_past(&p, 100, 150);
	CU_ASSERT_EQUAL(t.ns[1], 40);
	CU_ASSERT_EQUAL(t.ns[2], 10);
	t = read_past(&p, 130, 150);
	CU_ASSERT_EQUAL(t.ns[1], 20);
	CU_ASSERT_EQUAL(t.ns[2], 0);
	/* Before, behind, and nothing. */
	t = read_past(&p, 90, 160);
	CU_ASSERT_EQUAL(t.ns[NOBODY], 20);
	CU_ASSERT_EQUAL(t.ns[1], 40);
	t = read_past(&p, 150, 150);
	CU_ASSERT_EQUAL(t.parts, 0);
	t = read_past(&p, 10, 20);
	CU_ASSERT_EQUAL(t.ns[NOBODY], 10);
	/* The stretch of two is divided evenly: 20 of 30 are 1's. */
	t = read_past(&p, 115, 130);
	CU_ASSERT_EQUAL(t.ns[1], 10);
	CU_ASSERT_EQUAL(t.ns[2], 5);
	t = read_past(&p, 129, 130);
	CU_ASSERT_EQUAL(t.all, 1);
	/* An open part is counted separately only if necessary. */
	add(&p, &w, 150, 151, 3);
	CU_ASSERT_EQUAL(p.count, 4);
	past_free(&p);
	open_waits_free(&w);
}

static void a_gap(void)
{
	struct open_waits w = { 0 };
	struct past p = { 0 };
	struct told t;

	CU_ASSERT_EQUAL(open_waits_begin(&w, 1, 5), 0);
	add(&p, &w, 10, 20, 1);
	add(&p, &w, 30, 40, 2);
	t = read_past(&p, 0, 50);
	CU_ASSERT_EQUAL(t.ns[1], 10);
	CU_ASSERT_EQUAL(t.ns[2], 10);
	CU_ASSERT_EQUAL(t.ns[NOBODY], 30);
	t = read_past(&p, 20, 30);
	CU_ASSERT_EQUAL(t.ns[NOBODY], 10);
	/* A reader that has enough is asked no more. */
	t = (struct told){ .rc = -7 };
	CU_ASSERT_EQUAL(past_read(&p, 0, 50, NOBODY, &(struct past_reader){ tell, &t }), -7);
	CU_ASSERT_EQUAL(t.parts, 1);
	past_free(&p);
	open_waits_free(&w);
}

/* Without waiting threads, nothing is kept. */
static void nobody_waits(void)
{
	struct open_waits w = { 0 };
	struct past p = { 0 };

	for (uint64_t i = 0; i < 1000; i++) {
		add(&p, &w, 10 * i, 10 * i + 10, (uint32_t)(i % 3));
		CU_ASSERT(p.count <= 1);
	}
	past_free(&p);
	open_waits_free(&w);
}

/* However many wait, since different moments, and however many are to blame: what is kept has a
 * bound, and each ns is somewhere. */
static void bounded(void)
{
	struct open_waits w = { 0 };
	struct past p = { 0 }, copy = { 0 };
	struct told t;

	for (uint32_t i = 0; i < 5000; i++) {
		CU_ASSERT_EQUAL(open_waits_begin(&w, i, 10ull * i), 0);
		add(&p, &w, 10ull * i, 10ull * i + 7, i % 300);
		add(&p, &w, 10ull * i + 7, 10ull * i + 10, 400 + i % 300);
		CU_ASSERT(p.count <= 2 * PAST_PARTS);
	}
	t = read_past(&p, 0, 50000);
	CU_ASSERT_EQUAL(t.ns[NOBODY], 0);
	CU_ASSERT(t.ns[MANY] > 0);
	/* The newest are as they were. */
	t = read_past(&p, 49990, 50000);
	CU_ASSERT_EQUAL(t.ns[4999 % 300], 7);
	CU_ASSERT_EQUAL(t.ns[400 + 4999 % 300], 3);
	t = read_past(&p, 333, 49999);
	CU_ASSERT_EQUAL(t.ns[NOBODY], 0);
	CU_ASSERT_EQUAL(past_copy(&copy, &w, &p, 49995, MANY), 0);
	CU_ASSERT(copy.count <= 2 * PAST_PARTS);
	t = read_past(&copy, 0, 49995);
	CU_ASSERT_EQUAL(t.ns[NOBODY], 0);
	t = read_past(&copy, 49980, 49990);
	CU_ASSERT_EQUAL(t.ns[4998 % 300], 7);
	/* Their waits end: nothing of it is needed. */
	for (uint32_t i = 0; i < 5000; i++)
		open_waits_end(&w, i);
	add(&p, &w, 50000, 50010, 1);
	CU_ASSERT_EQUAL(p.count, 1);
	past_free(&p);
	past_free(&copy);
	open_waits_free(&w);
}

/* Parts that no wait needs are removed first; segments are merged only if that is not
 * sufficient. */
static void squeezed(void)
{
	for (uint64_t needed = PAST_PARTS / 4; needed <= PAST_PARTS; needed += PAST_PARTS / 4) {
		const uint64_t unneeded = PAST_PARTS - needed, from = 10 * unneeded;
		struct open_waits w = { 0 };
		struct past p = { 0 };
		struct told t;

		for (uint64_t i = 0; i < PAST_PARTS; i++) {
			/* Somebody waits since each of these moments. */
			CU_ASSERT_EQUAL(open_waits_begin(&w, (uint32_t)i, 10 * i), 0);
			add(&p, &w, 10 * i, 10 * i + 10, (uint32_t)(i % 5));
		}
		CU_ASSERT_EQUAL(p.count, PAST_PARTS);
		for (uint64_t i = 0; i < unneeded; i++)
			open_waits_end(&w, (uint32_t)i);
		/* Also for one that continues from before: it is not needed, either. */
		CU_ASSERT_EQUAL(open_waits_begin(&w, 500, 10 * PAST_PARTS), 0);
		add(&p, &w, 10 * PAST_PARTS, 10 * PAST_PARTS + 10, 7);
		if (needed <= PAST_PARTS / 2) {
			CU_ASSERT_EQUAL(p.count, needed + 1);
			CU_ASSERT_EQUAL(p.part[0].from, from);
			for (uint64_t i = unneeded; i < PAST_PARTS; i++) {
				t = read_past(&p, 10 * i, 10 * i + 10);
				CU_ASSERT_EQUAL(t.ns[i % 5], 10);
			}
		} else {
			CU_ASSERT(p.count <= PAST_PARTS / 2 + 1 && p.count > PAST_PARTS / 4);
		}
		t = read_past(&p, 0, 10 * PAST_PARTS + 10);
		CU_ASSERT_EQUAL(t.ns[NOBODY], from);
		CU_ASSERT_EQUAL(t.ns[MANY], 0);
		CU_ASSERT_EQUAL(t.ns[7], 10);
		past_free(&p);
		open_waits_free(&w);
	}
}

/* ---- open waits ------------------------------------------------------------------------------ */

static void waits(void)
{
	struct open_waits w = { 0 };

	CU_ASSERT_EQUAL(open_waits_oldest(&w), UINT64_MAX);
	CU_ASSERT(!open_waits_within(&w, 0, UINT64_MAX));
	CU_ASSERT_EQUAL(open_waits_begin(&w, 3, 10), 0);
	CU_ASSERT_EQUAL(open_waits_begin(&w, 4, 20), 0);
	CU_ASSERT_EQUAL(open_waits_begin(&w, 5, 20), 0);
	CU_ASSERT_EQUAL(open_waits_begin(&w, 6, 30), 0);
	CU_ASSERT_EQUAL(open_waits_oldest(&w), 10);
	CU_ASSERT(open_waits_within(&w, 10, 21));
	CU_ASSERT(!open_waits_within(&w, 10, 20));
	CU_ASSERT(!open_waits_within(&w, 20, 30));
	open_waits_end(&w, 4);
	CU_ASSERT(open_waits_within(&w, 10, 21));
	open_waits_end(&w, 5);
	open_waits_end(&w, 5);
	open_waits_end(&w, 99);
	CU_ASSERT(!open_waits_within(&w, 10, 30));
	CU_ASSERT(open_waits_within(&w, 10, 31));
	open_waits_end(&w, 3);
	CU_ASSERT_EQUAL(open_waits_oldest(&w), 30);
	/* A thread has one; an older time than the newest is as new. */
	CU_ASSERT_EQUAL(open_waits_begin(&w, 6, 25), 0);
	CU_ASSERT_EQUAL(w.open, 1);
	CU_ASSERT_EQUAL(open_waits_oldest(&w), 30);
	open_waits_free(&w);
}

/* Against a plain list. */
static void waits_at_random(void)
{
	enum { THREADS = 50 };
	uint64_t from[THREADS] = { 0 }, now = 1, a, b, oldest;
	struct open_waits w = { 0 };
	uint32_t seed = 1, who;
	bool within;

	for (int i = 0; i < 20000; i++) {
		seed = seed * 1103515245 + 12345;
		who = (seed >> 16) % THREADS;
		now += (seed >> 8) % 4;
		if (seed & 0x40000000) {
			CU_ASSERT_EQUAL(open_waits_begin(&w, who, now), 0);
			from[who] = now;
		} else {
			open_waits_end(&w, who);
			from[who] = 0;
		}
		a = now - (seed >> 4) % 200 % now;
		b = a + (seed >> 20) % 50;
		within = false;
		oldest = UINT64_MAX;
		for (who = 0; who < THREADS; who++) {
			within |= from[who] > a && from[who] < b;
			oldest = from[who] && from[who] < oldest ? from[who] : oldest;
		}
		CU_ASSERT_EQUAL(open_waits_within(&w, a, b), within);
		CU_ASSERT_EQUAL(open_waits_oldest(&w), oldest);
		CU_ASSERT(w.count <= 4 * THREADS + 64);
	}
	open_waits_free(&w);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "exact", exact },
		{ "a_gap", a_gap },
		{ "nobody_waits", nobody_waits },
		{ "bounded", bounded },
		{ "squeezed", squeezed },
		{ "waits", waits },
		{ "waits_at_random", waits_at_random },
		{ NULL, NULL },
	};

	return unit_run("past", tests);
}
