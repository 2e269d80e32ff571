/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which values of the trainer's passes count, and what is a change; which sequences can be. */
#include "passes.h"
#include "possible.h"
#include "sequence.h"
#include "unit.h"

static const uint32_t J = TYPE_JITTED, j = TYPE_JITTED + 1, I = TYPE_INTERPRETED, N = TYPE_NATIVE;

/* ---- passes ---------------------------------------------------------------------------------- */

static struct passes p;
static uint16_t s, other;

static struct pass_changes pass(uint64_t first, uint64_t second)
{
	struct pass_changes change;
	struct calibration one;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&one, 2), 0);
	one.minimum[(size_t)s * 2] = first;
	one.minimum[(size_t)s * 2 + 1] = second;
	one.times[s] = 10;
	change = passes_add(&p, &one);
	calibration_free(&one);
	return change;
}

static void begin(uint64_t step)
{
	const uint64_t steps[] = { step, 1 };

	s = sequence(J, EVENT_ENTER, j, EVENT_LEAVE, J);
	other = sequence(J, EVENT_LEAVE, j, EVENT_LEAVE, J);
	CU_ASSERT_EQUAL_FATAL(passes_init(&p, 2, steps), 0);
}

static bool changed(struct pass_changes c, uint32_t seen, uint32_t fresh, uint32_t moved,
		    uint32_t near)
{
	return c.seen == seen && c.fresh == fresh && c.moved == moved && c.near == near;
}

static void results(uint64_t first, uint64_t second, uint64_t times)
{
	struct calibration c;

	CU_ASSERT_EQUAL_FATAL(calibration_init(&c, 2), 0);
	passes_result(&p, &c);
	CU_ASSERT_EQUAL(c.minimum[(size_t)s * 2], first);
	CU_ASSERT_EQUAL(c.minimum[(size_t)s * 2 + 1], second);
	CU_ASSERT_EQUAL(c.times[s], times);
	CU_ASSERT_EQUAL(c.minimum[(size_t)other * 2], 0);
	calibration_free(&c);
	passes_free(&p);
}

/* A value that occurred once does not count, however small; when it occurs again, it does. */
static void once(void)
{
	begin(1);
	CU_ASSERT(changed(pass(220, 1000), 2, 2, 0, 0));
	CU_ASSERT(changed(pass(24, 1000), 2, 0, 0, 0));
	CU_ASSERT(changed(pass(220, 400), 2, 0, 0, 0));
	CU_ASSERT(changed(pass(300, 500), 2, 0, 1, 0));
	results(220, 500, 40);
	begin(1);
	pass(220, 1000);
	CU_ASSERT(changed(pass(24, 1000), 2, 0, 0, 0));
	CU_ASSERT(changed(pass(24, 1000), 2, 0, 1, 0));
	CU_ASSERT(changed(pass(20, 1000), 2, 0, 0, 0));
	results(24, 1000, 40);
}

/* A single pass is better than nothing; a metric may have no value. */
static void alone(void)
{
	begin(1);
	CU_ASSERT(changed(pass(220, 0), 1, 1, 0, 0));
	results(220, 0, 10);
	begin(1);
	CU_ASSERT(changed(pass(220, 0), 1, 1, 0, 0));
	CU_ASSERT(changed(pass(0, 7), 1, 1, 0, 0));
	results(220, 7, 20);
}

/* The clock advances in steps of 24.5, for example: 24 and 49 are neighbours, 24 and 50 are not. */
static void steps(void)
{
	begin(24);
	pass(49, 1000);
	pass(49, 1000);
	CU_ASSERT(changed(pass(24, 981), 2, 0, 0, 0));
	CU_ASSERT(changed(pass(24, 980), 2, 0, 0, 2));
	results(24, 981, 40);
	begin(24);
	pass(50, 100);
	CU_ASSERT(changed(pass(50, 100), 2, 0, 0, 0));
	pass(24, 99);
	CU_ASSERT(changed(pass(24, 97), 2, 0, 1, 1));
	/* Two of a hundred are few, three are not; a step of one is not a step. */
	pass(24, 96);
	CU_ASSERT(changed(pass(24, 95), 2, 0, 0, 1));
	results(24, 96, 60);
	begin(1);
	pass(10, 100);
	pass(9, 97);
	CU_ASSERT(changed(pass(9, 97), 2, 0, 2, 0));
	results(9, 97, 30);
}

