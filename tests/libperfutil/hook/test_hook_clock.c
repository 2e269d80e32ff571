/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs of the processor's clock and the kernel's: what is between two of them, how many are kept,
 * and when one takes another's place. Pairs are made by hand, and by the clocks where programs can
 * read the processor's.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/now.h"
#include "hook/hook_clock.h"
#include "hook/hookfile.h"
#include "unit.h"

static struct hook_clock c;

static void begin(void)
{
	hook_clock_begin(&c);
	c.tsc = true;
}

static void add(uint64_t stamp, uint64_t ns)
{
	c.pair[c.n++] = (struct hook_clock_pair){ stamp, ns };
}

static void test_between(void)
{
	begin();
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 77), 77); /* there is no pair yet */
	add(1000, 500);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 1), 500);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 9999), 500);
	add(2000, 1000);
	add(4000, 1400);
	add(4100, 2400);
	add(1ull << 63, 1ull << 62);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 999), 500);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 1000), 500);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 1500), 750);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 2000), 1000);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 3000), 1200);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 4000), 1400);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 4099), 2390);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 4100), 2400);
	/* No product of 64 bits is cut. */
	CU_ASSERT(hook_clock_ns(&c, 1ull << 62) / 1000000 == (1ull << 61) / 1000000);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, UINT64_MAX), 1ull << 62);
	hook_clock_restart(&c);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 1500), 1500);
}

/* A trace with the processor's own stamps, or with only the kernel's clock: nothing is
 * converted. */
static void test_as_it_is(void)
{
	begin();
	add(1000, 500);
	add(2000, 1000);
	c.tsc = false;
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 1500), 1500);
	CU_ASSERT(hook_clock_pair(&c) <= now_ns());
	CU_ASSERT_EQUAL(c.n, 2);
	begin();
	add(1000, 500);
	if (!hook_clock_be_raw(&c))
		return;
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 1500), 1500);
	CU_ASSERT_EQUAL(c.n, 1);
}

/* The kernel's word decides. */
static void test_chosen(void)
{
	char name[16] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");

	if (f && !fgets(name, sizeof(name), f))
		*name = '\0';
	if (f)
		fclose(f);
	hook_clock_begin(&c);
	CU_ASSERT_EQUAL(c.tsc, hook_clock_be_raw(&c) && !strcmp(name, "tsc\n"));
}

static bool readable(void)
{
	struct hook_clock other;

	hook_clock_begin(&other);
	return hook_clock_be_raw(&other);
}

static void test_clocks(void)
{
	uint64_t stamp, then, ns, last;

	if (!readable())
		return;
	begin();
	last = hook_clock_pair(&c);
	CU_ASSERT_EQUAL(c.n, 1);
	/* The first is never replaced; later ones are, 50 ms long. */
	hook_clock_pair(&c);
	CU_ASSERT_EQUAL(c.n, 2);
	usleep(1000);
	CU_ASSERT(hook_clock_pair(&c) > last);
	CU_ASSERT_EQUAL(c.n, 2);
	stamp = hookfile_now(true);
	then = now_ns();
	usleep(60000);
	last = hook_clock_pair(&c);
	CU_ASSERT_EQUAL(c.pair[c.n - 1].stamp, last);
	CU_ASSERT_EQUAL(c.n, 2);
	hook_clock_pair(&c);
	CU_ASSERT_EQUAL(c.n, 3);
	CU_ASSERT(c.pair[0].stamp < c.pair[1].stamp && c.pair[1].stamp < c.pair[2].stamp);
	CU_ASSERT(c.pair[0].ns < c.pair[1].ns && c.pair[1].ns < c.pair[2].ns);
	/* This thread may have been off its CPU between the two. */
	ns = hook_clock_ns(&c, stamp);
	CU_ASSERT(ns < then + 5000000 && ns + 20000000 > then);
}

#define APART 60000000ull /* ns */

static void test_many(void)
{
	if (!readable())
		return;
	begin();
	for (uint64_t i = 0; i < HOOK_CLOCK_PAIRS; i++)
		add(10 + 10 * i, 1 + i * APART);
	hook_clock_pair(&c);
	CU_ASSERT_EQUAL(c.n, HOOK_CLOCK_PAIRS / 2 + 1);
	for (uint64_t i = 0; i < HOOK_CLOCK_PAIRS / 2; i++)
		CU_ASSERT(c.pair[i].stamp == 10 + 20 * i && c.pair[i].ns == 1 + 2 * i * APART);
	CU_ASSERT(c.pair[c.n - 1].stamp > 10 * HOOK_CLOCK_PAIRS);
	CU_ASSERT_EQUAL(hook_clock_ns(&c, 20), 1 + APART);
}

/* A clock that was set back, or does not advance, makes no pair. */
static void test_back(void)
{
	uint64_t stamp = UINT64_MAX - 1;

	if (!readable())
		return;
	begin();
	add(stamp, 5);
	CU_ASSERT_EQUAL(hook_clock_pair(&c), stamp);
	CU_ASSERT_EQUAL(c.n, 1);
	begin();
	add(5, UINT64_MAX - 1);
	CU_ASSERT_EQUAL(hook_clock_pair(&c), 5);
	CU_ASSERT_EQUAL(c.n, 1);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "between", test_between },
		{ "as_it_is", test_as_it_is },
		{ "chosen", test_chosen },
		{ "clocks", test_clocks },
		{ "many", test_many },
		{ "back", test_back },
		{ NULL, NULL },
	};

	return unit_run("hook_clock", tests);
}
