/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stamps to times: between syncs, outside them, without them, and with odd ones. */
#include "image.h"

#define GHZ    1000000000ull
#define SECOND 1000000000ull

struct point {
	uint32_t why;
	uint64_t stamp, monotonic, realtime;
};

/* A file with these syncs, each in the ring of another CPU in turn. */
static struct pifile *with(struct image *i, uint32_t clock, uint64_t hz, const struct point *p,
			   size_t n)
{
	struct pifile_header h = image_header(clock, hz);
	struct gen_ring g[2];

	h.start_realtime = 1000 * SECOND;
	*i = image_begin(&h);
	for (uint32_t c = 0; c < 2; c++)
		gen_ring_open(&g[c], i->w, c, PITRACE_RING_MTE, 16384);
	for (size_t k = 0; k < n; k++) {
		struct pitrace_sync s = { (uint32_t)k & 1, p[k].stamp, p[k].monotonic,
					  p[k].monotonic, p[k].realtime };

		memcpy(gen_record(&g[k & 1], PITRACE_SYNC, p[k].why, PITRACE_TYPE_STRUCT, sizeof(s),
				  p[k].stamp),
		       &s, sizeof(s));
	}
	if (!n)
		memset(gen_record(&g[0], 0xD0, 1, PITRACE_TYPE_U32, 4, 5000), 0, 4);
	for (uint32_t c = 0; c < 2; c++) {
		gen_ring_flush(&g[c]);
		gen_ring_close(&g[c]);
	}
	image_take(i);
	return image_open(i);
}

static void done(struct image *i, struct pifile *f)
{
	pifile_close(f);
	image_free(i);
}

#define S PITRACE_SYNC_SECOND

static void between_and_outside(void)
{
	/* 2 GHz, then 2.5 GHz, whatever the header has for the clock */
	static const struct point p[] = {
		{ PITRACE_SYNC_ON, 10 * GHZ, 100 * SECOND, 2000 * SECOND },
		{ S, 12 * GHZ, 101 * SECOND, 2001 * SECOND },
		{ PITRACE_SYNC_OFF, 17 * GHZ, 103 * SECOND, 2003 * SECOND + 1000 },
	};
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_TSC, 3 * GHZ, p, 3);
	uint64_t last = 0;

	CU_ASSERT_EQUAL(pifile_monotonic(f, 10 * GHZ), 100 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 11 * GHZ), 100 * SECOND + SECOND / 2);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 12 * GHZ), 101 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 12 * GHZ + 2500), 101 * SECOND + 999); /* floor */
	CU_ASSERT_EQUAL(pifile_monotonic(f, 17 * GHZ), 103 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 0), 95 * SECOND);
	CU_ASSERT(pifile_monotonic(f, 22 * GHZ) - (105 * SECOND - 2) <= 2);
	CU_ASSERT_EQUAL(pifile_realtime(f, 10 * GHZ), 2000 * SECOND);
	CU_ASSERT_EQUAL(pifile_realtime(f, 0), 1995 * SECOND);
	CU_ASSERT_EQUAL(pifile_realtime(f, 17 * GHZ), 2003 * SECOND + 1000);
	CU_ASSERT(pifile_realtime(f, 14 * GHZ + GHZ / 2) - (2002 * SECOND + 498) <= 2);
	CU_ASSERT(pifile_realtime(f, 22 * GHZ) - (2005 * SECOND + 998) <= 2);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	for (uint64_t s = 0; s < 25 * GHZ; s += 7777777) {
		uint64_t t = pifile_monotonic(f, s);

		CU_ASSERT(t >= last);
		last = t;
	}
	done(&i, f);
}

static void without_syncs(void)
{
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_TSC, 2 * GHZ, NULL, 0);

	CU_ASSERT_EQUAL(pifile_monotonic(f, 6 * GHZ), 3 * SECOND);
	CU_ASSERT_EQUAL(pifile_realtime(f, 5000), 1000 * SECOND);
	CU_ASSERT_EQUAL(pifile_realtime(f, 5000 + 2 * GHZ), 1001 * SECOND);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	done(&i, f);

	f = with(&i, PITRACE_CLOCK_TSC, 0, NULL, 0);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 6 * GHZ), 6 * GHZ);
	ASSERT_FAULT(f, 0, "neither a clock rate nor");
	done(&i, f);
}