/* ---- sequences ------------------------------------------------------------------------------- */

static uint32_t possible(bool probes)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < SEQUENCES; i++)
		n += sequence_why_not((uint16_t)i, probes) == CAN_BE;
	return n;
}

static bool is(bool probes, enum why_not why, uint32_t before, uint32_t came, uint32_t ran,
	       uint32_t went, uint32_t top)
{
	return sequence_why_not(sequence(before, came, ran, went, top), probes) == why;
}

static void by_classes(void)
{
	enum { En = EVENT_ENTER, Ex = EVENT_LEAVE, Xx = EVENT_UNWIND, Ca = EVENT_CAUGHT };

	/* En: 216 + 36 + 36 + 24; Ex: 3 * 216 + 24; Xx: of Java 144 + 24, of natives 3 * 72; Ca:
	 * 3 * 24 + 4. */
	CU_ASSERT_EQUAL(possible(false), 312 + 672 + 384 + 76);
	CU_ASSERT(is(false, CAN_BE, J, En, N, En, j));
	CU_ASSERT(is(false, CAN_BE, J, En, N, Ex, J));
	CU_ASSERT(is(false, NOT_ITS_CALLER, J, En, N, Ex, N));
	CU_ASSERT(is(false, NOT_ITS_CALLER, J, En, N, Xx, j));
	CU_ASSERT(is(false, NATIVE_CATCHES, J, En, N, Ca, N));
	CU_ASSERT(is(false, NOT_ITS_HANDLER, J, En, I, Ca, J));
	CU_ASSERT(is(false, NOT_ITS_HANDLER, J, Ca, I, Ex, J));
	/* A native clears an exception without a word, a Java method does not. */
	CU_ASSERT(is(false, CAN_BE, J, Xx, N, Ex, J));
	CU_ASSERT(is(false, CAN_BE, J, Xx, N, En, I));
	CU_ASSERT(is(false, NOT_CAUGHT, J, Xx, I, Ex, J));
	CU_ASSERT(is(false, CAN_BE, N, Xx, I, Ca, I));
	CU_ASSERT(is(false, NOT_ITS_CALLER, J, EVENT_POPPED, I, Ex, J));
	CU_ASSERT(is(false, NOT_ITS_CALLER, TYPE_OTHER, En, I, En, J));
}

static void by_probes(void)
{
	enum { En = EVENT_ENTER, Ex = EVENT_LEAVE, Xx = EVENT_UNWIND, Ca = EVENT_CAUGHT };

	CU_ASSERT_EQUAL(possible(true), 272 + 552 + 320);
	CU_ASSERT(is(true, PROBES_CATCH, J, En, I, Ca, I));
	CU_ASSERT(is(true, PROBES_CATCH, I, Ca, I, Ex, J));
	CU_ASSERT(is(true, PROBES_THROW, I, En, J, Xx, I));
	CU_ASSERT(is(true, PROBES_THROW, J, En, N, Xx, J));
	CU_ASSERT(is(true, CAN_BE, I, En, N, Xx, I));
	CU_ASSERT(is(true, CAN_BE, J, En, I, Xx, J));
	CU_ASSERT(is(true, CAN_BE, I, Xx, J, En, J));
	CU_ASSERT(is(true, PROBES_THROW, J, Xx, J, En, J));
	CU_ASSERT(is(true, NOT_ITS_CALLER, J, En, I, Xx, I));
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "once", once },           { "alone", alone },
		{ "steps", steps },         { "by_classes", by_classes },
		{ "by_probes", by_probes }, { NULL, NULL },
	};

	return unit_run("jprof_passes", tests);
}
