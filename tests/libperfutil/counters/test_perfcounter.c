// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Single counters by software events, which every machine counts: dispatches of all CPUs against
 * the kernel's own total, read before and after; page faults of one CPU; stop, resume, reset; what
 * is refused; events by number and name.
 */
#include <inttypes.h>
#include <perfcounter.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "unit.h"

#define PAGES 2000u

static bool refused_here; /* this user may not count on CPUs */

static int begin(const char *event)
{
	int counter = InitPerfCounterEvent(event, TRACE_PRIV_ANY);

	if (counter < 0)
		printf("# %s\n", TraceLastError());
	CU_ASSERT_FATAL(counter >= 0);
	return counter;
}

static uint64_t value_of(int counter, int cpu)
{
	uint64_t value = UINT64_MAX;

	CU_ASSERT_EQUAL_FATAL(ReadPerfCounterEvent(counter, cpu, &value), 0);
	return value;
}

/* All dispatches since boot. */
static uint64_t switches(void)
{
	FILE *f = fopen("/proc/stat", "re");
	unsigned long long n = 0;
	size_t room = 0;
	char *line = NULL;

	while (f && getline(&line, &room, f) > 0)
		if (sscanf(line, "ctxt %llu", &n) == 1)
			break;
	free(line);
	if (f)
		fclose(f);
	return n;
}

static void touch(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	CU_ASSERT_FATAL(p != MAP_FAILED);
	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		p[i * page] = 1;
	munmap(p, PAGES * page);
}

static void test_dispatches(void)
{
	uint64_t outer = switches(), inner, had, sum = 0, end;
	int counter;

	if (refused_here)
		return;
	counter = begin("context-switches");
	inner = switches();
	for (int i = 0; i < 100; i++)
		usleep(500);
	end = switches();
	CU_ASSERT_EQUAL(StopPerfCounterEvent(counter), 0);
	outer = switches() - outer;
	had = value_of(counter, -1);
	printf("# %" PRIu64 " dispatches, the kernel says %" PRIu64 " to %" PRIu64 "\n", had,
	       end - inner, outer);
	CU_ASSERT(had >= end - inner && had <= outer && had >= 100);
	/* It stays constant; and the CPUs' values are its parts. */
	usleep(10000);
	CU_ASSERT_EQUAL(value_of(counter, -1), had);
	for (int cpu = 0; cpu < 8192; cpu++) {
		uint64_t one;

		if (!ReadPerfCounterEvent(counter, cpu, &one))
			sum += one;
	}
	CU_ASSERT_EQUAL(sum, had);
	CU_ASSERT_EQUAL(TerminatePerfCounterEvent(counter), 0);
}

static void test_states(void)
{
	cpu_set_t all, one;
	int counter, cpu;
	uint64_t had;

	if (refused_here)
		return;
	sched_getaffinity(0, sizeof(all), &all);
	cpu = sched_getcpu();
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CU_ASSERT_EQUAL_FATAL(sched_setaffinity(0, sizeof(one), &one), 0);
	counter = begin("page-faults:u");
	touch();
	had = value_of(counter, cpu);
	CU_ASSERT(had >= PAGES);
	CU_ASSERT_EQUAL(StopPerfCounterEvent(counter), 0);
	had = value_of(counter, cpu);
	touch();
	CU_ASSERT_EQUAL(value_of(counter, cpu), had);
	/* In the state already reached. */
	CU_ASSERT_EQUAL(StopPerfCounterEvent(counter), 0);
	CU_ASSERT_EQUAL(ResetPerfCounterEvent(counter), 0);
	CU_ASSERT_EQUAL(value_of(counter, cpu), 0);
	CU_ASSERT_EQUAL(value_of(counter, -1), 0);
	CU_ASSERT_EQUAL(ResumePerfCounterEvent(counter), 0);
	CU_ASSERT_EQUAL(ResumePerfCounterEvent(counter), 0);
	touch();
	CU_ASSERT(value_of(counter, cpu) >= PAGES);
	/* Also while it counts. */
	had = value_of(counter, cpu);
	CU_ASSERT_EQUAL(ResetPerfCounterEvent(counter), 0);
	CU_ASSERT(value_of(counter, cpu) < had);
	CU_ASSERT_EQUAL(TerminatePerfCounterEvent(counter), 0);
	sched_setaffinity(0, sizeof(all), &all);
}

