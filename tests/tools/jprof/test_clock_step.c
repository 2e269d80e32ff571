/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated clocks that advance in steps: the step is found, and readings are averaged to the true
 * time. */
#include <math.h>
#include <stdlib.h>

#include "calibration.h"
#include "clock_step.h"
#include "unit.h"

#define STEP 21

/* The same numbers each time. */
static uint32_t chance(uint32_t below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33) % below;
}

/* Returns the time according to a clock that advances in steps. */
static uint64_t seen_as(uint64_t took, uint64_t step)
{
	uint64_t from = chance((uint32_t)step);

	return (from + took) / step * step;
}

/* The step that reads one after the other show, which take `took`, and up to `more` more. */
static uint64_t step_found(uint64_t step, uint64_t took, uint32_t more)
{
	uint32_t times[1024] = { 0 }, i;

	for (i = 0; i < 10000; i++)
		times[seen_as(took + chance(more + 1), step)]++;
	times[chance(1024)]++;
	return clock_step_of(times, 1024, 10000);
}

static void steps(void)
{
	uint32_t times[1024] = { 0 }, i;

	CU_ASSERT_EQUAL(step_found(STEP, 30, 0), STEP);
	CU_ASSERT_EQUAL(step_found(STEP, 12, 40), STEP);
	CU_ASSERT_EQUAL(step_found(38, 50, 9), 38);
	/* Fine clocks: any difference, only even ones, always the same one, two paths through a
	 * read. */
	CU_ASSERT_EQUAL(step_found(1, 25, 12), 1);
	CU_ASSERT_EQUAL(step_found(2, 25, 12), 1);
	CU_ASSERT_EQUAL(step_found(1, 3, 0), 1);
	times[20] = times[37] = 5000;
	CU_ASSERT_EQUAL(clock_step_of(times, 1024, 10000), 1);
	times[20] = times[37] = 0;
	CU_ASSERT_EQUAL(clock_step_of(times, 1024, 10000), 1);
	/* 22.5 cycles: 22 and 23 by turns. */
	for (i = 1; i < 4; i++)
		times[45 * i / 2] = times[(45 * i + 1) / 2] = 1000;
	CU_ASSERT(clock_step_of(times, 1024, 10000) == 22 ||
		  clock_step_of(times, 1024, 10000) == 23);
}

/* 3,000 events take `took`: `pure` of a hundred are exact, the others take up to 300
 * more. */
static double evened(uint64_t took, uint32_t pure, uint32_t outliers, uint64_t *least)
{
	struct value_spread s = { 0 };

	*least = UINT64_MAX;
	for (int i = 0; i < 3000; i++) {
		uint64_t d = seen_as(took + (chance(100) < pure ? 0 : chance(300)), STEP);

		if (outliers && !chance(3000 / outliers))
			d = 0;
		spread_add(&s, d);
		*least = d < *least ? d : *least;
	}
	return (double)clock_step_even(&s, *least ? *least : 1, STEP);
}

static void even(void)
{
	struct value_spread s = { 0 };
	uint64_t least;

	for (uint64_t took = 4; took < 160; took++) {
		/* The least is too small by up to a step, the average by a tenth of one. */
		CU_ASSERT(fabs(evened(took, 100, 0, &least) - (double)took) <= 2.1);
		CU_ASSERT_EQUAL(least, took / STEP * STEP);
		CU_ASSERT(fabs(evened(took, 50, 0, &least) - (double)took) <= 4);
		CU_ASSERT(fabs(evened(took, 100, 20, &least) - (double)took) <= 3);
		CU_ASSERT_EQUAL(least, 0);
	}
	/* Where several steps have one place in the spread, half a step. */
	CU_ASSERT(fabs(evened(700, 100, 0, &least) - 700) <= STEP);
	/* A fine clock's least is the least; what took nothing is 1; nothing at all. */
	spread_add(&s, 0);
	spread_add(&s, 50);
	CU_ASSERT_EQUAL(clock_step_even(&s, 1, 1), 1);
	CU_ASSERT_EQUAL(clock_step_even(&s, 50, 1), 50);
	s = (struct value_spread){ 0 };
	spread_add(&s, 0);
	CU_ASSERT_EQUAL(clock_step_even(&s, 1, STEP), 1);
	s = (struct value_spread){ 0 };
	CU_ASSERT_EQUAL(clock_step_even(&s, 42, STEP), 42);
}

/* A hundred are sufficient for other runs, fewer only for this one; a fine clock's least always
 * counts. */
static void few(void)
{
	const uint16_t often = sequence(TYPE_JITTED, EVENT_ENTER, TYPE_JITTED, EVENT_LEAVE,
					TYPE_JITTED),
		       seldom = sequence(TYPE_JITTED, EVENT_LEAVE, TYPE_JITTED, EVENT_LEAVE,
					 TYPE_JITTED);
	const uint64_t coarse[] = { STEP, 1 };
	struct value_spread *seen = calloc((size_t)SEQUENCES * 2, sizeof(*seen));
	struct calibration c, apart;

	CU_ASSERT_FATAL(seen && !calibration_init(&c, 2) && !calibration_init(&apart, 2));
	for (int i = 0; i < CALIBRATION_TRAINED; i++) {
		spread_add(&seen[often * 2], i % 3 ? 42 : 63);
		spread_add(&seen[often * 2 + 1], i % 3 ? 42 : 63);
	}
	spread_add(&seen[seldom * 2], 21);
	spread_add(&seen[seldom * 2 + 1], 21);
	c.minimum[often * 2] = c.minimum[often * 2 + 1] = 42;
	c.minimum[seldom * 2] = c.minimum[seldom * 2 + 1] = 21;
	c.times[often] = CALIBRATION_TRAINED;
	c.times[seldom] = 1;
	calibration_even(&c, seen, coarse);
	CU_ASSERT_EQUAL(c.minimum[often * 2], 49);
	CU_ASSERT_EQUAL(c.minimum[often * 2 + 1], 42);
	calibration_take_few(&c, &apart, seen, coarse);
	CU_ASSERT_EQUAL(c.minimum[seldom * 2], 0);
	CU_ASSERT_EQUAL(c.minimum[seldom * 2 + 1], 21);
	CU_ASSERT_EQUAL(c.minimum[often * 2], 49);
	CU_ASSERT(c.times[often] == CALIBRATION_TRAINED && !c.times[seldom]);
	calibration_fill(&c, &apart);
	CU_ASSERT_EQUAL(c.minimum[seldom * 2], 21);
	CU_ASSERT_EQUAL(c.minimum[often * 2], 49);
	calibration_free(&c);
	calibration_free(&apart);
	free(seen);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "steps", steps },
		{ "even", even },
		{ "few", few },
		{ NULL, NULL },
	};

	return unit_run("clock_step", tests);
}
