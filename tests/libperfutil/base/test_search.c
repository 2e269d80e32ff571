// SPDX-License-Identifier: GPL-3.0-or-later
/* Binary search: each place of each short list, equal elements, parts of a list, few steps. */
#include <stddef.h>
#include <stdint.h>

#include "base/search.h"
#include "unit.h"

static void test_places(void)
{
	uint32_t list[20] = { 0 }, n, k;

	for (n = 0; n <= 20; n++) {
		for (k = 0; k < n; k++)
			list[k] = 10 * k;
		for (k = 0; k < n; k++) {
			CU_ASSERT_EQUAL(search_sorted(i, 0, n, list[i] < 10 * k), k);
			CU_ASSERT_EQUAL(search_sorted(i, 0, n, list[i] <= 10 * k), k + 1);
			CU_ASSERT_EQUAL(search_sorted(i, 0, n, list[i] < 10 * k + 1), k + 1);
		}
		CU_ASSERT_EQUAL(search_sorted(i, 0, n, list[i] < 1000), n);
	}
}

static void test_equal(void)
{
	static const int list[] = { 1, 3, 3, 3, 5 };
	size_t n = 5;

	CU_ASSERT_EQUAL(search_sorted(i, 0, n, list[i] < 3), 1);
	CU_ASSERT_EQUAL(search_sorted(i, 0, n, list[i] <= 3), 4);
	/* Searching a part does not read before its begin or after its end. */
	CU_ASSERT_EQUAL(search_sorted(i, 2, n, list[i] < 3), 2);
	CU_ASSERT_EQUAL(search_sorted(i, 0, (size_t)3, list[i] <= 3), 3);
	CU_ASSERT_EQUAL(search_sorted(i, 3, (size_t)3, list[i] < 9), 3);
}

/* Ends that do not add up in their type. */
static void test_large(void)
{
	uint32_t last = UINT32_MAX, steps = 0;

	CU_ASSERT_EQUAL(search_sorted(i, 5, last, (steps++, i < UINT32_MAX - 2)), UINT32_MAX - 2);
	CU_ASSERT(steps <= 32);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "places", test_places },
		{ "equal", test_equal },
		{ "large", test_large },
		{ NULL, NULL },
	};

	return unit_run("search", tests);
}
