/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ticks in slices of time: exact ones by hand, long lists compared with separate samples. */
#include <stdint.h>
#include <stdlib.h>
#include "model/slices.h"
#include "unit.h"
#include "xorshift.h"

#define SLICE (UINT64_C(1) << SLICES_SHIFT)
#define START UINT64_C(5000000000)

/* "SLICE:SUM=TICKS " of each cell. */
static const char *cells(const struct slices *s)
{
	static char text[512];
	size_t n = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < s->count && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u:%u=%u", i ? " " : "",
				      s->cell[i].slice, s->cell[i].sum,
				      (unsigned int)s->cell[i].ticks);
	return text;
}

static void at(struct slices *s, uint32_t sum, uint64_t time, uint64_t ticks)
{
	CU_ASSERT_EQUAL(slices_add(s, sum, time, time, ticks), 0);
}

static void one_time(void)
{
	struct slices s = { 0 };

	CU_ASSERT_EQUAL(slices_finish(&s), 0);
	CU_ASSERT_EQUAL(slices_count(&s), 0);
	at(&s, 1, START, 3);
	at(&s, 0, START + SLICE - 1, 4);
	at(&s, 1, START + SLICE - 1, 5);
	at(&s, 1, START + 2 * SLICE, 6);
	at(&s, 0, START + 2 * SLICE, 7);
	at(&s, 1, START + SLICE, 8); /* late */
	at(&s, 1, START + 2 * SLICE, 9);
	at(&s, 0, START - 3 * SLICE, 1); /* before all */
	CU_ASSERT_EQUAL(slices_finish(&s), 0);
	CU_ASSERT_STRING_EQUAL(cells(&s), "0:0=5 0:1=8 1:1=8 2:0=7 2:1=15");
	CU_ASSERT_EQUAL(slices_count(&s), 3);
	CU_ASSERT_EQUAL(s.from, START);
	CU_ASSERT_EQUAL(s.shift, SLICES_SHIFT);
	slices_free(&s);
	CU_ASSERT_EQUAL(slices_count(&s), 0);
	CU_ASSERT_PTR_NULL(s.cell);
}

/* Ticks of a stretch of time: a share for each of its slices. */
static void shares(void)
{
	static const struct {
		uint64_t from, to, ticks;
		const char *cells;
	} stretches[] = {
		{ 0, 3 * SLICE + SLICE / 2, 8, "0:0=2 1:0=2 2:0=2 3:0=2" },
		{ 0, 3 * SLICE + SLICE / 2, 10, "0:0=2 1:0=3 2:0=3 3:0=2" },
		{ 0, 3 * SLICE + SLICE / 2, 11, "0:0=3 1:0=3 2:0=3 3:0=2" },
		{ 0, 3 * SLICE + SLICE / 2, 2, "1:0=1 3:0=1" },
		{ 0, 3 * SLICE + SLICE / 2, 1, "3:0=1" },
		{ 0, 3 * SLICE + SLICE / 2, 0, "" },
		/* No part is in the slice behind its end. */
		{ 0, 3 * SLICE, 9, "0:0=3 1:0=3 2:0=3" },
		{ 0, 3 * SLICE, 1, "2:0=1" },
		{ SLICE, 2 * SLICE - 1, 7, "0:0=7" },
		{ SLICE - 1, SLICE, 7, "0:0=7" },
		{ SLICE, SLICE, 7, "0:0=7" },
		{ 2 * SLICE, SLICE, 7, "0:0=7" }, /* it ends before it begins */
	};

	for (size_t i = 0; i < sizeof(stretches) / sizeof(stretches[0]); i++) {
		struct slices s = { 0 };

		CU_ASSERT_EQUAL(slices_add(&s, 0, START + stretches[i].from,
					   START + stretches[i].to, stretches[i].ticks),
				0);
		CU_ASSERT_EQUAL(slices_finish(&s), 0);
		CU_ASSERT_STRING_EQUAL(cells(&s), stretches[i].cells);
		slices_free(&s);
	}
}

/* Its begin may be within a slice, or before all of them. */
static void a_begin_within(void)
{
	struct slices s = { 0 };

	at(&s, 0, START, 1);
	CU_ASSERT_EQUAL(slices_add(&s, 1, START + SLICE / 2, START + 3 * SLICE + SLICE / 2, 12), 0);
	CU_ASSERT_EQUAL(slices_add(&s, 2, START + SLICE - SLICE / 4, START + SLICE + SLICE / 4, 8),
			0);
	CU_ASSERT_EQUAL(slices_add(&s, 3, START - SLICE, START + SLICE, 8), 0);
	CU_ASSERT_EQUAL(slices_add(&s, 4, START - 2, START + SLICE, UINT64_MAX), 0);
	CU_ASSERT_EQUAL(slices_finish(&s), 0);
	CU_ASSERT_STRING_EQUAL(cells(&s),
			       "0:0=1 0:1=2 0:2=4 0:3=8 0:4=4294967295 1:1=4 1:2=4 2:1=4 3:1=2");
	slices_free(&s);
}

