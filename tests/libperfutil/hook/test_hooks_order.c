// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Programs' records are handed over in the order of time, those of one time as they came, whatever
 * order they were read in; and only those that no older record can follow.
 */
#include <stdlib.h>
#include "hook/hooks_inner.h"
#include "file/record_walk.h"
#include "unit.h"
#include "xorshift.h"

#define MAJOR 0xD2
#define MANY  300000

static const uint64_t majors[4] = { [MAJOR / 64] = 1ull << MAJOR % 64, [2] = ~0ull };

/* A record: its stamp, and the number in which it was read. */
struct item {
	uint64_t stamp, number;
};
static struct item expected[MANY];
static size_t n, handed_over;
static uint64_t wrong, state = 88172645463325252ull;

static int in_order(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->stamp != y->stamp)
		return x->stamp < y->stamp ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static int sink(void *arg, const void *segment, size_t size)
{
	struct pitrace_segment h;
	struct record_walk w;
	struct record r;

	(void)arg;
	if (record_walk_begin(&w, segment, size, &h))
		return -EBADMSG;
	while (record_next(&w, &r) > 0) {
		struct pitrace_user u;
		uint64_t word = 0;

		memcpy(&u, r.data, sizeof(u));
		memcpy(&word, (const char *)r.data + sizeof(u), sizeof(word));
		wrong += w.backwards || handed_over >= n || r.major != MAJOR || u.tid != 7 ||
			 u.ints != 1 || r.size != sizeof(u) + sizeof(word) ||
			 word != expected[handed_over].number || r.minor != (uint32_t)word;
		handed_over++;
	}
	return 0;
}

static void keep(struct hooks *h, uint64_t stamp)
{
	const struct pitrace_user u = { .tid = 7, .ints = 1 };
	const uint64_t number = n;
	int err;
	uint8_t *p = hooks_order_keep(h, stamp, MAJOR, (uint32_t)n, sizeof(u) + sizeof(number),
				      &err);

	CU_ASSERT_PTR_NOT_NULL_FATAL(p);
	CU_ASSERT_EQUAL(err, 0);
	memcpy(p, &u, sizeof(u));
	memcpy(p + sizeof(u), &number, sizeof(number));
	expected[n] = (struct item){ stamp, number };
	n++;
}

static void hand_over(struct hooks *h, uint64_t known)
{
	h->known = known;
	CU_ASSERT_EQUAL(hooks_drain(h, PITRACE_RING_TRACE, true, sink, NULL), 0);
}

static struct hooks *begin(void)
{
	struct hooks *h = hooks_new(NULL, (uid_t)-1, 1 << 20, 1);

	n = handed_over = wrong = 0;
	CU_ASSERT_PTR_NOT_NULL_FATAL(h);
	CU_ASSERT_EQUAL(hooks_listen(h, majors), 0);
	return h;
}

/* As many runs as there can be, and equal stamps. */
static void test_any_order(void)
{
	struct hooks *h = begin();
	uint64_t from = h->since;

	for (int i = 0; i < 5000; i++)
		keep(h, from + xorshift(&state) % 2000);
	for (int i = 0; i < 5000; i++)
		keep(h, from + 10000 - (uint64_t)i);
	qsort(expected, n, sizeof(expected[0]), in_order);
	hand_over(h, UINT64_MAX);
	CU_ASSERT_EQUAL(handed_over, 10000);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_FALSE(hooks_order_waiting(h));
	hooks_free(h);
}

/* Data that an older record may still precede waits while its memory moves; it is returned with
 * what was read since. */
static void test_known(void)
{
	struct hooks *h = begin();
	uint64_t from = h->since;

	for (int i = 0; i < 1000; i++)
		keep(h, from + (uint64_t)(i % 10) * 100);
	qsort(expected, n, sizeof(expected[0]), in_order);
	hand_over(h, from + 799);
	CU_ASSERT_EQUAL(handed_over, 800);
	CU_ASSERT_TRUE(hooks_order_waiting(h));
	CU_ASSERT_EQUAL(hooks_order_tidy(h), 0);
	CU_ASSERT_EQUAL(h->nbytes, 200 * (sizeof(struct pitrace_user) + sizeof(uint64_t)));
	for (int i = 0; i < 100; i++)
		keep(h, from + 850);
	qsort(expected, n, sizeof(expected[0]), in_order);
	hand_over(h, from + 850);
	CU_ASSERT_EQUAL(handed_over, 1000);
	hand_over(h, UINT64_MAX);
	CU_ASSERT_EQUAL(handed_over, 1100);
	CU_ASSERT_EQUAL(wrong, 0);
	hooks_free(h);
}

/* A burst is to be handed over before more is read; its memory is given back when it has passed. */
static void test_burst(void)
{
	struct hooks *h = begin();
	uint64_t from = h->since;

	CU_ASSERT_FALSE(hooks_hold_much(h));
	for (uint64_t i = 0; i < MANY; i++)
		keep(h, from + i);
	CU_ASSERT_TRUE(hooks_hold_much(h));
	hand_over(h, UINT64_MAX);
	CU_ASSERT_EQUAL(handed_over, MANY);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(hooks_order_tidy(h), 0);
	CU_ASSERT_FALSE(hooks_hold_much(h));
	CU_ASSERT_NOT_EQUAL(h->bytes.size, 0);
	CU_ASSERT_EQUAL(hooks_order_tidy(h), 0);
	CU_ASSERT_EQUAL(h->bytes.size, 0);
	CU_ASSERT_EQUAL(h->index[PITRACE_RING_TRACE].size, 0);
	CU_ASSERT_EQUAL(h->other.size, 0);
	hooks_free(h);
}

static const struct unit_test tests[] = {
	{ "any_order", test_any_order },
	{ "known", test_known },
	{ "burst", test_burst },
	{ 0 },
};

int main(void)
{
	return unit_run("hooks_order", tests);
}
