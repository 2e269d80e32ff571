/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The difference of two moments: nothing is lost or counted twice, whatever happens to a slot in
 * between; selection and order of threads; the books.
 */
#include <stdlib.h>
#include <string.h>
#include "tool.h"
#include "unit.h"

#define METRICS 2u

static struct dump new_dump(int rows, uint64_t at)
{
	struct dump d = { .at = at, .cycles = 3 * at, .cpi = { -1, -1 } };

	d.info.metrics = METRICS;
	d.row = calloc((size_t)rows + 1, sizeof(*d.row));
	d.cpu = calloc(2, sizeof(*d.cpu));
	d.cpu_number = calloc(2, sizeof(*d.cpu_number));
	CU_ASSERT_FATAL(d.row && d.cpu && d.cpu_number);
	return d;
}

static void add(struct dump *d, int slot, uint64_t generation, int pid, int tid, uint64_t value,
		const char *name)
{
	struct ptt_row *r = &d->row[d->rows++];

	r->slot = slot;
	r->t = (struct ptt_thread_data){
		.pid = pid,
		.tid = tid,
		.generation = generation,
		.dispatches = value / 10,
		.interrupts = value / 100,
		.value = { value, 2 * value },
		.interrupt = { value / 2, value / 3 },
	};
	strcpy(r->t.name, name);
}

static void gone(struct dump *d, uint64_t threads, uint64_t value)
{
	d->gone = (struct pttview_gone){
		.threads = threads,
		.dispatches = value / 10,
		.interrupts = value / 100,
		.value = { value, 2 * value },
		.interrupt = { value / 2, value / 3 },
	};
}

/* Threads and those that are gone. */
static struct pttview_gone all_of(const struct dump *d)
{
	struct pttview_gone sum = d->gone;

	sum.threads = 0;
	for (int i = 0; i < d->rows; i++) {
		const struct ptt_thread_data *t = &d->row[i].t;

		sum.dispatches += t->dispatches;
		sum.interrupts += t->interrupts;
		for (unsigned int m = 0; m < METRICS; m++) {
			sum.value[m] += t->value[m];
			sum.interrupt[m] += t->interrupt[m];
		}
	}
	return sum;
}

static void is_difference(const struct dump *d, const struct dump *before, const struct dump *now)
{
	struct pttview_gone a = all_of(before), b = all_of(now), c = all_of(d);

	CU_ASSERT_EQUAL(c.dispatches, b.dispatches - a.dispatches);
	CU_ASSERT_EQUAL(c.interrupts, b.interrupts - a.interrupts);
	for (unsigned int m = 0; m < METRICS; m++) {
		CU_ASSERT_EQUAL(c.value[m], b.value[m] - a.value[m]);
		CU_ASSERT_EQUAL(c.interrupt[m], b.interrupt[m] - a.interrupt[m]);
	}
	CU_ASSERT_EQUAL(d->elapsed, now->at - before->at);
	CU_ASSERT_EQUAL(d->ticks, now->cycles - before->cycles);
}

/* One continues; one's slot has another thread by now; one's is free; one is new; first and last,
 * too. */
static void between(void)
{
	struct dump before = new_dump(8, 1000), now = new_dump(8, 5000), d;

	add(&before, 0, 1, 10, 10, 500, "free");
	add(&before, 2, 1, 10, 11, 1000, "on");
	add(&before, 3, 4, 10, 12, 300, "was");
	add(&before, 9, 1, 10, 13, 70, "free at the end");
	gone(&before, 5, 10000);
	add(&now, 1, 1, 10, 15, 40, "new");
	add(&now, 2, 1, 10, 11, 1700, "on");
	add(&now, 3, 6, 20, 20, 900, "is");
	add(&now, 5, 2, 20, 21, 80, "new");
	/* "free", "was", one in its slot that nobody saw, "free at the end". */
	gone(&now, 9, 10000 + 600 + 400 + 50 + 90);
	CU_ASSERT_EQUAL(dump_between(&d, &before, &now), 0);
	is_difference(&d, &before, &now);
	CU_ASSERT_EQUAL(d.rows, 4);
	CU_ASSERT_EQUAL(d.row[1].t.value[0], 700);
	CU_ASSERT_EQUAL(d.row[1].t.interrupt[0], 350);
	CU_ASSERT_EQUAL(d.row[2].t.value[0], 900);
	CU_ASSERT_EQUAL(d.gone.threads, 4);
	CU_ASSERT_EQUAL(d.gone.value[0], 600 + 400 + 50 + 90 - 500 - 300 - 70);
	dump_free(&d);

	/* Without activity nothing is reported. */
	CU_ASSERT_EQUAL(dump_between(&d, &now, &now), 0);
	dump_busy(&d);
	CU_ASSERT_EQUAL(d.rows, 0);
	CU_ASSERT_EQUAL(d.gone.value[0], 0);
	dump_free(&d);
	dump_free(&before);
	dump_free(&now);
}

/* Slots' threads change at random: the intervals' sum is what came from the first to the last. */
static void many(void)
{
	enum { SLOTS = 40, TURNS = 300 };
	struct {
		uint64_t generation, value;
		bool used;
	} slot[SLOTS] = { { 0 } };
	struct dump before = new_dump(SLOTS, 0), first = new_dump(SLOTS, 0), now, d;
	uint64_t lost = 0, went = 0, sum = 0;

	srand(1);
	for (uint64_t turn = 1; turn <= TURNS; turn++) {
		now = new_dump(SLOTS, turn);
		for (int i = 0; i < SLOTS; i++) {
			for (int births = rand() % 8 ? 0 : rand() % 3; births; births--) {
				lost += slot[i].used ? slot[i].value : 0;
				went += slot[i].used;
				slot[i].used = rand() % 4;
				slot[i].value = 0;
				slot[i].generation++;
			}
			slot[i].value += slot[i].used ? (uint64_t)(rand() % 1000) * 600 : 0;
			if (slot[i].used)
				add(&now, i, slot[i].generation, i, i, slot[i].value, "");
		}
		gone(&now, went, lost);
		CU_ASSERT_EQUAL(dump_between(&d, &before, &now), 0);
		is_difference(&d, &before, &now);
		sum += all_of(&d).value[0];
		dump_free(&d);
		dump_free(&before);
		before = now;
	}
	CU_ASSERT_EQUAL(sum, all_of(&before).value[0]);
	CU_ASSERT(went > 100);
	dump_free(&before);
	dump_free(&first);
}

