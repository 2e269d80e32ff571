/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * marks WHAT THREADS RECORDS [BURST]: what a record of two integers costs, ns, the median of many
 * short runs and the mean: hook, event, pair (begin and end), lttng, usdt, marker. Says also how
 * many were refused. Each thread rests for 20 ms after BURST records; without it, never.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench_tp.h"
#include <fcntl.h>
#include <perfutil.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sdt.h>
#include <time.h>
#include <trace_event.h>
#include <unistd.h>

TRACE_EVENT(two, (u64, a), (u64, b));

#define RUN 200
static const char *what;
static long records, burst;
static int marker = -1;
static double *times;
static _Atomic long refused;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static long some(void)
{
	uint64_t v[2] = { 1, 2 };
	long bad = 0;

	switch (*what) {
	case 'h':
		for (int i = 0; i < RUN; i++)
			bad += TraceHook(0, 0xD0, 1, 2, 0, v, NULL, NULL) < 0;
		break;
	case 'e':
		for (int i = 0; i < RUN; i++)
			bad += TraceEvent(two, v[0], v[1]) < 0;
		break;
	case 'p':
		for (int i = 0; i < RUN; i++) {
			bad += TraceHook(0, 0xD0, 1, 2, 0, v, NULL, NULL) < 0;
			bad += TraceHook(0, 0xD0, 2, 2, 0, v, NULL, NULL) < 0;
		}
		break;
	case 'l':
		for (int i = 0; i < RUN; i++)
			lttng_ust_tracepoint(pitrace_bench, two, v[0], v[1]);
		break;
	case 'u':
		for (int i = 0; i < RUN; i++)
			DTRACE_PROBE2(pitrace_bench, two, v[0], v[1]);
		break;
	case 'm':
		for (int i = 0; i < RUN; i++)
			bad += write(marker, "1 2", 3) < 0;
		break;
	}
	return bad;
}

static void *thread(void *to)
{
	const struct timespec rest = { .tv_nsec = 20000000 };
	double *t = to;

	for (long i = 0; i < records / RUN; i++) {
		double from = now();

		refused += some();
		t[i] = (now() - from) / RUN;
		if (burst && (i + 1) * RUN % burst == 0)
			nanosleep(&rest, NULL);
	}
	return NULL;
}

static int by_time(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
	int threads = argc == 4 || argc == 5 ? atoi(argv[2]) : 0;
	pthread_t id[64];
	double sum = 0;
	long runs;

	if (threads < 1 || threads > 64)
		return 2;
	what = argv[1];
	records = atol(argv[3]);
	burst = argc == 5 ? atol(argv[4]) / RUN * RUN : 0;
	runs = records / RUN;
	marker = open("/sys/kernel/tracing/trace_marker", O_WRONLY);
	if (*what == 'm' && marker < 0)
		return 77;
	times = calloc((size_t)(runs * threads), sizeof(*times));
	some();
	for (int i = 0; i < threads; i++)
		pthread_create(&id[i], NULL, thread, times + i * runs);
	for (int i = 0; i < threads; i++)
		pthread_join(id[i], NULL);
	qsort(times, (size_t)(runs * threads), sizeof(*times), by_time);
	for (long i = 0; i < runs * threads; i++)
		sum += times[i];
	printf("%.2f %.2f %ld\n", times[runs * threads / 2], sum / (double)(runs * threads),
	       refused);
	return 0;
}
