// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The driver's dither, compiled for user space: no interval too far from the period, the mean kept,
 * and no cycle length of a program at which ticks gather in a part of the cycle.
 */
#include <CUnit/CUnit.h>
#include <stdio.h>
#include <string.h>
#include "unit.h"
#include "core/dither.h"

#define RATES           ARRAY_LENGTH(periods)
#define ARRAY_LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* 20 kHz, 10 kHz, 997 Hz, 1 Hz */
static const unsigned int periods[] = { 50000, 100000, 1003009, 1000000000 };
static const unsigned long long seeds[] = {
	0, 1, 2, 42, 0xFFFFFFFFFFFFFFFFull, 0x123456789ABCDEFull
};

static double distance(double a, double b)
{
	return a < b ? b - a : a - b;
}

static void test_bounds(void)
{
	static const unsigned int dithers[] = { 1, 10, 50, 100 };
	unsigned int p, d, s, i;

	for (p = 0; p < RATES; p++)
		for (d = 0; d < ARRAY_LENGTH(dithers); d++)
			for (s = 0; s < ARRAY_LENGTH(seeds); s++) {
				unsigned int most = periods[p] / 1000.0 * dithers[d];
				struct dither t;

				dither_init(&t, periods[p], dithers[d], seeds[s]);
				for (i = 0; i < 50000; i++) {
					unsigned int n = dither_next(&t);

					if (n < periods[p] - most || n > periods[p] + most) {
						CU_FAIL("an interval is out of bounds");
						break;
					}
				}
			}
}

/* It must be a dither at all: intervals fill most of the room that they have. */
static void test_spread(void)
{
	struct dither t;
	unsigned int least = ~0u, most = 0, i;

	dither_init(&t, 100000, 100, 1);
	for (i = 0; i < 100000; i++) {
		unsigned int n = dither_next(&t);

		if (n < least)
			least = n;
		if (n > most)
			most = n;
	}
	CU_ASSERT(least < 92000);
	CU_ASSERT(most > 108000);
}

static void test_mean(void)
{
	unsigned int p, s, i;

	for (p = 0; p < RATES; p++)
		for (s = 0; s < ARRAY_LENGTH(seeds); s++) {
			unsigned long long sum = 0;
			struct dither t;

			dither_init(&t, periods[p], 100, seeds[s]);
			for (i = 0; i < 1000000; i++)
				sum += dither_next(&t);
			CU_ASSERT(distance((double)sum / 1e6 / periods[p], 1) < 1e-4);
		}
}

static void test_none(void)
{
	struct dither t;
	int i;

	dither_init(&t, 100000, 0, 7);
	for (i = 0; i < 1000; i++)
		CU_ASSERT(dither_next(&t) == 100000);
}

static void test_seed(void)
{
	struct dither a, b, c;
	int i, same = 0;

	dither_init(&a, 100000, 100, 5);
	dither_init(&b, 100000, 100, 5);
	dither_init(&c, 100000, 100, 6);
	for (i = 0; i < 10000; i++) {
		unsigned int n = dither_next(&a);

		CU_ASSERT(dither_next(&b) == n);
		same += dither_next(&c) == n;
	}
	CU_ASSERT(same < 100);
}

/* Tiny periods and dithers are no fault: no division by nothing, no wrap below zero. */
static void test_small(void)
{
	unsigned int period, i;
	struct dither t;

	for (period = 1; period < 200; period++) {
		dither_init(&t, period, 100, period);
		for (i = 0; i < 1000; i++) {
			unsigned int n = dither_next(&t);

			CU_ASSERT(n >= period - period / 10 && n <= period + period / 10);
		}
	}
}

/* The largest error of the shares of a program that works 16:8:4:2:1 in cycles of that length. */
static double worst_share(double cycle, unsigned int period, unsigned int per_mille,
			  unsigned long long seed, int ticks)
{
	static const double ends[] = { 16, 24, 28, 30, 31 };
	double at = 0.123, worst = 0; /* in periods */
	int hit[5] = { 0 };
	struct dither t;
	int i, k;

	dither_init(&t, period, per_mille, seed);
	for (i = 0; i < ticks; i++) {
		double phase = (at / cycle - (long)(at / cycle)) * 31;

		for (k = 0; phase >= ends[k] && k < 4; k++)
			;
		hit[k]++;
		at += (double)dither_next(&t) / period;
	}
	for (k = 0; k < 5; k++) {
		double want = (ends[k] - (k ? ends[k - 1] : 0)) / 31;
		double off = distance((double)hit[k] / ticks, want);

		if (off > worst)
			worst = off;
	}
	return worst;
}

/* Independent ticks would be off by 0.25 points (rms) at 40,000 of them: ours must be no worse,
 * and never near the percentage point that matters. */
static void test_phases(void)
{
	static const double cycles[] = { 1, 5, 1.37, 0.5, 0.1, 20, 40 };
	unsigned int c, seed;

	for (c = 0; c < ARRAY_LENGTH(cycles); c++) {
		double squares = 0, most = 0;

		for (seed = 0; seed < 200; seed++) {
			double worst = worst_share(cycles[c], 100000, 100, seed * 7919, 40000);

			squares += worst * worst;
			if (worst > most)
				most = worst;
		}
		printf("# cycle of %g periods: shares off by at most %.2f points\n", cycles[c],
		       100 * most);
		CU_ASSERT(squares / 200 < 0.0025 * 0.0025);
		CU_ASSERT(most < 0.005);
	}
}

/* The test above can fail: without the dither it does. */
static void test_phases_control(void)
{
	CU_ASSERT(worst_share(1, 100000, 0, 1, 40000) > 0.4);
	CU_ASSERT(worst_share(5, 100000, 0, 1, 40000) > 0.02);
}

int main(void)
{
	static const struct unit_test tests[] = { { "bounds", test_bounds },
						  { "spread", test_spread },
						  { "mean", test_mean },
						  { "none", test_none },
						  { "seed", test_seed },
						  { "small", test_small },
						  { "phases", test_phases },
						  { "phases_control", test_phases_control },
						  {} };

	return unit_run("dither", tests);
}
