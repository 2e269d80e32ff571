/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The arithmetic of log-rt with one and with several metrics: of made-up events, noted in line,
 * BASE and DELTA of each metric are what the methods took, and DELTA is what the events cost. In a
 * VM: test_jprof_metrics.sh. (Linked with --wrap=calloc.)
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call_fast.h"
#include "log_rt.h"
#include "metrics.h"
#include "unit.h"

#define METHODS 3
#define NOTED   200000

/* ---- of metrics what is asked for ------------------------------------------------------------ */

bool metrics_switches;
static uint32_t metrics;
static struct metric all[CALL_METRICS];

uint32_t metrics_count(void)
{
	return metrics;
}

const struct metric *metrics_get(uint32_t number)
{
	return &all[number];
}

/* ---- events ---------------------------------------------------------------------------------- */

static struct call_thread *thread;
static uint64_t took[METHODS + 1][CALL_METRICS]; /* by method; the last is the thread's */
static uint64_t events, in_line;

static uint32_t chance(uint32_t n)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(state >> 33) % n;
}

/* The cost of an event by a metric; the work before it takes any time, and often none. */
static uint64_t cost_of(uint32_t metric)
{
	return 101 + 37 * metric;
}

static void note(uint32_t method, bool leaves)
{
	uint64_t now[CALL_METRICS];
	struct call_reads r = { metrics, now };
	uint32_t ran = thread->nodes[thread->top].method;
	bool done;

	for (uint32_t i = 0; i < metrics; i++) {
		uint64_t d = cost_of(i) + (chance(4) ? chance(1000) * (i + 1) : 0);

		now[i] = thread->last[i] + d;
		took[ran == NO_METHOD ? METHODS : ran][i] += d;
	}
	events++;
	done = leaves ? call_leave_again(thread, method, r) :
			call_enter_again(thread, method, TYPE_JITTED, r);
	in_line += done;
	if (!done && leaves)
		call_leave(thread, method, now);
	else if (!done)
		call_enter(thread, method, TYPE_JITTED, now);
	memcpy(thread->last, now, sizeof(now));
}

static void run_program(void)
{
	uint32_t stack[8], depth = 0;

	while (events < NOTED) {
		if (depth < 5 && chance(2)) {
			stack[depth] = chance(METHODS);
			note(stack[depth++], false);
		} else if (depth) {
			note(stack[--depth], true);
		}
	}
	while (depth)
		note(stack[--depth], true);
}

/* ---- the log --------------------------------------------------------------------------------- */

static const char *name(uint32_t method)
{
	static const char *const names[METHODS] = { "a()V", "b()V", "c()V" };

	return names[method];
}

static uint32_t methods(void)
{
	return METHODS;
}

static void each(void (*one)(void *arg, const struct call_thread *t), void *arg)
{
	one(arg, thread);
}

static uint64_t refused(const char **why)
{
	(void)why;
	return 0;
}

static const struct call_source source = {
	.program = "test",
	.name = name,
	.methods = methods,
	.each = each,
	.refused = refused,
};

/* Adds a line's values up, if it is a node's. */
static bool add_line(char *line, uint64_t sums[METHODS + 1][CALL_METRICS][2])
{
	uint64_t value[3 + 2 * CALL_METRICS];
	uint32_t i, n = 3 + 2 * metrics, method = METHODS;
	char *at = line, *end;

	for (i = 0; i < n; i++, at = end) {
		value[i] = strtoull(at, &end, 10);
		if (end == at)
			return false;
	}
	for (i = 0; i < METHODS; i++)
		if (strstr(at, name(i)))
			method = i;
	for (i = 0; i < 2 * metrics; i++)
		sums[method][i / 2][i % 2] += value[3 + i];
	return true;
}

static void adds_up(uint32_t count, uint64_t least)
{
	static uint64_t sums[METHODS + 1][CALL_METRICS][2];
	struct log_rt how = { .source = &source, .values = true, .least = least };
	char line[1024];
	uint32_t nodes = 0, i, m;
	FILE *out = tmpfile();

	metrics = count;
	events = in_line = 0;
	memset(took, 0, sizeof(took));
	memset(sums, 0, sizeof(sums));
	for (i = 0; i < count; i++)
		all[i] = (struct metric){ .name = "made-up", .unit = "events", .step = 1 };
	thread = call_thread_new(count);
	CU_ASSERT_FATAL(thread && out);
	run_program();
	CU_ASSERT(in_line > events * 9 / 10 && !thread->backwards);
	call_settle(thread);
	CU_ASSERT_EQUAL_FATAL(log_rt_write(out, &how), 0);
	rewind(out);
	while (fgets(line, sizeof(line), out))
		nodes += add_line(line, sums);
	fclose(out);
	CU_ASSERT(least ? nodes > 1 && nodes < thread->used : nodes == thread->used);
	for (i = 0; i < count; i++) {
		uint64_t delta = 0, all_cost = events * cost_of(i), lines = 0, whole = 0;

		for (m = 0; m <= METHODS; m++) {
			/* The time of a line that is left out is its callers'. */
			CU_ASSERT(least || sums[m][i][0] + sums[m][i][1] == took[m][i]);
			lines += sums[m][i][0] + sums[m][i][1];
			whole += took[m][i];
			delta += sums[m][i][1];
		}
		CU_ASSERT_EQUAL(lines, whole);
		CU_ASSERT(delta > all_cost - all_cost / 100 && delta < all_cost + all_cost / 100);
	}
	call_thread_free(thread);
}

static void one(void)
{
	adds_up(1, 0);
}

static void two(void)
{
	adds_up(2, 0);
}

static void three(void)
{
	adds_up(3, 0);
}

static void most(void)
{
	adds_up(CALL_METRICS, 0);
}

static void least(void)
{
	adds_up(2, 100000);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static unsigned int refuses; /* this call of calloc */

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return refuses && !--refuses ? NULL : __real_calloc(n, size);
}

/* Whichever is refused, it says so, and keeps nothing. */
static void no_memory(void)
{
	struct log_rt how = { .source = &source, .values = true, .least = 1 };
	unsigned int n = 0;
	int rc = -ENOMEM;

	metrics = 2;
	events = 0;
	thread = call_thread_new(metrics);
	CU_ASSERT_FATAL(thread != NULL);
	run_program();
	call_settle(thread);
	while (rc && n++ < 20) {
		FILE *out = tmpfile();

		CU_ASSERT_FATAL(out != NULL);
		refuses = n;
		rc = log_rt_write(out, &how);
		CU_ASSERT(rc == -ENOMEM || !rc);
		fclose(out);
	}
	/* Two of a tree, one of sequences, and the calibration's. */
	CU_ASSERT(refuses && n > 4);
	refuses = 0;
	call_thread_free(thread);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "one", one },   { "two", two },     { "three", three },
		{ "most", most }, { "least", least }, { "no_memory", no_memory },
		{ NULL, NULL },
	};

	return unit_run("log_rt", tests);
}
