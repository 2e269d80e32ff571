// SPDX-License-Identifier: GPL-3.0-or-later
/* Arrays that grow: what they keep, how often they are copied, and what they refuse. */
#include <stdlib.h>

#include "base/array.h"
#include "unit.h"

static void test_next(void)
{
	uint32_t *list = NULL, n = 0, room = 0, moves = 0;

	for (; n < 100000; n++) {
		moves += n == room;
		CU_ASSERT_FATAL(!array_next(list, n, room));
		CU_ASSERT_FATAL(room > n);
		list[n] = n * 3;
	}
	for (n = 0; n < 100000 && list[n] == n * 3; n++)
		;
	CU_ASSERT_EQUAL(n, 100000);
	CU_ASSERT(moves > 5 && moves < 30);
	CU_ASSERT(room < 160000);
	free(list);
}

static void test_room(void)
{
	struct big {
		char bytes[1000];
	} *one = NULL;
	uint32_t few = 0;
	char *text = NULL;
	size_t room = 0;

	/* As much as is wanted at once; what is large begins with few. */
	CU_ASSERT(!array_room(text, room, 1u << 20));
	CU_ASSERT_EQUAL(room, 1u << 20);
	CU_ASSERT(!array_room(text, room, 5));
	CU_ASSERT_EQUAL(room, 1u << 20);
	CU_ASSERT(!array_next(one, 0u, few));
	CU_ASSERT_EQUAL(few, 1);
	free(text);
	free(one);
}

static void test_reach(void)
{
	struct pair {
		uint64_t a, b;
	} *list = NULL;
	uint32_t count = 0, had, i;

	CU_ASSERT_FATAL(!array_reach(list, count, 9u));
	CU_ASSERT_FATAL(count >= 10);
	for (i = 0; i < count; i++) {
		CU_ASSERT(!list[i].a && !list[i].b);
		list[i].a = list[i].b = ~0ull;
	}
	had = count;
	CU_ASSERT(!array_reach(list, count, had - 1));
	CU_ASSERT_EQUAL(count, had);
	CU_ASSERT_FATAL(!array_reach(list, count, had));
	CU_ASSERT_FATAL(count > had);
	CU_ASSERT(list[had - 1].a == ~0ull && list[had - 1].b == ~0ull);
	for (i = had; i < count; i++)
		CU_ASSERT(!list[i].a && !list[i].b);
	free(list);
}

/* More than the number of the room can hold, or than there are addresses: nothing has changed. */
static void test_refused(void)
{
	uint64_t *list = NULL, wide = 0;
	uint8_t narrow = 0;
	uint32_t n = 0;

	for (; n < 255; n++) {
		CU_ASSERT_FATAL(!array_next(list, n, narrow));
		list[n] = n;
	}
	CU_ASSERT_EQUAL(narrow, 255);
	CU_ASSERT_EQUAL(array_next(list, n, narrow), -ENOMEM);
	CU_ASSERT(narrow == 255 && list[254] == 254);
	wide = narrow;
	CU_ASSERT_EQUAL(array_room(list, wide, 1ull << 61), -ENOMEM);
	CU_ASSERT_EQUAL(array_room(list, wide, UINT64_MAX / 8), -ENOMEM);
	CU_ASSERT_EQUAL(array_reach(list, wide, UINT64_MAX / 16), -ENOMEM);
	CU_ASSERT(wide == 255 && list[254] == 254);
	/* n + 1 does not wrap to no need at all. */
	CU_ASSERT_EQUAL(array_next(list, (uint32_t)UINT32_MAX, narrow), -ENOMEM);
	free(list);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "next", test_next },       { "room", test_room }, { "reach", test_reach },
		{ "refused", test_refused }, { NULL, NULL },
	};

	return unit_run("array", tests);
}
