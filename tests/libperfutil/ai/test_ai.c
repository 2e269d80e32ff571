// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * AboveIdle: accounts that balance whatever a collector reports; the texts of /proc; its values for
 * this machine compared with the kernel's own totals, read before and after; shares that add up.
 */
#include <ai.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "ai/ai_source.h"
#include "base/proc_text.h"
#include "ai_span.h"
#include "unit.h"

#define CPUS 512

/* ---- books ----------------------------------------------------------------------------------- */

static bool balances(const struct ai_counters *c)
{
	return c->idle + c->busy + c->interrupt == c->current;
}

static bool steps_back(const struct ai_counters *now, const struct ai_counters *then)
{
	return now->current < then->current || now->idle < then->idle || now->busy < then->busy ||
	       now->interrupt < then->interrupt || now->interrupts < then->interrupts ||
	       now->dispatches < then->dispatches;
}

static struct ai_counters booked(struct ai_book *b, uint64_t wall, uint64_t idle,
				 uint64_t interrupt)
{
	ai_book(b, &(struct ai_raw){ .cpu = 3,
				     .online = true,
				     .whole = true,
				     .wall = wall,
				     .idle = idle,
				     .interrupt = interrupt,
				     .dispatches = wall });
	return b->given;
}

static void test_books(void)
{
	struct ai_book b = { 0 };
	struct ai_counters c;

	/* The first is what the others are set against. */
	c = booked(&b, 1000, 700, 50);
	CU_ASSERT(!c.current && !c.idle && !c.dispatches && c.cpu == 3 && c.online);
	c = booked(&b, 1100, 760, 60);
	CU_ASSERT(c.current == 100 && c.idle == 60 && c.interrupt == 10 && c.busy == 30);
	CU_ASSERT_EQUAL(c.dispatches, 100);
	/* More idle time than elapsed time was reported late. The rest is booked with the next
	 * reading. */
	c = booked(&b, 1110, 790, 65);
	CU_ASSERT(c.current == 110 && c.idle == 70 && c.interrupt == 10 && c.busy == 30);
	c = booked(&b, 1140, 790, 65);
	CU_ASSERT(c.current == 140 && c.idle == 90 && c.interrupt == 15 && c.busy == 35);
	/* A counter that decreases counts as 0. */
	c = booked(&b, 1150, 780, 60);
	CU_ASSERT(c.current == 150 && c.idle == 90 && c.interrupt == 15 && c.busy == 45);
}

static void test_books_off_line(void)
{
	struct ai_book b = { 0 };
	struct ai_counters c;

	booked(&b, 100, 0, 0);
	c = booked(&b, 200, 40, 0);
	ai_book(&b, &(struct ai_raw){ .cpu = 3, .wall = 900, .idle = 900 });
	CU_ASSERT(b.given.current == 100 && b.given.idle == 40 && !b.given.online);
	/* Online again: the time in between is not counted. */
	c = booked(&b, 5000, 4000, 1000);
	CU_ASSERT(c.current == 100 && c.idle == 40 && c.online);
	c = booked(&b, 5010, 4010, 1000);
	CU_ASSERT(c.current == 110 && c.idle == 50 && c.busy == 60 && balances(&c));
}

static void test_books_unknown(void)
{
	struct ai_book b = { 0 };
	struct ai_raw raw = { .online = true, .whole = true, .dispatches = AI_UNKNOWN };

	ai_book(&b, &raw);
	CU_ASSERT_EQUAL(b.given.dispatches, AI_UNKNOWN);
	raw.wall = raw.interrupts = 5;
	ai_book(&b, &raw);
	CU_ASSERT(b.given.dispatches == AI_UNKNOWN && b.given.interrupts == 5);
}

static uint64_t random_below(uint64_t *state, uint64_t limit)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (*state >> 33) % limit;
}