static void with_one(void)
{
	static const struct point p[] = { { S, 10 * GHZ, 3 * SECOND, 2000 * SECOND } };
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_TSC, 2 * GHZ, p, 1);

	CU_ASSERT_EQUAL(pifile_monotonic(f, 10 * GHZ), 3 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 12 * GHZ), 4 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 4 * GHZ), 0);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 3 * GHZ), 0);
	CU_ASSERT_EQUAL(pifile_monotonic(f, UINT64_MAX), 3 * SECOND + (UINT64_MAX - 10 * GHZ) / 2);
	done(&i, f);
}

static void monotonic_clock(void)
{
	static const struct point p[] = {
		{ S, 3 * SECOND, 3 * SECOND, 2000 * SECOND },
		{ S, 4 * SECOND, 4 * SECOND + 50, 2002 * SECOND }, /* somebody set the day */
	};
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_MONOTONIC, GHZ, p, 2);

	CU_ASSERT_EQUAL(pifile_monotonic(f, 0), 0);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 4 * SECOND), 4 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, UINT64_MAX), UINT64_MAX);
	CU_ASSERT_EQUAL(pifile_realtime(f, 3 * SECOND), 2000 * SECOND);
	CU_ASSERT_EQUAL(pifile_realtime(f, 3 * SECOND + SECOND / 2), 2001 * SECOND - 25);
	CU_ASSERT_EQUAL(pifile_realtime(f, 5 * SECOND), 2003 * SECOND - 50);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	done(&i, f);
}

/* A slope is not computed from two syncs that are close to each other. */
static void close_syncs(void)
{
	static const struct point p[] = {
		{ PITRACE_SYNC_ON, 10 * GHZ, 100 * SECOND, 0 },
		{ PITRACE_SYNC_CPU_ONLINE, 10 * GHZ + 100, 100 * SECOND + 3000, 0 },
		{ S, 12 * GHZ, 101 * SECOND, 0 },
		{ S, 12 * GHZ + 2000, 101 * SECOND, 0 },
	};
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_TSC, 2 * GHZ, p, 4);

	CU_ASSERT_EQUAL(pifile_monotonic(f, 8 * GHZ), 99 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 10 * GHZ + 200), 100 * SECOND + 100);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 14 * GHZ), 102 * SECOND);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 0);
	done(&i, f);
}

/* Whether a sync that is so far from the one before it, in ticks, has a part in the times. */
static bool counts(uint32_t clock, uint64_t hz, uint64_t ticks)
{
	const uint64_t odd = clock == PITRACE_CLOCK_TSC ? 77 : ticks;
	const struct point p[] = {
		{ PITRACE_SYNC_ON, 10 * GHZ, 10 * GHZ, 1000 * SECOND },
		{ S, 10 * GHZ + ticks, 10 * GHZ + odd, 1000 * SECOND + 55 },
		{ S, 20 * GHZ, 20 * GHZ, 1010 * SECOND },
	};
	struct image i;
	struct pifile *f = with(&i, clock, hz, p, 3);
	bool is = pifile_realtime(f, 10 * GHZ + ticks) == 1000 * SECOND + 55;

	if (clock == PITRACE_CLOCK_TSC)
		CU_ASSERT_EQUAL(pifile_monotonic(f, 10 * GHZ + ticks) == 10 * GHZ + 77, is);
	done(&i, f);
	return is;
}

/* Close is 10 ms: of a clock whose rate is not known, of a nanosecond a tick. */
static void how_close(void)
{
	static const struct {
		uint32_t clock;
		uint64_t hz, near;
	} tries[] = {
		{ PITRACE_CLOCK_TSC, 3 * GHZ, 30000000 },
		{ PITRACE_CLOCK_TSC, GHZ / 2, 5000000 },
		{ PITRACE_CLOCK_TSC, 0, 10000000 },
		{ PITRACE_CLOCK_MONOTONIC, GHZ, 10000000 },
	};

	for (size_t i = 0; i < sizeof(tries) / sizeof(*tries); i++) {
		CU_ASSERT(!counts(tries[i].clock, tries[i].hz, tries[i].near - 1));
		CU_ASSERT(counts(tries[i].clock, tries[i].hz, tries[i].near));
	}
}

