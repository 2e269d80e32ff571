/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of time, in memory and in files, against a list that is sorted. */
#include <errno.h>
#include <string.h>

#include "input/perf/perf_order.h"
#include "unit.h"
#include "xorshift.h"

#define RECORDS 20000

struct want {
	uint64_t time, number;
};

static struct want want[RECORDS];

static int by_time(const void *pa, const void *pb)
{
	const struct want *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

/* A record of its number, with as many bytes behind it as the number says, mostly a few. */
static int add(struct perf_order *o, uint64_t number, uint64_t time)
{
	static union {
		uint64_t number;
		uint8_t bytes[PERF_RECORD_MAX];
	} room;
	struct perf_raw raw = { .data = room.bytes, .offset = number, .file = 3 };

	raw.size = number % 1000 == 999 ? 65528 : 8 + 8 * (uint32_t)(number % 5);
	room.number = number;
	room.bytes[raw.size - 1] = raw.size == 8 ? room.bytes[7] : (uint8_t)number;
	return perf_order_add(o, &raw, (uint32_t)number ^ 77, time);
}

static bool is(const struct perf_entry *e, const struct want *w)
{
	const struct perf_held *h = e->held;
	uint64_t number;

	memcpy(&number, h->record, sizeof(number));
	return e->time == w->time && number == w->number && h->offset == w->number &&
	       h->attr == ((uint32_t)w->number ^ 77) && h->file == 3 &&
	       (uintptr_t)h->record % 8 == 0 &&
	       (h->size == 8 || h->record[h->size - 1] == (uint8_t)w->number);
}

/* Counts the final records that are in the expected order, from *n on. -1: another record came. */
static int drain(struct perf_order *o, unsigned int *n)
{
	const struct perf_entry *e;
	int rc;

	while ((rc = perf_order_next(o, &e)) > 0) {
		if (!is(e, &want[(*n)++]))
			return -1;
	}
	return rc;
}

static void without_rounds(uint64_t most, unsigned int records, unsigned int levels)
{
	struct perf_order o = { .most = most };
	uint64_t seed = 99;
	unsigned int n = 0;
	int rc = 0;

	for (unsigned int i = 0; i < records && !rc; i++) {
		want[i] = (struct want){ xorshift(&seed) % 5000, i };
		rc = add(&o, i, want[i].time);
	}
	CU_ASSERT_EQUAL_FATAL(rc, 0);
	CU_ASSERT(o.levels >= levels && (levels || !o.levels));
	qsort(want, records, sizeof(*want), by_time);
	CU_ASSERT_EQUAL(perf_order_round(&o, true), 0);
	CU_ASSERT_EQUAL(drain(&o, &n), 0);
	CU_ASSERT_EQUAL(n, records);
	CU_ASSERT_PTR_NULL(o.level); /* nothing is left of the files */
	perf_order_free(&o);
}

static void in_memory(void)
{
	without_rounds(0, RECORDS, 0);
}

/* A record a run; three levels; the last run of a level full. */
static void away(void)
{
	without_rounds(1, 1, 1);
	without_rounds(1, 16, 1);
	without_rounds(1, 17, 2);
	without_rounds(1, 16 * 16 + 17, 3);
	without_rounds(1 << 20, RECORDS, 1);
}

/* Each round's records are later than those of the round before the last. What is away of a round
 * is given with it, and the rest stays. */
static void with_rounds(void)
{
	struct perf_order o = { .most = 300 << 10 };
	uint64_t seed = 5, greatest = 0, bound = 0;
	unsigned int n = 0, i, away = 0;
	int rc = 0;

	for (i = 0; i < RECORDS; i++)
		want[i] = (struct want){ i / 500 * 100 + xorshift(&seed) % 200, i };
	for (i = 0; i < RECORDS && !rc; i++) {
		uint64_t time = want[i].time;

		rc = add(&o, i, time);
		greatest = time > greatest ? time : greatest;
		away += o.levels != 0;
		if (i % 500 != 499 || rc)
			continue;
		CU_ASSERT_EQUAL(perf_order_round(&o, false), 0);
		{
			const struct perf_entry *e;
			uint64_t last = 0;

			while ((rc = perf_order_next(&o, &e)) > 0) {
				CU_ASSERT(e->time >= last && e->time <= bound);
				last = e->time;
				n++;
			}
		}
		bound = greatest;
	}
	CU_ASSERT_EQUAL(rc, 0);
	CU_ASSERT(away > 100);
	CU_ASSERT(n > RECORDS / 2 && n < RECORDS);
	qsort(want, RECORDS, sizeof(*want), by_time);
	CU_ASSERT_EQUAL(perf_order_round(&o, true), 0);
	CU_ASSERT_EQUAL(drain(&o, &n), 0);
	CU_ASSERT_EQUAL(n, RECORDS);
	perf_order_free(&o);
}

/* Given back in the middle, with records in memory and away, and one with the caller. */
static void left_in_the_middle(void)
{
	struct perf_order o = { .most = 600 << 10 };
	const struct perf_entry *e;

	for (unsigned int i = 0; i < RECORDS; i++)
		CU_ASSERT_EQUAL_FATAL(add(&o, i, i % 777), 0);
	CU_ASSERT_EQUAL(perf_order_round(&o, true), 0);
	for (unsigned int i = 0; i < 100; i++)
		CU_ASSERT_EQUAL(perf_order_next(&o, &e), 1);
	perf_order_free(&o);
	CU_ASSERT_PTR_NULL(o.level);
}

static void no_folder(void)
{
	struct perf_order o = { .most = 1 };
	int rc = 0;

	setenv("TMPDIR", "/nonexistent", 1);
	for (unsigned int i = 0; i < 100000 && !rc; i++)
		rc = add(&o, i, i);
	CU_ASSERT_EQUAL(rc, -ENOENT);
	unsetenv("TMPDIR");
	perf_order_free(&o);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "in_memory", in_memory },     { "away", away },
		{ "with_rounds", with_rounds }, { "left_in_the_middle", left_in_the_middle },
		{ "no_folder", no_folder },     { NULL, NULL },
	};

	return unit_run("perf_order", tests);
}
