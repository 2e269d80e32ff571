// SPDX-License-Identifier: LGPL-2.1-or-later
/* The counter's rate, as the hardware or the kernel reports it, or measured. */
#include <cycles.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include "collect/perf/perf_open.h"

#if defined(__aarch64__)
static double look_up(void)
{
	uint64_t hz;

	__asm__("mrs %0, cntfrq_el0" : "=r"(hz));
	return (double)hz;
}
#elif defined(__s390x__)
static double look_up(void)
{
	return 4096e6 / 4;
}
#else
/* Returns the kernel's conversion factor, from the page of any perf event. */
static double kernels(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = perf_open(&attr, 0, -1);
	const struct perf_event_mmap_page *page;
	double hz = 0;

	if (fd < 0)
		return 0;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED) {
		if (page->cap_user_time && page->time_mult)
			hz = 1e9 * (double)(1ull << page->time_shift) / page->time_mult;
		munmap((void *)page, (size_t)sysconf(_SC_PAGESIZE));
	}
	close(fd);
	return hz;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Measures for 50 ms; clock and counter are read without an interruption in between. */
static void moment(uint64_t *cycles, double *clock)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 20; i++) {
		uint64_t before = ReadCycles();
		double now = seconds();
		uint64_t took = ReadCycles() - before;

		if (took >= least)
			continue;
		least = took;
		*cycles = before + took / 2;
		*clock = now;
	}
}

static double look_up(void)
{
	struct timespec wait = { .tv_nsec = 50000000 };
	uint64_t begin = 0, end = 0;
	double from = 0, to = 0, hz = kernels();

	if (hz > 0)
		return hz;
	moment(&begin, &from);
	nanosleep(&wait, NULL);
	moment(&end, &to);
	return to > from ? (double)(end - begin) / (to - from) : 0;
}
#endif

static double per_second;

static void set_per_second(void)
{
	per_second = look_up();
}

double CyclesPerSecond(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, set_per_second);
	return per_second;
}

double CyclesToSeconds(uint64_t cycles)
{
	double hz = CyclesPerSecond();

	return hz > 0 ? (double)cycles / hz : 0;
}

double CyclesToMilliseconds(uint64_t cycles)
{
	return CyclesToSeconds(cycles) * 1e3;
}

double CyclesToMicroseconds(uint64_t cycles)
{
	return CyclesToSeconds(cycles) * 1e6;
}