/* A long stretch is 4096 pieces, each at its middle, and loses nothing. */
static void a_long_stretch(void)
{
	struct slices s = { 0 };
	uint64_t sum = 0, least = UINT64_MAX, most = 0;

	CU_ASSERT_EQUAL(slices_add(&s, 2, START, START + 10000 * SLICE, 9999), 0);
	CU_ASSERT_EQUAL(slices_finish(&s), 0);
	CU_ASSERT_EQUAL(s.count, 4096);
	CU_ASSERT_EQUAL(slices_count(&s), 9999);
	for (uint32_t i = 0; i < s.count; i++) {
		sum += s.cell[i].ticks;
		least = s.cell[i].ticks < least ? s.cell[i].ticks : least;
		most = s.cell[i].ticks > most ? s.cell[i].ticks : most;
	}
	CU_ASSERT_EQUAL(sum, 9999);
	CU_ASSERT_EQUAL(least, 2);
	CU_ASSERT_EQUAL(most, 3);
	slices_free(&s);
}

/* The last slice that is as short as the first; behind it two become one. */
static void too_many_slices(void)
{
	struct slices s = { 0 };
	uint64_t end = START + SLICES_MOST * SLICE;

	CU_ASSERT_EQUAL(slices_add(&s, 3, START, START + 3 * SLICE + SLICE / 2, 1), 0);
	at(&s, 0, START, 1);
	at(&s, 0, START + SLICE, 2);
	at(&s, 1, START + SLICE, 3);
	at(&s, 0, START + 2 * SLICE, 4);
	at(&s, 0, end - 1, 5);
	CU_ASSERT_EQUAL(s.shift, SLICES_SHIFT);
	at(&s, 0, end, 6);
	CU_ASSERT_EQUAL(s.shift, SLICES_SHIFT + 1);
	at(&s, 1, START + 2 * SLICE, 7); /* in a slice that has been merged since */
	CU_ASSERT_EQUAL(slices_finish(&s), 0);
	CU_ASSERT_STRING_EQUAL(cells(&s), "0:0=3 0:1=3 1:0=4 1:1=7 1:3=1 524287:0=5 524288:0=6");
	at(&s, 0, START + 4 * SLICES_MOST * SLICE, 1);
	CU_ASSERT_EQUAL(s.shift, SLICES_SHIFT + 3);
	slices_free(&s);
}

static void other_numbers(void)
{
	static const uint32_t number[] = { 0, 1, 1, 0 };
	struct slices s = { 0 };

	for (uint32_t i = 0; i < 8; i++)
		at(&s, i % 4, START + i / 4 * SLICE, 1 + i);
	CU_ASSERT_EQUAL(slices_renumber(&s, number), 0);
	CU_ASSERT_STRING_EQUAL(cells(&s), "0:0=5 0:1=5 1:0=13 1:1=13");
	slices_free(&s);
}

static uint64_t state = 88172645463325252ull;

static uint64_t draw(void)
{
	return xorshift(&state);
}

#define SUMS    7
#define SAMPLES 20000

/* With few cells, whatever becomes one: each sample is in the slice of its time, no other. */
static void few_cells(uint32_t most, unsigned int spread)
{
	static uint64_t time[SAMPLES], want[SUMS][SAMPLES];
	struct slices s = { .most = most };
	unsigned int had = 0;

	memset(want, 0, sizeof(want));
	for (uint64_t i = 0; i < SAMPLES; i++) {
		time[i] = START + i * SLICE + draw() % (spread * SLICE);
		time[i] -= i ? 0 : time[i] - START;
		at(&s, (uint32_t)(i % SUMS), time[i], 1 + i % 3);
		CU_ASSERT(s.count <= most);
		had = s.count > had ? s.count : had;
	}
	CU_ASSERT_EQUAL(had, most);
	CU_ASSERT(s.count > most / 2 - most / 8);
	CU_ASSERT_EQUAL(slices_finish(&s), 0);
	for (uint64_t i = 0; i < SAMPLES; i++)
		want[i % SUMS][(time[i] - START) >> s.shift] += 1 + i % 3;
	for (uint32_t i = 0; i < s.count; i++) {
		const struct slices_cell *c = &s.cell[i];

		CU_ASSERT(c->ticks && c->ticks == want[c->sum][c->slice]);
		want[c->sum][c->slice] = 0;
		CU_ASSERT(!i || c[-1].slice < c->slice ||
			  (c[-1].slice == c->slice && c[-1].sum < c->sum));
	}
	for (uint32_t i = 0; i < SUMS * SAMPLES; i++)
		CU_ASSERT(!want[i / SAMPLES][i % SAMPLES]);
	slices_free(&s);
}

static void a_bound(void)
{
	few_cells(4096, 1);
	few_cells(5000, 40);
}

/* So many sums that each slice has more than the bound: 256 slices stay. */
static void more_sums_than_cells(void)
{
	struct slices s = { .most = 16 };

	for (uint32_t i = 0; i < 2000; i++)
		for (uint32_t sum = 0; sum < 20; sum++)
			at(&s, sum, START + i * SLICE, 1);
	CU_ASSERT_EQUAL(slices_finish(&s), 0);
	CU_ASSERT(slices_count(&s) >= 128 && slices_count(&s) <= 256);
	CU_ASSERT_EQUAL(s.count, 20 * slices_count(&s));
	slices_free(&s);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "one_time", one_time },
		{ "shares", shares },
		{ "a_begin_within", a_begin_within },
		{ "a_long_stretch", a_long_stretch },
		{ "too_many_slices", too_many_slices },
		{ "other_numbers", other_numbers },
		{ "a_bound", a_bound },
		{ "more_sums_than_cells", more_sums_than_cells },
		{ NULL, NULL },
	};

	return unit_run("slices", tests);
}
