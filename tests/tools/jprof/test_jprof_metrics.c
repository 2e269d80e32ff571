/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The metrics of the agent for Java: their names, what is refused and in which words, what reads
 * them where PTT may not, dispatches and interrupts from the module's page. In a VM:
 * test_jprof_metrics.sh.
 */
#include "metrics.h"

#include <time.h>

#include "pitrace_ptt.h"
#include "pttread.h"
#include "unit.h"

/* PTT on a machine on which no counter may be opened. */
static int refuses;

extern int __real_PttInit(int count, const char *const names[], int priv);
int __wrap_PttInit(int count, const char *const names[], int priv);

int __wrap_PttInit(int count, const char *const names[], int priv)
{
	return refuses ? refuses : __real_PttInit(count, names, priv);
}

static const char *set(const char *text)
{
	const char *why = metrics_set(text, strlen(text));

	return why ? why : "";
}

static void usual(void)
{
	uint64_t a = 0, b = 0;

	CU_ASSERT_EQUAL(metrics_count(), 1);
	CU_ASSERT_STRING_EQUAL(metrics_get(0)->name, "wall");
	CU_ASSERT_STRING_EQUAL(metrics_get(0)->unit, "cycles");
	CU_ASSERT_PTR_NOT_NULL(strstr(metrics_get(0)->resolution, " cycles ("));
	CU_ASSERT(metrics_wall_alone && !metrics_switches);
	metrics_read(&a, &a);
	metrics_read(&b, &b);
	CU_ASSERT(a && b >= a);
}

static void refused(void)
{
	CU_ASSERT_STRING_EQUAL(set("wall+wall"), "metric 'wall' is given twice");
	CU_ASSERT_STRING_EQUAL(set("tsc+wall+tsc"), "metric 'tsc' is given twice");
	CU_ASSERT_PTR_NOT_NULL(strstr(set(""), "names of metrics"));
	CU_ASSERT_PTR_NOT_NULL(strstr(set("wall+"), "names of metrics"));
	CU_ASSERT_PTR_NOT_NULL(strstr(set("+wall"), "names of metrics"));
	CU_ASSERT_STRING_EQUAL(set("a+b+c+d+e+f+g+h+i"), "at most 8 metrics at a time");
	/* The available metrics follow the unavailable ones. */
	CU_ASSERT_PTR_NOT_NULL(strstr(set("no-such-event"), "no event 'no-such-event'"));
	CU_ASSERT_PTR_NOT_NULL(strstr(set("no-such-event"), "; available: wall"));
}

/* CPU time of the thread, and elapsed time: in the requested order. */
static void times_of_threads(void)
{
	uint64_t a[CALL_METRICS] = { 0 }, b[CALL_METRICS] = { 0 };
	struct timespec wait = { .tv_nsec = 50000000 };

	CU_ASSERT_STRING_EQUAL(metrics_get(0)->source, "thread's CPU clock");
	CU_ASSERT_STRING_EQUAL(metrics_get(1)->source, "time stamp counter");
	CU_ASSERT_STRING_EQUAL(metrics_get(2)->source, "thread's CPU clock");
	CU_ASSERT_STRING_EQUAL(metrics_get(0)->unit, "ns");
	CU_ASSERT_STRING_EQUAL(metrics_get(2)->unit, "cycles");
	CU_ASSERT_PTR_NULL(metrics_thread_begin());
	CU_ASSERT_FALSE(metrics_wall_alone);
	metrics_read(a, a);
	nanosleep(&wait, NULL);
	metrics_read(b, a);
	/* Both of the clock are one read of it. */
	CU_ASSERT_EQUAL(a[2], (uint64_t)((double)a[0] * (CyclesPerSecond() * 1e-9)));
	CU_ASSERT_EQUAL(b[2], (uint64_t)((double)b[0] * (CyclesPerSecond() * 1e-9)));
	CU_ASSERT(b[1] - a[1] > CyclesPerSecond() * 0.049);
	CU_ASSERT(b[0] > a[0] && b[0] - a[0] < 40000000);
	CU_ASSERT(b[2] > a[2] && b[2] - a[2] < CyclesPerSecond() * 0.04);
	metrics_thread_end();
}

static void nobody_may(void)
{
	refuses = PI_NO_PERMISSION;
	CU_ASSERT_STRING_EQUAL(set("task-clock+wall+tsc"), "");
	times_of_threads();
	refuses = PI_NOT_SUPPORTED;
	CU_ASSERT_STRING_EQUAL(set("task-clock+wall+tsc"), "");
	times_of_threads();
	/* A clock counts no faults, and does not replace metrics that PTT has only partly. */
	CU_ASSERT_PTR_NOT_NULL(strstr(set("page-faults+tsc"), "available: wall"));
	refuses = PI_EVENT_UNSUPPORTED;
	CU_ASSERT_PTR_NOT_NULL(strstr(set("tsc"), "available: wall"));
	refuses = 0;
}

/* A read that fails is ignored: the last value stays. */
static int fails(uint64_t *values)
{
	values[0] = 99;
	return PI_NO_PROCESS;
}

/* The time of a call is in none of the counter readings, which are around it. */
static uint64_t called_at;

static int takes_time(uint64_t *values)
{
	called_at = GetCycles();
	values[0] = 5;
	values[1] = 6;
	while (GetCycles() - called_at < 100000)
		;
	return 0;
}