/* While the machine sleeps CLOCK_MONOTONIC stands still and the TSC runs. */
static void asleep(void)
{
	static const struct point p[] = {
		{ PITRACE_SYNC_ON, 10 * GHZ, 100 * SECOND, 0 },
		{ PITRACE_SYNC_SUSPEND, 12 * GHZ, 101 * SECOND, 0 },
		{ PITRACE_SYNC_RESUME, 112 * GHZ, 101 * SECOND, 50 * SECOND },
	};
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_TSC, 2 * GHZ, p, 3);

	CU_ASSERT_EQUAL(pifile_monotonic(f, 11 * GHZ), 100 * SECOND + SECOND / 2);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 60 * GHZ), 101 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 112 * GHZ), 101 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 114 * GHZ), 102 * SECOND);
	done(&i, f);
}

/* The first syncs are around a sleep: the slope before them is the one after it. */
static void asleep_at_first(void)
{
	static const struct point p[] = {
		{ PITRACE_SYNC_SUSPEND, 12 * GHZ, 100 * SECOND, 0 },
		{ PITRACE_SYNC_RESUME, 112 * GHZ, 101 * SECOND, 0 },
		{ S, 114 * GHZ, 102 * SECOND, 0 },
		{ S, 115 * GHZ, 103 * SECOND, 0 },
	};
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_TSC, 3 * GHZ, p, 4);

	CU_ASSERT_EQUAL(pifile_monotonic(f, 8 * GHZ), 98 * SECOND);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 113 * GHZ), 101 * SECOND + SECOND / 2);
	CU_ASSERT_EQUAL(pifile_monotonic(f, 117 * GHZ), 105 * SECOND);
	done(&i, f);
}

static void backwards_and_unstable(void)
{
	static const struct point p[] = {
		{ PITRACE_SYNC_ON, 10 * GHZ, 100 * SECOND, 0 },
		{ S, 12 * GHZ, 99 * SECOND, 0 },
		{ PITRACE_SYNC_UNSTABLE, 14 * GHZ, 102 * SECOND, 0 },
		{ PITRACE_SYNC_UNSTABLE, 15 * GHZ, 102 * SECOND + SECOND / 2, 0 },
	};
	struct image i;
	struct pifile *f = with(&i, PITRACE_CLOCK_TSC, 2 * GHZ, p, 4);

	CU_ASSERT_EQUAL(pifile_monotonic(f, 12 * GHZ), 101 * SECOND);
	CU_ASSERT_EQUAL(pifile_faults(f, NULL), 2);
	ASSERT_FAULT(f, 0, "unstable at stamp 14000000000");
	ASSERT_FAULT(f, 1, "1 clock syncs go backwards");
	done(&i, f);
}

/* With arbitrary syncs, time never decreases and nothing overflows (checked by the sanitizer). */
static void wild(void)
{
	static const uint64_t odd[] = { 0,
					1,
					2,
					1000,
					GHZ,
					1ull << 32,
					1ull << 62,
					1ull << 63,
					UINT64_MAX - GHZ,
					UINT64_MAX - 1,
					UINT64_MAX };
	const size_t n = sizeof(odd) / sizeof(odd[0]);
	uint64_t random = 7;

	for (int turn = 0; turn < 500; turn++) {
		struct point p[4];
		uint64_t last = 0, before = 0, stamp;
		struct image i;
		struct pifile *f;

		for (int k = 0; k < 4; k++) {
			random = random * 6364136223846793005ull + 1442695040888963407ull;
			p[k] = (struct point){ (uint32_t)(random >> 60) % 9,
					       odd[(random >> 33) % n], odd[(random >> 40) % n],
					       odd[(random >> 47) % n] };
		}
		f = with(&i, PITRACE_CLOCK_TSC, odd[turn % n], p, 4);
		for (size_t k = 0; k < n; k++)
			for (int d = -2; d <= 2; d++) {
				stamp = odd[k] + (uint64_t)(int64_t)d;
				if ((d < 0 && stamp > odd[k]) || stamp < before)
					continue;
				before = stamp;
				CU_ASSERT(pifile_monotonic(f, stamp) >= last);
				last = pifile_monotonic(f, stamp);
				pifile_realtime(f, stamp);
			}
		done(&i, f);
	}
}

static const struct unit_test tests[] = {
	{ "between_and_outside", between_and_outside },
	{ "without_syncs", without_syncs },
	{ "with_one", with_one },
	{ "monotonic_clock", monotonic_clock },
	{ "close_syncs", close_syncs },
	{ "how_close", how_close },
	{ "asleep", asleep },
	{ "asleep_at_first", asleep_at_first },
	{ "backwards_and_unstable", backwards_and_unstable },
	{ "wild", wild },
	{ 0 },
};

int main(void)
{
	return unit_run("file_time", tests);
}
