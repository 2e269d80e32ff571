/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PTT reads metrics by the module or perf. Without permission for either, the thread's CPU clock
 * replaces PTT's time of threads: it needs a system call, but no permission.
 */
#include "metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock_step.h"
#include "pitrace_ptt.h"
#include "pttread.h"

#define THREADS 1024 /* at a time; each needs a page that the module locks */

bool metrics_wall_alone = true, metrics_own_alone, metrics_both, metrics_switches;
uint32_t metrics_at_wall, metrics_at_own;

/* How each metric is read. */
enum how { HOW_WALL, HOW_PTT, HOW_CLOCK };

static struct {
	struct metric metric[CALL_METRICS];
	enum how how[CALL_METRICS];
	double scale[CALL_METRICS]; /* from the thread clock's ns; 0: ns */
	uint32_t count, by_ptt;
	uint32_t wall; /* its index, */
	bool has_wall; /* if it is measured */
	bool by_clock; /* some are read from the thread's clock */
} metrics = {
	.count = 1,
	.has_wall = true,
	.metric = { { .name = "wall",
		      .unit = "cycles",
		      .source = "time stamp counter",
		      .note = "elapsed, also while the thread waits" } },
};
static char why[1024];

uint32_t metrics_count(void)
{
	return metrics.count;
}

#define READS 10000
#define FAR   1024

/* Returns the least difference of two consecutive reads: the counter's step, or the cost of a read
 * if that is more. */
static uint64_t counter_resolution(uint64_t *step)
{
	uint64_t least = UINT64_MAX, before = GetCycles();
	uint32_t times[FAR] = { 0 };

	for (int i = 0; i < READS; i++) {
		uint64_t now = GetCycles(), d = now - before;

		if (now > before && d < least)
			least = d;
		if (d < FAR)
			times[d]++;
		before = now;
	}
	*step = clock_step_of(times, FAR, READS);
	return least;
}

static void set_resolution(struct metric *m)
{
	double hz = CyclesPerSecond();
	uint64_t least;

	m->step = 1;
	if (strcmp(m->unit, "cycles")) {
		snprintf(m->resolution, sizeof(m->resolution), "1 %s",
			 strcmp(m->unit, "ns") ? "event" : m->unit);
		return;
	}
	least = counter_resolution(&m->step);
	snprintf(m->resolution, sizeof(m->resolution), "%" PRIu64 " cycles (%.3g ns)", least,
		 hz > 0 ? (double)least / hz * 1e9 : 0);
}

const struct metric *metrics_get(uint32_t number)
{
	struct metric *m = &metrics.metric[number];

	if (!*m->resolution)
		set_resolution(m);
	return m;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *say_what_there_is(const char *what)
{
	static const char *const usual[] = { "tsc",         "task-clock",      "instructions",
					     "cycles",      "cache-misses",    "branch-misses",
					     "page-faults", "context-switches" };
	size_t n = (size_t)snprintf(why, sizeof(why), "%s; available: wall", what);

	for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]) && n < sizeof(why); i++) {
		if (PttInit(1, &usual[i], TRACE_PRIV_ANY))
			continue;
		n += (size_t)snprintf(why + n, sizeof(why) - n, ", %s", usual[i]);
		(void)PttTerminate();
	}
	return why;
}

/* Whether the thread's clock can replace the metric. */
static bool is_time(const char *name)
{
	return !strcmp(name, "tsc") || !strcmp(name, "task-clock");
}

static void describe_ptt(const struct ptt_info *info, struct metric *m, uint32_t i)
{
	memcpy(m->unit, info->unit[i], sizeof(m->unit));
	snprintf(m->source, sizeof(m->source), "%s, %s",
		 strcmp(info->collector, "driver") ? info->collector : "pitrace module",
		 info->fast ? "a mapped page" : "a system call");
	m->note = info->note;
}

static void describe_clock(struct metric *m, double *scale)
{
	struct timespec t = { 0 };
	bool cycles = !strcmp(m->name, "tsc");

	clock_getres(CLOCK_THREAD_CPUTIME_ID, &t);
	strcpy(m->unit, cycles ? "cycles" : "ns");
	strcpy(m->source, "thread's CPU clock");
	m->step = 1;
	snprintf(m->resolution, sizeof(m->resolution), "%ld ns",
		 (long)(t.tv_sec * 1000000000 + t.tv_nsec));
	m->note = "neither the pitrace module nor perf is available; each read is a system call";
	*scale = cycles ? CyclesPerSecond() * 1e-9 : 0;
}