static void around_the_call(void)
{
	static const char *const orders[] = { "wall+task-clock+page-faults",
					      "task-clock+wall+page-faults",
					      "task-clock+page-faults+wall" };
	int (*reader)(uint64_t * values) = PttGetMetricData;

	for (uint32_t at = 0; at < 3; at++) {
		uint64_t early[CALL_METRICS] = { 0 }, late[CALL_METRICS] = { 0 };
		uint64_t before = GetCycles();

		if (*set(orders[at])) {
			unit_left_out = "this machine lets nobody count";
			return;
		}
		reader = PttGetMetricData;
		PttGetMetricData = takes_time;
		metrics_read_early(early, early);
		CU_ASSERT(early[at] >= before && early[at] <= called_at);
		metrics_read(late, late);
		CU_ASSERT(late[at] >= called_at + 100000);
		CU_ASSERT(early[at == 0] == 5 && early[2 - (at == 2)] == 6);
		CU_ASSERT(late[at == 0] == 5 && late[2 - (at == 2)] == 6);
		PttGetMetricData = reader;
	}
	CU_ASSERT_STRING_EQUAL(set("wall"), "");
}

static void by_ptt(void)
{
	uint64_t a[CALL_METRICS] = { 0 }, b[CALL_METRICS] = { 0 };
	int (*reader)(uint64_t * values);
	const char *why = set("wall+task-clock");

	if (*why) {
		unit_left_out = "this machine lets nobody count";
		return;
	}
	CU_ASSERT_PTR_NULL(metrics_thread_begin());
	CU_ASSERT_STRING_EQUAL(metrics_get(1)->unit, "ns");
	CU_ASSERT_STRING_EQUAL(metrics_get(1)->resolution, "1 ns");
	metrics_read(a, a);
	for (volatile int i = 0; i < 10000000; i++)
		;
	metrics_read(b, a);
	CU_ASSERT(b[0] > a[0] && b[1] > a[1] + 1000000);
	reader = PttGetMetricData;
	PttGetMetricData = fails;
	metrics_read(a, b);
	CU_ASSERT(a[0] > b[0] && a[1] == b[1]);
	PttGetMetricData = reader;
	metrics_thread_end();
	CU_ASSERT_STRING_EQUAL(set("wall"), "");
	CU_ASSERT(metrics_wall_alone);
}

/* The time between two events belongs to the running node; within the agent, to none. */
static void switches(void)
{
	static struct pitrace_ptt_thread page = { .dispatches = 5, .interrupts = 70 };
	struct call_thread *t = call_thread_new(1);
	uint64_t values[CALL_METRICS] = { 0 }, dispatches, interrupts;

	CU_ASSERT_PTR_NOT_NULL_FATAL(t);
	metrics_read_switches(&dispatches, &interrupts);
	CU_ASSERT(dispatches == 0 && interrupts == 0);
	PttOwn.page = &page;
	metrics_read_switches(&t->dispatches, &t->interrupts);
	page.dispatches = 6;
	metrics_read_switches(&dispatches, &interrupts);
	call_switched(t, dispatches, interrupts);
	call_enter(t, 1, TYPE_JITTED, values);
	page.interrupts = 75;
	metrics_read_switches(&t->dispatches, &t->interrupts);
	page.dispatches = 8;
	page.interrupts = 78;
	metrics_read_switches(&dispatches, &interrupts);
	call_switched(t, dispatches, interrupts);
	call_leave(t, 1, values);
	CU_ASSERT(t->nodes[0].dispatches == 1 && t->nodes[0].interrupts == 0);
	CU_ASSERT(t->nodes[1].dispatches == 2 && t->nodes[1].interrupts == 3);
	PttOwn.page = NULL;
	call_thread_free(t);
}

/* Both by one read of the counter, in any position. */
static void at_once(void)
{
	static struct pitrace_ptt_thread page = {
		.metric = { { .value = 1000, .last = 400, .how = PITRACE_HOW_CYCLES } },
	};
	uint64_t values[CALL_METRICS] = { 0 }, before;

	metrics_wall_alone = false;
	metrics_both = true;
	PttOwn.cycles = PttOwn.page = &page;
	for (metrics_at_wall = 0; metrics_at_wall < 2; metrics_at_wall++) {
		metrics_at_own = !metrics_at_wall;
		before = ReadCycles();
		metrics_read(values, values);
		CU_ASSERT(values[metrics_at_wall] >= before);
		CU_ASSERT(values[metrics_at_wall] <= ReadCycles());
		CU_ASSERT_EQUAL(values[metrics_at_own] - values[metrics_at_wall], 600);
	}
	CU_ASSERT(!metrics_switched(0, 0) && metrics_switched(1, 0) && metrics_switched(0, 1));
	PttOwn.cycles = PttOwn.page = NULL;
	CU_ASSERT(metrics_switched(0, 0));
	/* A thread without a page is read as all others are. */
	CU_ASSERT_STRING_EQUAL(set("wall"), "");
	metrics_wall_alone = false;
	metrics_both = true;
	values[0] = 0;
	metrics_read(values, values);
	CU_ASSERT(values[0] != 0);
	CU_ASSERT_STRING_EQUAL(set("wall"), "");
	CU_ASSERT(metrics_wall_alone && !metrics_both);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "usual", usual },
		{ "refused", refused },
		{ "nobody_may", nobody_may },
		{ "by_ptt", by_ptt },
		{ "switches", switches },
		{ "at_once", at_once },
		{ "around_the_call", around_the_call },
		{ NULL, NULL },
	};

	return unit_run("jprof_metrics", tests);
}