static void test_books_of_anything(void)
{
	struct ai_raw raw = { .online = true };
	struct ai_book b = { 0 };
	uint64_t state = 1;

	for (int i = 0; i < 100000; i++) {
		struct ai_counters before = b.given;

		raw.whole = random_below(&state, 20);
		raw.wall += random_below(&state, 1000);
		raw.idle += random_below(&state, 400);
		raw.idle -= random_below(&state, 20);
		raw.interrupt += random_below(&state, 200);
		raw.dispatches += random_below(&state, 50);
		raw.interrupts += random_below(&state, 50);
		ai_book(&b, &raw);
		if (!balances(&b.given) || steps_back(&b.given, &before))
			CU_FAIL_FATAL("unbalanced, or back");
	}
	CU_ASSERT(b.given.idle > 1000000 && b.given.busy > 1000000 && b.given.interrupt > 1000000);
}

/* ---- the texts ------------------------------------------------------------------------------- */

static void test_stat(void)
{
	static const char line[] = "cpu12 1 2 3 4 5 6 7 8 9 10\n";
	struct proc_cpu c;

	CU_ASSERT_FATAL(proc_cpu_parse(line, strlen(line), &c));
	CU_ASSERT(c.cpu == 12 && c.user == 1 && c.nice == 2 && c.system == 3 && c.idle == 4 &&
		  c.iowait == 5 && c.irq == 6 && c.softirq == 7 && c.steal == 8);
	CU_ASSERT(proc_cpu_parse("cpu0 1 2 3 4\n", 13, &c) && c.idle == 4 && !c.iowait);
	CU_ASSERT_FALSE(proc_cpu_parse(line, strlen("cpu12 1 2 3 "), &c));
	CU_ASSERT_FALSE(proc_cpu_parse("cpu  1 2 3 4 5 6 7 8", 20, &c));
	CU_ASSERT_FALSE(proc_cpu_parse("cpu0 1 2 3 4 x", 14, &c));
	CU_ASSERT_FALSE(proc_cpu_parse("cpu4294967296 1 2 3 4 5 6 7 8", 29, &c));
	CU_ASSERT_FALSE(proc_cpu_parse("intr 1 2 3", 10, &c));
	CU_ASSERT_FALSE(proc_cpu_parse(NULL, 0, &c));
}

static bool adds(const char *line, uint64_t *sum, uint32_t columns)
{
	return proc_counts_add(line, strlen(line), sum, columns);
}

static void test_tables(void)
{
	static const char heads[] = "           CPU0       CPU2       CPU11\n";
	uint32_t cpus[3], n;
	uint64_t sum[3] = { 0 };

	CU_ASSERT_FATAL(proc_heads_parse(heads, strlen(heads), cpus, 3, &n));
	CU_ASSERT(n == 3 && cpus[0] == 0 && cpus[1] == 2 && cpus[2] == 11);
	CU_ASSERT_FALSE(proc_heads_parse(heads, strlen(heads), cpus, 2, &n));
	CU_ASSERT(n == 0);
	CU_ASSERT_FALSE(proc_heads_parse("  1: 2\n", 7, cpus, 3, &n));
	CU_ASSERT_FALSE(proc_heads_parse("\n", 1, cpus, 3, &n));

	CU_ASSERT(adds(" 24:  1 20 300  IO-APIC 5-edge ACPI:Ged\n", sum, 3));
	CU_ASSERT(adds("LOC: 4 5 6   Local timer interrupts\n", sum, 3));
	CU_ASSERT(adds("HI: 1 1 1", sum, 3));
	CU_ASSERT_FALSE(adds("ERR:  7 7 7\n", sum, 3));
	CU_ASSERT_FALSE(adds("MIS:  7\n", sum, 1));
	CU_ASSERT_FALSE(adds("MCP: 7 7 7  Machine check polls\n", sum, 3));
	CU_ASSERT_FALSE(adds("CLK: 7 7 7  [EXT] Clock Comparator\n", sum, 3));
	CU_ASSERT_FALSE(adds("XXX: 7 7\n", sum, 3));
	CU_ASSERT_FALSE(adds("XXX: 7 7 a\n", sum, 3));
	CU_ASSERT_FALSE(adds("XXX 7 7 7\n", sum, 3));
	CU_ASSERT_FALSE(adds("", sum, 3));
	CU_ASSERT(sum[0] == 6 && sum[1] == 26 && sum[2] == 307);
}

