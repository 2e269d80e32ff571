// SPDX-License-Identifier: GPL-3.0-or-later
/* The hash table: each of many is found, among others of its hash too, and nothing else is. */
#include "base/keys.h"
#include "unit.h"

struct pair {
	uint32_t a, b;
};

static uint32_t find(const struct keys *t, const struct pair *list, uint64_t hash, uint32_t a,
		     uint32_t b)
{
	return keys_find(t, hash, list, p, p->a == a && p->b == b);
}

static void check(uint64_t (*hash)(uint32_t a, uint32_t b), uint32_t side)
{
	uint32_t n = 0, room = 0, a, b;
	struct pair *list = NULL;
	struct keys t = { 0 };

	CU_ASSERT_EQUAL(find(&t, list, 0, 1, 2), NO_KEY);
	for (a = 0; a < side; a++) {
		for (b = 0; b < side; b++) {
			CU_ASSERT_FATAL(find(&t, list, hash(a, b), a, b) == NO_KEY);
			CU_ASSERT_FATAL(!keys_next(&t, hash(a, b), list, n, room));
			list[n++] = (struct pair){ a, b };
		}
	}
	CU_ASSERT_EQUAL(t.used, n);
	for (a = 0; a < side; a++)
		for (b = 0; b < side; b++)
			CU_ASSERT_FATAL(find(&t, list, hash(a, b), a, b) == a * side + b);
	CU_ASSERT_EQUAL(find(&t, list, hash(side, 0), side, 0), NO_KEY);
	/* The table stays short of full, or a search for what is not there would not end. */
	CU_ASSERT(t.used <= (t.mask + 1ull) / 4 * 3);
	keys_free(&t);
	CU_ASSERT(!t.slots && !t.used);
	CU_ASSERT_EQUAL(find(&t, list, hash(0, 0), 0, 0), NO_KEY);
	free(list);
}

static uint64_t mixed(uint32_t a, uint32_t b)
{
	return hash_mix((uint64_t)a << 32 | b, 1);
}

static uint64_t alike(uint32_t a, uint32_t b)
{
	(void)b;
	return 0xfffffffffffffff0ull + a % 2;
}

static void test_many(void)
{
	check(mixed, 400);
}

/* All in two runs, which go over the end of the table and into each other. */
static void test_collisions(void)
{
	check(alike, 30);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "many", test_many },
		{ "collisions", test_collisions },
		{ NULL, NULL },
	};

	return unit_run("keys", tests);
}