static int misses;

static void missed(void *arg, const char *name)
{
	CU_ASSERT_STRING_EQUAL(name, arg);
	misses++;
}

static struct dump some(void)
{
	struct dump d = new_dump(8, 1);

	add(&d, 0, 1, 7, 8, 500, "worker");
	add(&d, 1, 1, 7, 7, 100, "main");
	add(&d, 2, 1, 12, 12, 900, "other");
	add(&d, 3, 1, 9, 9, 500, "a-name-that-is-");
	add(&d, 4, 1, 12, 6, 0, "12");
	return d;
}

/* Checks the remaining rows, by tids. */
static void has(const struct dump *d, const char *tids)
{
	char is[64] = "";

	for (int i = 0; i < d->rows; i++)
		snprintf(is + strlen(is), sizeof(is) - strlen(is), "%d ", d->row[i].t.tid);
	CU_ASSERT_STRING_EQUAL(is, tids);
}

static void choice(void)
{
	static const struct {
		const char *chosen, *tids, *missed;
	} cases[] = {
		{ "7", "8 7 ", NULL },
		{ "main", "8 7 ", NULL },
		{ "worker,9", "8 7 9 ", NULL },
		{ "12", "12 6 ", NULL },
		{ "a-name-that-is-cut", "9 ", NULL },
		{ "mai", "", "mai" },
		{ "6,main", "8 7 ", "6" },
		{ "", "", NULL },
		{ ",7,", "8 7 ", NULL },
		{ "main ", "", "main " },
		{ "99999999999999999999", "", "99999999999999999999" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct dump d = some();

		misses = 0;
		dump_choose(&d, cases[i].chosen, missed, (void *)cases[i].missed);
		has(&d, cases[i].tids);
		CU_ASSERT_EQUAL(misses, !!cases[i].missed);
		CU_ASSERT(d.partly);
		dump_free(&d);
	}
}

static void order(void)
{
	static const struct {
		enum sort sort;
		int by;
		const char *tids;
	} cases[] = {
		{ SORT_PROCESS, 0, "7 8 9 12 6 " },    { SORT_THREAD, 0, "6 7 8 9 12 " },
		{ SORT_DISPATCHES, 0, "12 8 9 7 6 " }, { SORT_INTERRUPTS, 0, "12 8 9 7 6 " },
		{ SORT_METRIC, 0, "12 8 9 7 6 " },     { SORT_METRIC, 1, "12 8 9 7 6 " },
	};
	struct dump d = some();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		dump_sort(&d, cases[i].sort, cases[i].by);
		has(&d, cases[i].tids);
	}
	dump_busy(&d);
	has(&d, "12 8 9 7 ");
	dump_free(&d);
}

/* Each order is by its own number, the most first, where each number says something else. */
static void orders_differ(void)
{
	static const struct {
		uint64_t dispatches, interrupts, value[METRICS];
	} of[] = {
		/* by slot: threads 8, 7, 12, 9, 6 */
		{ 10, 5, { 2, 4 } }, { 50, 1, { 4, 2 } }, { 30, 3, { 1, 5 } },
		{ 40, 2, { 5, 1 } }, { 20, 4, { 3, 3 } },
	};
	static const struct {
		enum sort sort;
		int by;
		const char *tids;
	} cases[] = {
		{ SORT_DISPATCHES, 1, "7 9 12 6 8 " },
		{ SORT_INTERRUPTS, 1, "8 6 12 9 7 " },
		{ SORT_METRIC, 0, "9 7 6 8 12 " },
		{ SORT_METRIC, 1, "12 8 6 7 9 " },
	};
	struct dump d = some();

	for (int i = 0; i < d.rows; i++) {
		d.row[i].t.dispatches = of[i].dispatches;
		d.row[i].t.interrupts = of[i].interrupts;
		memcpy(d.row[i].t.value, of[i].value, sizeof(of[i].value));
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		dump_sort(&d, cases[i].sort, cases[i].by);
		has(&d, cases[i].tids);
	}
	dump_free(&d);
}

static void books(void)
{
	struct dump d = new_dump(0, 1);

	d.cpus = 2;
	for (int c = 0; c < 2; c++)
		for (unsigned int m = 0; m < METRICS; m++)
			for (int b = 0; b < PTTVIEW_BUCKETS; b++)
				d.cpu[c].wall[m] += d.cpu[c].bucket[b][m] = 1ull << (20 * b + c);
	CU_ASSERT(dump_balanced(&d));
	d.cpu[1].wall[1]++;
	CU_ASSERT_FALSE(dump_balanced(&d));
	/* An excess on one CPU must not be hidden by a deficit on another. */
	d.cpu[0].wall[1]--;
	CU_ASSERT_FALSE(dump_balanced(&d));
	dump_free(&d);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "between", between },
		{ "many", many },
		{ "choice", choice },
		{ "order", order },
		{ "orders_differ", orders_differ },
		{ "books", books },
		{ NULL, NULL },
	};

	return unit_run("ptt_dump", tests);
}