static void test_schedstat(void)
{
	static const char line[] = "cpu1 1 0 3 4 5 6 7000 8000 99\n";
	struct proc_sched s;

	CU_ASSERT(proc_sched_parse(line, strlen(line), &s) && s.cpu == 1 && s.dispatches == 99);
	CU_ASSERT_FALSE(proc_sched_parse(line, strlen("cpu1 1 0 3 4 5 6 7000 8000 "), &s));
	CU_ASSERT_FALSE(proc_sched_parse("domain0 3 1 2 3 4 5 6 7 8 9", 27, &s));
}

/* ---- this machine ---------------------------------------------------------------------------- */

static void test_rules(void)
{
	struct ai_counters c[1];
	struct ai_info info;

	CU_ASSERT_EQUAL(AiTerminate(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(AiGetCounters(c, 1), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(AiGetInfo(&info), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(AiSetCollector("perf"), PI_INVALID_ARGUMENT);
	if (access(PITRACE_DEVICE, F_OK)) {
		CU_ASSERT_EQUAL(AiSetCollector("driver"), 0);
		CU_ASSERT_EQUAL(AiInit(), PI_DRIVER_NOT_LOADED);
		CU_ASSERT_EQUAL(AiGetInfo(&info), PI_NOT_INITIALIZED);
	}
	CU_ASSERT_EQUAL(AiSetCollector("proc"), 0);
	CU_ASSERT_EQUAL(AiInit(), 0);
	CU_ASSERT_EQUAL(AiInit(), PI_INCORRECT_STATE);
	CU_ASSERT_EQUAL(AiSetCollector(NULL), PI_INCORRECT_STATE);
	CU_ASSERT_EQUAL(AiGetInfo(&info), 0);
	CU_ASSERT(info.size == sizeof(info) && info.version == 1 && !info.exact && *info.note &&
		  !strcmp(info.collector, "proc"));
	/* The number of CPUs, however few there is room for. */
	CU_ASSERT_EQUAL(AiGetCounters(NULL, 0), AiGetCounters(c, 1));
	CU_ASSERT_EQUAL(AiTerminate(), 0);
	CU_ASSERT_EQUAL(AiTerminate(), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(AiSetCollector(NULL), 0);
}

/* A total of /proc/stat since boot, the first number behind its name. */
static uint64_t total(const char *name)
{
	FILE *f = fopen("/proc/stat", "re");
	size_t room = 0, n = strlen(name);
	uint64_t value = 0;
	char *line = NULL;

	while (f && getline(&line, &room, f) > 0)
		if (!strncmp(line, name, n) && line[n] == ' ')
			value = strtoull(line + n, NULL, 10);
	free(line);
	if (f)
		fclose(f);
	return value;
}

static uint64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void test_this_machine(void)
{
	static struct ai_counters now[CPUS], before[CPUS];
	uint64_t switches[4], softirqs[4], times[4], sum = 0, interrupts = 0;
	struct ai_info info;
	int n, cpus;

	CU_ASSERT_EQUAL(AiSetCollector("proc"), 0);
	switches[0] = total("ctxt"), softirqs[0] = total("softirq"), times[0] = monotonic();
	CU_ASSERT_EQUAL_FATAL(AiInit(), 0);
	switches[1] = total("ctxt"), softirqs[1] = total("softirq"), times[1] = monotonic();
	CU_ASSERT_EQUAL(AiGetInfo(&info), 0);
	cpus = AiGetCounters(before, CPUS);
	CU_ASSERT_FATAL(cpus > 0 && cpus <= CPUS);
	for (int i = 0; i < 200; i++) {
		usleep(1000);
		switches[2] = total("ctxt"), softirqs[2] = total("softirq"), times[2] = monotonic();
		n = AiGetCounters(now, CPUS);
		CU_ASSERT_EQUAL_FATAL(n, cpus);
		for (int k = 0; k < n; k++)
			if (!balances(&now[k]) || steps_back(&now[k], &before[k]))
				CU_FAIL_FATAL("unbalanced, or back");
		memcpy(before, now, sizeof(before));
	}
	switches[3] = total("ctxt"), softirqs[3] = total("softirq"), times[3] = monotonic();
	AiTerminate();
	AiSetCollector(NULL);
	for (int k = 0; k < cpus; k++) {
		sum += now[k].dispatches;
		interrupts += now[k].interrupts;
		/* The clock's own time went by on each. */
		CU_ASSERT(now[k].current >= times[2] - times[1] &&
			  now[k].current <= times[3] - times[0]);
	}
	printf("# %" PRIu64 " interrupts, %" PRIu64 " softirqs; switches %" PRIu64 " of %" PRIu64
	       "\n",
	       interrupts, softirqs[2] - softirqs[1], sum, switches[2] - switches[1]);
	/* Softirqs are part of them, and they come from interrupts. */
	CU_ASSERT(interrupts > softirqs[2] - softirqs[1]);
	if (!info.dispatches || strstr(info.note, "idle are not counted")) {
		puts("skip ai_dispatches this user may not count them");
		return;
	}
	/* All of the kernel's own, and no more. */
	CU_ASSERT(sum >= switches[2] - switches[1] && sum <= switches[3] - switches[0]);
}

/* ---- shares ---------------------------------------------------------------------------------- */

static void test_shares(void)
{
	unsigned int share[SPAN_SHARES];
	uint64_t state = 7;
	char room[8];

	for (int i = 0; i < 100000; i++) {
		struct ai_counters c = {
			.idle = random_below(&state, 1u << (i % 31)),
			.busy = random_below(&state, 1u << (i % 29)),
			.interrupt = random_below(&state, 1u << (i % 23)),
		};

		c.current = c.idle + c.busy + c.interrupt;
		if (span_shares(&c, share) != (c.current != 0) ||
		    share[0] + share[1] + share[2] != (c.current ? 10000 : 0))
			CU_FAIL_FATAL("not 100 %");
		for (int k = 0; c.current && k < SPAN_SHARES; k++) {
			double exact = 1e4 *
				       (double)(k == 0 ? c.idle :
						k == 1 ? c.busy :
							 c.interrupt) /
				       (double)c.current;

			if (share[k] < exact - 1 || share[k] > exact + 1)
				CU_FAIL_FATAL("not its share");
		}
	}
	CU_ASSERT(span_shares(&(struct ai_counters){ .current = 3,
						     .idle = 1,
						     .busy = 1,
						     .interrupt = 1 },
			      share));
	CU_ASSERT(share[0] == 3334 && share[1] == 3333 && share[2] == 3333);
	CU_ASSERT_STRING_EQUAL(span_percent(room, 10000), "100.00");
	CU_ASSERT_STRING_EQUAL(span_percent(room, 5), "0.05");
}

static void test_between(void)
{
	struct ai_counters a[] = { { .cpu = 0, .current = 10, .idle = 10, .dispatches = 5 },
				   { .cpu = 4, .current = 20, .busy = 20, .dispatches = 5 } };
	struct ai_counters b[] = {
		{ .cpu = 0, .current = 15, .idle = 12, .interrupt = 3, .dispatches = 7 },
		{ .cpu = 2, .current = 9, .busy = 9, .dispatches = 1 },
		{ .cpu = 4, .current = 20, .busy = 20, .dispatches = 5 }
	};
	struct span from = { a, 2, { 0 } }, to = { b, 3, { 0 } }, s;

	CU_ASSERT_EQUAL_FATAL(span_between(&s, &from, &to), 0);
	CU_ASSERT(s.cpus == 3 && s.cpu[0].current == 5 && s.cpu[1].current == 9 &&
		  !s.cpu[2].current);
	CU_ASSERT(s.all.current == 14 && s.all.idle == 2 && s.all.busy == 9 &&
		  s.all.interrupt == 3 && s.all.dispatches == 3 && balances(&s.all));
	span_free(&s);
	b[1].dispatches = AI_UNKNOWN;
	CU_ASSERT_EQUAL_FATAL(span_between(&s, &from, &to), 0);
	CU_ASSERT_EQUAL(s.all.dispatches, AI_UNKNOWN);
	span_free(&s);
}

static const struct unit_test tests[] = {
	{ "books", test_books },
	{ "books_off_line", test_books_off_line },
	{ "books_unknown", test_books_unknown },
	{ "books_of_anything", test_books_of_anything },
	{ "stat", test_stat },
	{ "tables", test_tables },
	{ "schedstat", test_schedstat },
	{ "rules", test_rules },
	{ "this_machine", test_this_machine },
	{ "shares", test_shares },
	{ "between", test_between },
	{ 0 },
};

int main(void)
{
	return unit_run("ai", tests);
}
