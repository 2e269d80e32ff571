/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Spreads: what is exact is exact, percentiles keep their promise, against sorted lists. */
#include <stdint.h>
#include <stdlib.h>
#include "model/spread.h"
#include "unit.h"
#include "xorshift.h"

static uint64_t state = 88172645463325252ull;

static uint64_t draw(void)
{
	return xorshift(&state);
}

static int compare(const void *pa, const void *pb)
{
	uint64_t a = *(const uint64_t *)pa, b = *(const uint64_t *)pb;

	return a < b ? -1 : a > b;
}

/* Each percentile is the sorted list's, or too high by less than 1/32 of it. */
static void judge(const struct spread *s, uint64_t *list, uint64_t n)
{
	static const unsigned int permille[] = { 1, 100, 500, 900, 950, 990, 999, 1000 };
	uint64_t total = 0, i;

	qsort(list, n, sizeof(*list), compare);
	for (i = 0; i < n; i++)
		total += list[i];
	CU_ASSERT_EQUAL(s->count, n);
	CU_ASSERT_EQUAL(s->total, total);
	CU_ASSERT_EQUAL(s->min, list[0]);
	CU_ASSERT_EQUAL(s->max, list[n - 1]);
	for (i = 0; i < sizeof(permille) / sizeof(permille[0]); i++) {
		uint64_t exact = list[(n * permille[i] + 999) / 1000 - 1];
		uint64_t got = spread_percentile(s, permille[i]);

		CU_ASSERT(got >= exact);
		CU_ASSERT(got - exact <= exact / 32);
	}
}

static void against_sorted_lists(void)
{
	static uint64_t list[5000];

	for (unsigned int shift = 0; shift < 60; shift++) {
		uint64_t n = 1 + draw() % 5000;
		struct spread s = { 0 };

		for (uint64_t i = 0; i < n; i++) {
			list[i] = draw() >> (shift + draw() % (64 - shift));
			CU_ASSERT_EQUAL(spread_add(&s, list[i]), 0);
		}
		judge(&s, list, n);
		spread_free(&s);
	}
}

static void small_values_are_exact(void)
{
	struct spread s = { 0 };

	for (uint64_t i = 0; i < 64; i++)
		spread_add(&s, i);
	for (unsigned int i = 1; i <= 64; i++)
		CU_ASSERT_EQUAL(spread_percentile(&s, i * 1000 / 64), i - 1);
	spread_free(&s);
}

static void the_ends_of_the_range(void)
{
	struct spread s = { 0 };

	CU_ASSERT_EQUAL(spread_percentile(&s, 500), 0);
	CU_ASSERT_EQUAL(spread_mean(&s), 0);
	spread_add(&s, UINT64_MAX);
	spread_add(&s, 0);
	CU_ASSERT_EQUAL(spread_percentile(&s, 500), 0);
	CU_ASSERT_EQUAL(spread_percentile(&s, 1000), UINT64_MAX);
	CU_ASSERT_EQUAL(s.min, 0);
	CU_ASSERT_EQUAL(s.max, UINT64_MAX);
	spread_free(&s);
}

static void merged(void)
{
	static uint64_t list[3000];
	struct spread a = { 0 }, b = { 0 }, none = { 0 };

	for (uint64_t i = 0; i < 3000; i++) {
		list[i] = i % 3 ? draw() % 1000 : draw() % 100000000;
		spread_add(i < 1000 ? &a : &b, list[i]);
	}
	CU_ASSERT_EQUAL(spread_merge(&a, &none), 0);
	CU_ASSERT_EQUAL(spread_merge(&a, &b), 0);
	CU_ASSERT_EQUAL(spread_merge(&none, &a), 0);
	judge(&a, list, 3000);
	judge(&none, list, 3000);
	spread_free(&a);
	spread_free(&b);
	spread_free(&none);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "against_sorted_lists", against_sorted_lists },
		{ "small_values_are_exact", small_values_are_exact },
		{ "the_ends_of_the_range", the_ends_of_the_range },
		{ "merged", merged },
		{ NULL, NULL },
	};

	return unit_run("spread", tests);
}
