/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorted, what is equal in its order, in few comparisons when it was nearly sorted. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "a2n/base/adaptive_sort.h"
#include "unit.h"

enum { N = 10000 };

struct item {
	uint32_t key, came;
};

static uint64_t seed = 1;
static size_t compared;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % n;
}

static int by_key(const void *p, const void *q, void *arg)
{
	const struct item *a = p, *b = q;

	++*(size_t *)arg;
	return a->key < b->key ? -1 : a->key > b->key;
}

/* Keys grow, each for three items; `moved` of them are anything. */
static bool sorts(size_t n, size_t moved)
{
	static struct item list[N];
	bool seen[N] = { false };
	size_t i;

	for (i = 0; i < n; i++)
		list[i].key = (uint32_t)i / 3;
	for (i = 0; i < moved; i++)
		list[rnd((uint32_t)n)].key = rnd((uint32_t)n);
	for (i = 0; i < n; i++)
		list[i].came = (uint32_t)i;
	compared = 0;
	adaptive_sort(list, n, sizeof(*list), by_key, &compared);
	for (i = 0; i < n; i++) {
		if (seen[list[i].came] ||
		    (i && (list[i - 1].key > list[i].key ||
			   (list[i - 1].key == list[i].key && list[i - 1].came > list[i].came))))
			return false;
		seen[list[i].came] = true;
	}
	return true;
}

static void test_sorts(void)
{
	size_t n;

	for (n = 0; n < 40; n++) {
		CU_ASSERT_TRUE(sorts(n, 0));
		CU_ASSERT_TRUE(sorts(n, n));
	}
	CU_ASSERT_TRUE(sorts(N, 1));
	CU_ASSERT_TRUE(sorts(N, 1000));
	CU_ASSERT_TRUE(sorts(N, N));
}

static void test_few_steps(void)
{
	CU_ASSERT_TRUE(sorts(N, 0));
	CU_ASSERT_EQUAL(compared, N - 1);
	CU_ASSERT_TRUE(sorts(N, 2));
	CU_ASSERT_TRUE(compared < 6 * N);
	CU_ASSERT_TRUE(sorts(N, N));
	CU_ASSERT_TRUE(compared < 20 * N);
}

int main(void)
{
	static const struct unit_test tests[] = { { "sorts", test_sorts },
						  { "few_steps", test_few_steps },
						  { NULL, NULL } };

	return unit_run("a2n_adaptive_sort", tests);
}
