/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wall time divided among the threads that run. */
#include "model/wall_shares.h"
#include "unit.h"

static uint64_t sum(const struct wall_shares *s)
{
	uint64_t all = s->nobody + s->others;

	for (uint32_t i = 0; i < s->nrow; i++)
		all += s->row[i];
	return all;
}

static void run(struct wall_shares *s, uint32_t cpu, uint32_t row, uint64_t time)
{
	CU_ASSERT_EQUAL(shares_run(s, cpu, row, time), 0);
}

static void by_hand(void)
{
	struct wall_shares s = { 0 };

	shares_begin(&s, 1000);
	run(&s, 0, 5, 1010);             /* nobody for 10 */
	run(&s, 1, 6, 1020);             /* 5 alone for 10 */
	run(&s, 2, SHARES_OTHERS, 1040); /* two for 20 */
	run(&s, 0, SHARES_IDLE, 1070);   /* three for 30 */
	run(&s, 2, SHARES_IDLE, 1072);   /* two for 2 */
	run(&s, 1, 5, 1075);             /* 6 alone for 3 */
	CU_ASSERT_EQUAL(shares_end(&s, 1100), 0);
	CU_ASSERT_EQUAL(s.wall, 100);
	CU_ASSERT_EQUAL(s.nobody, 10);
	CU_ASSERT_EQUAL(s.others, 11);
	CU_ASSERT_EQUAL(s.row[5], 10 + 10 + 10 + 25);
	CU_ASSERT_EQUAL(s.row[6], 10 + 10 + 1 + 3);
	CU_ASSERT_EQUAL(sum(&s), s.wall);
	/* A pause is not wall time. */
	shares_begin(&s, 5000);
	run(&s, 0, 6, 4000); /* as old as nothing: no time goes backwards */
	CU_ASSERT_EQUAL(shares_end(&s, 5007), 0);
	CU_ASSERT_EQUAL(s.wall, 107);
	CU_ASSERT_EQUAL(s.row[6], 31);
	shares_free(&s);
}

/* A remainder is given to one of them, so that the sum is exact. */
static void at_random(void)
{
	struct wall_shares s = { 0 };
	uint64_t now = 0;
	uint32_t seed = 1;

	shares_begin(&s, 0);
	for (int i = 0; i < 50000; i++) {
		seed = seed * 1103515245 + 12345;
		now += (seed >> 8) % 50;
		run(&s, (seed >> 16) % 7, (seed >> 20) % 4 ? (seed >> 12) % 20 : SHARES_IDLE, now);
	}
	CU_ASSERT_EQUAL(shares_end(&s, now + 13), 0);
	CU_ASSERT_EQUAL(s.wall, now + 13);
	CU_ASSERT_EQUAL(sum(&s), s.wall);
	CU_ASSERT(s.nobody < s.wall / 10);
	shares_free(&s);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "by_hand", by_hand },
		{ "at_random", at_random },
		{ NULL, NULL },
	};

	return unit_run("wall_shares", tests);
}