/* Starts PTT for its metrics. Returns NULL, or an error message. */
static const char *begin_ptt(void)
{
	static struct ptt_info info;
	const char *names[CALL_METRICS];
	uint32_t i, n = 0, times = 0;
	int rc;

	for (i = 0; i < metrics.count; i++) {
		if (metrics.how[i] == HOW_PTT) {
			names[n++] = metrics.metric[i].name;
			times += is_time(metrics.metric[i].name);
		}
	}
	if (!n)
		return NULL;
	PttSetThreads(THREADS);
	rc = PttInit((int)n, names, TRACE_PRIV_ANY);
	if (rc && times == n && (rc == PI_NO_PERMISSION || rc == PI_NOT_SUPPORTED)) {
		for (i = 0; i < metrics.count; i++) {
			if (metrics.how[i] == HOW_PTT) {
				metrics.how[i] = HOW_CLOCK;
				metrics.by_clock = true;
				describe_clock(&metrics.metric[i], &metrics.scale[i]);
			}
		}
		return NULL;
	}
	if (!rc)
		rc = PttGetInfo(&info);
	if (rc)
		return say_what_there_is(TraceLastError());
	metrics.by_ptt = n;
	metrics_switches = !strcmp(info.collector, "driver");
	for (i = 0, n = 0; i < metrics.count; i++)
		if (metrics.how[i] == HOW_PTT)
			describe_ptt(&info, &metrics.metric[i], n++);
	return NULL;
}

static const char *take_name(const char *text, size_t n)
{
	static const struct metric wall = {
		.name = "wall",
		.unit = "cycles",
		.source = "time stamp counter",
		.note = "elapsed, also while the thread waits",
	};
	struct metric *m = &metrics.metric[metrics.count];

	if (!n || n >= sizeof(m->name))
		return "names of metrics with + between them are needed";
	if (metrics.count == CALL_METRICS)
		return "at most 8 metrics at a time";
	*m = (struct metric){ 0 };
	memcpy(m->name, text, n);
	for (uint32_t i = 0; i < metrics.count; i++) {
		if (!strcmp(metrics.metric[i].name, m->name)) {
			snprintf(why, sizeof(why), "metric '%s' is given twice", m->name);
			return why;
		}
	}
	metrics.how[metrics.count] = HOW_PTT;
	if (!strcmp(m->name, wall.name)) {
		metrics.how[metrics.count] = HOW_WALL;
		metrics.has_wall = true;
		metrics.wall = metrics.count;
		*m = wall;
	}
	metrics.count++;
	return NULL;
}

static bool is_own(uint32_t i)
{
	return metrics.by_ptt == 1 && metrics_switches && !strcmp(metrics.metric[i].name, "tsc");
}

/* Selects the metrics that can be read inline. */
static void find_line(void)
{
	bool two = metrics.count == 2, walls_first = metrics.how[0] == HOW_WALL;

	metrics_wall_alone = metrics.count == 1 && walls_first;
	metrics_own_alone = metrics.count == 1 && is_own(0);
	metrics_at_own = walls_first;
	metrics_at_wall = !walls_first;
	metrics_both = two && is_own(metrics_at_own) && metrics.how[metrics_at_wall] == HOW_WALL;
}

const char *metrics_set(const char *text, size_t n)
{
	const char *end = text + n, *bad = NULL;

	if (metrics.by_ptt)
		(void)PttTerminate();
	metrics.count = metrics.by_ptt = 0;
	metrics.has_wall = metrics.by_clock = metrics_switches = false;
	while (!bad) {
		const char *plus = memchr(text, '+', (size_t)(end - text));

		bad = take_name(text, (size_t)((plus ? plus : end) - text));
		if (!plus)
			break;
		text = plus + 1;
	}
	if (!bad)
		bad = begin_ptt();
	find_line();
	return bad;
}

/* ---- threads --------------------------------------------------------------------------------- */

const char *metrics_thread_begin(void)
{
	return metrics.by_ptt && PttInitThread(0) ? TraceLastError() : NULL;
}

void metrics_thread_end(void)
{
	if (metrics.by_ptt)
		PttUninitThread(0);
}

static uint64_t thread_clock(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* One read of the clock serves all metrics that use it. */
static void read_clock(uint64_t *values)
{
	uint64_t ns = thread_clock();

	for (uint32_t i = 0; i < metrics.count; i++) {
		double scale = metrics.scale[i];

		if (metrics.how[i] == HOW_CLOCK)
			values[i] = scale > 0 ? (uint64_t)((double)ns * scale) : ns;
	}
}

/* Reads all metrics except `wall`. */
static void read_called(uint64_t *values, const uint64_t *last)
{
	uint64_t ptt[CALL_METRICS];
	bool failed = false;
	uint32_t i, n = 0;

	if (metrics.by_clock)
		read_clock(values);
	if (metrics.by_ptt)
		failed = PttGetMetricData(ptt);
	for (i = 0; metrics.by_ptt && i < metrics.count; i++) {
		if (metrics.how[i] == HOW_PTT) {
			values[i] = failed ? last[i] : ptt[n];
			n++;
		}
	}
}

void metrics_read_all(uint64_t *values, const uint64_t *last)
{
	read_called(values, last);
	if (metrics.has_wall)
		values[metrics.wall] = GetCycles();
}

void metrics_read_all_early(uint64_t *values, const uint64_t *last)
{
	if (metrics.has_wall)
		values[metrics.wall] = GetCycles();
	read_called(values, last);
}