static void test_refused(void)
{
	uint64_t value;

	CU_ASSERT_EQUAL(InitPerfCounterEvent("no-such-event", TRACE_PRIV_ANY),
			PI_EVENT_UNSUPPORTED);
	CU_ASSERT_EQUAL(InitPerfCounterEvent("cs,faults", TRACE_PRIV_ANY), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(InitPerfCounterEvent(NULL, TRACE_PRIV_ANY), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(InitPerfCounterEvent("cs", 77), PI_BAD_PRIVILEGE);
	for (int counter = -1; counter <= PERF_COUNTERS; counter += PERF_COUNTERS / 2) {
		CU_ASSERT_EQUAL(ReadPerfCounterEvent(counter, -1, &value), PI_NOT_INITIALIZED);
		CU_ASSERT_EQUAL(StopPerfCounterEvent(counter), PI_NOT_INITIALIZED);
		CU_ASSERT_EQUAL(ResumePerfCounterEvent(counter), PI_NOT_INITIALIZED);
		CU_ASSERT_EQUAL(ResetPerfCounterEvent(counter), PI_NOT_INITIALIZED);
		CU_ASSERT_EQUAL(TerminatePerfCounterEvent(counter), PI_NOT_INITIALIZED);
	}
}

static void test_all_numbers(void)
{
	int counter[PERF_COUNTERS];
	uint64_t value;

	if (refused_here)
		return;
	for (int i = 0; i < PERF_COUNTERS; i++) {
		counter[i] = begin("cs");
		CU_ASSERT_EQUAL(counter[i], i);
	}
	CU_ASSERT_EQUAL(InitPerfCounterEvent("cs", TRACE_PRIV_ANY), PI_TOO_MANY_METRICS);
	CU_ASSERT_EQUAL(ReadPerfCounterEvent(0, 8191, &value), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(TerminatePerfCounterEvent(5), 0);
	CU_ASSERT_EQUAL(ReadPerfCounterEvent(5, -1, &value), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(begin("page-faults:u"), 5);
	for (int i = 0; i < PERF_COUNTERS; i++)
		CU_ASSERT_EQUAL(TerminatePerfCounterEvent(i), 0);
}

static void test_events(void)
{
	struct perf_counter_event e, again;
	int n = GetPerfCounterEventCount(), faults, own;

	CU_ASSERT_FATAL(n > 20);
	for (int id = 0; id < n; id++) {
		CU_ASSERT_EQUAL_FATAL(GetPerfCounterEvent(id, &e), 0);
		CU_ASSERT_FATAL(e.name && *e.name && e.description && e.source && *e.source);
		if (GetPerfCounterEventId(e.name) != id)
			CU_FAIL_FATAL("a name has another number");
	}
	faults = GetPerfCounterEventId("page-faults");
	CU_ASSERT_EQUAL_FATAL(GetPerfCounterEvent(faults, &e), 0);
	CU_ASSERT_STRING_EQUAL(e.name, "page-faults");
	CU_ASSERT_STRING_EQUAL(e.description, "page faults");
	CU_ASSERT_STRING_EQUAL(e.source, "kernel");
	/* One that no list has: it gets a number, and keeps it. */
	own = GetPerfCounterEventId("page-faults:u");
	CU_ASSERT(own == n && GetPerfCounterEventCount() == n + 1);
	CU_ASSERT_EQUAL(GetPerfCounterEventId("page-faults:u"), own);
	CU_ASSERT_EQUAL_FATAL(GetPerfCounterEvent(own, &again), 0);
	CU_ASSERT_STRING_EQUAL(again.name, "page-faults:u");
	CU_ASSERT_EQUAL(GetPerfCounterEvent(n + 1, &again), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(GetPerfCounterEvent(-1, &again), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(GetPerfCounterEventId("no-such-event"), PI_EVENT_UNSUPPORTED);
	CU_ASSERT_EQUAL(GetPerfCounterEventId("cs,faults"), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(GetPerfCounterEventId(NULL), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(GetPerfCounterEventCount(), n + 1);
	CU_ASSERT_STRING_EQUAL(e.name, "page-faults");
}

static const struct unit_test tests[] = {
	{ "refused", test_refused }, { "dispatches", test_dispatches },
	{ "states", test_states },   { "all_numbers", test_all_numbers },
	{ "events", test_events },   { 0 },
};

int main(void)
{
	int counter = InitPerfCounterEvent("cs", TRACE_PRIV_ANY);

	refused_here = counter == PI_NO_PERMISSION;
	if (refused_here)
		printf("skip perfcounter_counts %s\n", TraceLastError());
	else
		TerminatePerfCounterEvent(counter);
	return unit_run("perfcounter", tests);
}
