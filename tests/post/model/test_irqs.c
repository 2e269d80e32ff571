/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time in interrupts: nested, without their ends or beginnings, on several CPUs. */
#include "model/irqs.h"
#include "unit.h"

enum { HARD = 1, SOFT = 2 };

static const struct irq_row *row_of(const struct irqs *q, uint32_t cpu, uint32_t source,
				    uint32_t number)
{
	for (uint32_t i = 0; i < q->nrow; i++)
		if (q->row[i].cpu == cpu && q->row[i].source == source &&
		    q->row[i].number == number)
			return &q->row[i];
	CU_FAIL_FATAL("no such row");
	return NULL;
}

/* Checks the number, the time from entry to exit, and the own time. */
static void expect(const struct irqs *q, uint32_t cpu, uint32_t source, uint32_t number,
		   uint64_t count, uint64_t total, uint64_t self, uint64_t cut)
{
	const struct irq_row *r = row_of(q, cpu, source, number);

	CU_ASSERT_EQUAL(r->time.count, count);
	CU_ASSERT_EQUAL(r->time.total, total);
	CU_ASSERT_EQUAL(r->self, self);
	CU_ASSERT_EQUAL(r->cut, cut);
}

static void nested(void)
{
	struct irqs q = { 0 };

	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 7, 100), 0);
	CU_ASSERT_EQUAL(irqs_innermost(&q, 0), 0);
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, SOFT, 7, 110), 0);
	CU_ASSERT_EQUAL(irqs_innermost(&q, 0), 1);
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 8, 112), 0);
	CU_ASSERT_EQUAL(irqs_time(&q, 0, 115), 15);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, 8, 117), 0);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, SOFT, 7, 130), 0);
	CU_ASSERT_EQUAL(irqs_innermost(&q, 0), 0);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, 7, 160), 0);
	CU_ASSERT_EQUAL(irqs_innermost(&q, 0), NO_KEY);
	CU_ASSERT_EQUAL(irqs_time(&q, 0, 1000), 60);
	/* Again, in the same rows. */
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 7, 200), 0);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, 7, 203), 0);
	CU_ASSERT_EQUAL(q.nrow, 3);
	expect(&q, 0, HARD, 7, 2, 63, 43, 0);
	expect(&q, 0, SOFT, 7, 1, 20, 15, 0);
	expect(&q, 0, HARD, 8, 1, 5, 5, 0);
	CU_ASSERT_EQUAL(q.cpu[0].outer, 63);
	CU_ASSERT(irqs_add_up(&q));
	for (uint32_t i = 0; i < q.nrow; i++) {
		q.row[i].self++;
		CU_ASSERT(!irqs_add_up(&q));
		q.row[i].self--;
	}
	irqs_free(&q);
	CU_ASSERT_EQUAL(q.nrow, 0);
}

/* Each CPU has rows of its own; they know the first of their kind. */
static void by_cpu(void)
{
	struct irqs q = { 0 };

	CU_ASSERT_EQUAL(irqs_innermost(&q, 0), NO_KEY);
	CU_ASSERT_EQUAL(irqs_time(&q, 5, 9), 0);
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		CU_ASSERT_EQUAL(irqs_enter(&q, cpu, HARD, cpu ? 4 : 9, 10 * cpu), 0);
		CU_ASSERT_EQUAL(irqs_exit(&q, cpu, HARD, cpu ? 4 : 9, 11 * cpu + 1), 0);
	}
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 4, 50), 0);
	CU_ASSERT_EQUAL(irqs_innermost(&q, 0), 1);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, 4, 51), 0);
	CU_ASSERT_EQUAL(row_of(&q, 0, HARD, 9)->first, 0);
	CU_ASSERT_EQUAL(row_of(&q, 1, HARD, 4)->first, 1);
	CU_ASSERT_EQUAL(row_of(&q, 2, HARD, 4)->first, 1);
	CU_ASSERT_EQUAL(row_of(&q, 0, HARD, 4)->first, 1);
	for (uint32_t cpu = 0; cpu < 3; cpu++)
		CU_ASSERT_EQUAL(q.cpu[cpu].outer, cpu ? cpu + 1 : 2);
	CU_ASSERT(irqs_add_up(&q));
	irqs_free(&q);
}

static void ends_missing(void)
{
	struct irqs q = { 0 };

	/* Nobody saw it begin. */
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, 1, 5), 0);
	CU_ASSERT_EQUAL(q.cpu[0].stray, 1);
	/* The inner one's exit was lost: it ends with the outer one. */
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 1, 10), 0);
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 2, 14), 0);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, 1, 20), 0);
	expect(&q, 0, HARD, 1, 1, 10, 4, 0);
	expect(&q, 0, HARD, 2, 0, 0, 6, 1);
	/* It is open in another source only. */
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 1, 30), 0);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, SOFT, 1, 31), 0);
	CU_ASSERT_EQUAL(q.cpu[0].stray, 2);
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 2, 33), 0);
	irqs_cut(&q, 0, 40);
	irqs_cut(&q, 0, 50);
	irqs_cut(&q, 9, 50);
	expect(&q, 0, HARD, 1, 1, 10, 7, 1);
	expect(&q, 0, HARD, 2, 0, 0, 13, 2);
	CU_ASSERT_EQUAL(irqs_time(&q, 0, 60), 20);
	/* A clock that goes back subtracts nothing. */
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, 1, 70), 0);
	CU_ASSERT_EQUAL(irqs_time(&q, 0, 60), 20);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, 1, 60), 0);
	expect(&q, 0, HARD, 1, 2, 10, 7, 1);
	CU_ASSERT(irqs_add_up(&q));
	irqs_free(&q);
}

/* Deeper than any machine nests: all that are open are cut. */
static void too_deep(void)
{
	struct irqs q = { 0 };

	for (uint32_t i = 0; i < IRQ_DEPTH; i++)
		CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, i, i), 0);
	CU_ASSERT_EQUAL(q.cpu[0].depth, IRQ_DEPTH);
	CU_ASSERT_EQUAL(irqs_enter(&q, 0, HARD, IRQ_DEPTH, IRQ_DEPTH), 0);
	CU_ASSERT_EQUAL(q.cpu[0].depth, 1);
	for (uint32_t i = 0; i < IRQ_DEPTH; i++)
		expect(&q, 0, HARD, i, 0, 0, 1, 1);
	CU_ASSERT_EQUAL(irqs_exit(&q, 0, HARD, IRQ_DEPTH, 40), 0);
	expect(&q, 0, HARD, IRQ_DEPTH, 1, 8, 8, 0);
	CU_ASSERT_EQUAL(q.cpu[0].outer, 40);
	CU_ASSERT(irqs_add_up(&q));
	irqs_free(&q);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "nested", nested },     { "by_cpu", by_cpu }, { "ends_missing", ends_missing },
		{ "too_deep", too_deep }, { NULL, NULL },
	};

	return unit_run("irqs", tests);
}
