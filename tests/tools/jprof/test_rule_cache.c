/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules of frames that are kept: found again as they were, never mixed up, forgotten together. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "rule_cache.h"
#include "unit.h"

static bool same(const struct frame_rule *a, const struct frame_rule *b)
{
	return a->kind == b->kind && a->by_frame == b->by_frame &&
	       a->saves_frame == b->saves_frame && a->stack == b->stack && a->back == b->back &&
	       a->frame == b->frame;
}

/* A rule that only this address has. */
static struct frame_rule rule_of(uint64_t pc)
{
	return (struct frame_rule){
		.kind = pc % 3,
		.by_frame = pc >> 4 & 1,
		.saves_frame = pc >> 5 & 1,
		.stack = (int64_t)(pc & 0x7fffff),
		.back = -(int64_t)(pc & 0x1ffff),
		.frame = -(int64_t)(pc >> 3 & 0x1ffff),
	};
}

static void found(void)
{
	uint64_t key = rule_cache_key(0x7f0012345678, false);
	struct frame_rule rule = rule_of(0x7f0012345678), is;

	CU_ASSERT_FALSE(rule_cache_find(key, &is));
	rule_cache_put(key, &rule);
	CU_ASSERT(rule_cache_find(key, &is) && same(&is, &rule));
	CU_ASSERT_FALSE(rule_cache_find(rule_cache_key(0x7f0012345678, true), &is));
	CU_ASSERT_FALSE(rule_cache_find(rule_cache_key(0x7f0012345679, false), &is));
	rule_cache_clear();
	CU_ASSERT_FALSE(rule_cache_find(key = rule_cache_key(0x7f0012345678, false), &is));
	rule_cache_put(key, &rule);
	CU_ASSERT(rule_cache_find(key, &is) && same(&is, &rule));
}

/* A rule found before the files changed does not count afterwards. */
static void late(void)
{
	uint64_t before = rule_cache_key(0x401000, false);
	struct frame_rule rule = rule_of(0x401000), is;

	rule_cache_clear();
	rule_cache_put(before, &rule);
	CU_ASSERT_FALSE(rule_cache_find(rule_cache_key(0x401000, false), &is));
}

static bool keeps(int64_t stack, int64_t back, int64_t frame)
{
	static uint64_t pc = 0x500000;
	uint64_t key = rule_cache_key(pc++, false);
	struct frame_rule rule = { FRAME_CALL, true, true, stack, back, frame }, is;

	rule_cache_put(key, &rule);
	if (!rule_cache_find(key, &is))
		return false;
	CU_ASSERT(same(&is, &rule));
	return true;
}

/* Offsets that have no room are not cut. */
static void limits(void)
{
	const int64_t stack = 1 << 23, other = 1 << 17;

	CU_ASSERT(keeps(stack - 1, other - 1, other - 1));
	CU_ASSERT(keeps(-stack, -other, -other));
	CU_ASSERT_FALSE(keeps(stack, 0, 0));
	CU_ASSERT_FALSE(keeps(-stack - 1, 0, 0));
	CU_ASSERT_FALSE(keeps(0, other, 0));
	CU_ASSERT_FALSE(keeps(0, -other - 1, 0));
	CU_ASSERT_FALSE(keeps(0, 0, other));
	CU_ASSERT_FALSE(keeps(0, 0, -other - 1));
	/* Addresses that no user code has. */
	CU_ASSERT_EQUAL(rule_cache_key(0, true), 0);
	CU_ASSERT_EQUAL(rule_cache_key(1ull << 47, true), 0);
	CU_ASSERT_NOT_EQUAL(rule_cache_key((1ull << 47) - 1, true), 0);
	CU_ASSERT_FALSE(rule_cache_find(0, &(struct frame_rule){ 0 }));
}

#define ADDRESSES 100000u /* many times what there is room for */

static atomic_uint wrong, hits;

static void *use(void *seed)
{
	uint64_t n = (uintptr_t)seed;

	for (unsigned int i = 0; i < 2000000; i++) {
		struct frame_rule rule, is;
		uint64_t pc, key;

		n = n * 6364136223846793005ull + 1442695040888963407ull;
		pc = 0x700000000000 + (n >> 33) % ADDRESSES;
		rule = rule_of(pc);
		key = rule_cache_key(pc, n >> 32 & 1);
		if (!rule_cache_find(key, &is)) {
			rule_cache_put(key, &rule);
			continue;
		}
		hits++;
		wrong += !same(&is, &rule);
	}
	return NULL;
}

/* Threads that replace each other's entries find the right rule or none. */
static void together(void)
{
	pthread_t thread[4];

	for (uintptr_t i = 0; i < 4; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&thread[i], NULL, use, (void *)(i + 1)), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
	printf("# %u found\n", hits);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT(hits > 1000);
}

static const struct unit_test tests[] = {
	{ "found", found }, { "late", late }, { "limits", limits }, { "together", together }, { 0 },
};

int main(void)
{
	return unit_run("rule_cache", tests);
}
