// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The cost of PTT, by the time stamp counter (under icount: instructions).
 *	ptt_work read HOW		one read: the least of many rounds, the loop's own part
 *					taken off
 *	ptt_work switch HOW METRICS	one switch of two processes that send each other a byte: the
 *					middle of many rounds, all that they do included
 *	ptt_work timers RATE		so many timers a second expire, and no more happens
 */
#include <cycles.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pttread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READS  1000 /* a round; shorter than from tick to tick */
#define ROUNDS 50
#define ECHOES 10  /* a round */
#define WARM   100 /* rounds */
#define MANY   1000

static const char *const metrics[PTT_METRICS] = {
	"tsc",          "page-faults",  "context-switches", "cpu-migrations",
	"minor-faults", "major-faults", "alignment-faults", "emulation-faults",
};

static int failed(const char *what)
{
	fprintf(stderr, "ptt_work: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void must(int rc)
{
	if (rc) {
		fprintf(stderr, "ptt_work: %s\n", TraceLastError());
		exit(1);
	}
}

/* ---- perf ------------------------------------------------------------------------------------ */

/* The same as the metrics above: CPU time, then the events. */
static const uint64_t events[PTT_METRICS] = {
	PERF_COUNT_SW_TASK_CLOCK,       PERF_COUNT_SW_PAGE_FAULTS,
	PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
	PERF_COUNT_SW_PAGE_FAULTS_MIN,  PERF_COUNT_SW_PAGE_FAULTS_MAJ,
	PERF_COUNT_SW_ALIGNMENT_FAULTS, PERF_COUNT_SW_EMULATION_FAULTS,
};

static int perf(uint64_t event, pid_t pid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = event,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? failed("perf_event_open") : fd;
}

static struct perf_event_mmap_page *perf_page(void)
{
	struct perf_event_mmap_page *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED,
						 perf(PERF_COUNT_SW_TASK_CLOCK, 0), 0);

	if (page == MAP_FAILED)
		failed("mmap");
	return page;
}

/* The part of it that is available without the right to read counters: the time for which the event
 * counted, which for this event is its value. */
static inline uint64_t perf_time(const volatile struct perf_event_mmap_page *page)
{
	uint64_t time, cycles;
	uint32_t sequence;

	do {
		sequence = page->lock;
		__asm__ volatile("" : : : "memory");
		cycles = GetCycles();
		time = page->time_running + page->time_offset +
		       (cycles >> page->time_shift) * page->time_mult +
		       (((cycles & ((1ull << page->time_shift) - 1)) * page->time_mult) >>
			page->time_shift);
		__asm__ volatile("" : : : "memory");
	} while (page->lock != sequence);
	return time;
}

/* ---- reads ----------------------------------------------------------------------------------- */

/* Instructions of the statement, repeated READS times. */
#define LEAST(statement)                                             \
	({                                                           \
		uint64_t least_ = UINT64_MAX;                        \
		for (int round_ = 0; round_ < ROUNDS; round_++) {    \
			uint64_t t_ = GetCycles();                   \
			for (int i_ = 0; i_ < READS; i_++) {         \
				statement;                           \
				__asm__ volatile("" : : : "memory"); \
			}                                            \
			t_ = GetCycles() - t_;                       \
			if (t_ < least_)                             \
				least_ = t_;                         \
		}                                                    \
		least_;                                              \
	})

static void ptt(int count)
{
	must(PttInit(count, metrics, TRACE_PRIV_ANY));
	must(PttInitThread(0));
}

static uint64_t reads(const char *how)
{
	struct perf_event_mmap_page *page;
	uint64_t values[PTT_METRICS];
	struct timespec time;
	struct rusage usage;
	int fd;

	if (!strcmp(how, "inline")) {
		ptt(1);
		return LEAST(PttReadInline(values));
	}
	if (!strncmp(how, "ptt", 3)) {
		ptt(atoi(how + 3));
		return LEAST(PttGetMetricData(values));
	}
	if (!strcmp(how, "counter"))
		return LEAST(values[0] = GetCycles());
	if (!strcmp(how, "clock_gettime"))
		return LEAST(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time));
	if (!strcmp(how, "getrusage"))
		return LEAST(getrusage(RUSAGE_THREAD, &usage));
	if (!strcmp(how, "perf")) {
		fd = perf(PERF_COUNT_SW_TASK_CLOCK, 0);
		return LEAST(if (read(fd, values, 8) != 8) failed("read"));
	}
	if (!strcmp(how, "perf-page")) {
		page = perf_page();
		if (!page->cap_user_time)
			return 0;
		return LEAST(values[0] = perf_time(page));
	}
	errno = EINVAL;
	return (uint64_t)failed(how);
}

static int one_read(const char *how)
{
	uint64_t loop = LEAST((void)0), all = reads(how);

	if (all)
		printf("%.2f\n", (double)(all - loop) / READS);
	else
		printf("none\n");
	return 0;
}

/* ---- switches -------------------------------------------------------------------------------- */

static int to[2], from[2];

static _Noreturn void other(void)
{
	char byte;

	close(to[1]);
	while (read(to[0], &byte, 1) == 1)
		if (write(from[1], &byte, 1) != 1)
			_exit(1);
	_exit(0);
}

static uint64_t echoes(void)
{
	uint64_t start = GetCycles();
	char byte = 0;

	for (int i = 0; i < ECHOES; i++)
		if (write(to[1], &byte, 1) != 1 || read(from[0], &byte, 1) != 1)
			failed("pipe");
	return GetCycles() - start;
}

static int by_size(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

/* none; ptt: it watches both; perf: events of each. */
static int switches(const char *how, int count)
{
	static uint64_t round[MANY];
	pid_t child;

	if (pipe(to) || pipe(from))
		failed("pipe");
	child = fork();
	if (!child)
		other();
	if (child < 0)
		failed("fork");
	if (!strcmp(how, "ptt")) {
		must(PttInit(count, metrics, TRACE_PRIV_ANY));
		must(PttInitThread(0));
		must(PttInitThread(child));
	}
	for (int i = 0; i < count && !strcmp(how, "perf"); i++) {
		perf(events[i], 0);
		perf(events[i], child);
	}
	for (int i = 0; i < WARM; i++)
		echoes();
	for (int i = 0; i < MANY; i++)
		round[i] = echoes();
	close(to[1]);
	if (waitpid(child, NULL, 0) != child)
		failed("waitpid");
	qsort(round, MANY, sizeof(*round), by_size);
	printf("%.2f\n", (double)round[MANY / 2] / (2 * ECHOES));
	return 0;
}

/* ---- interrupts ------------------------------------------------------------------------------ */

#define TIMERS 4000

/* The timers are set in advance, and no process waits for them. */
static _Noreturn void timers(long rate)
{
	struct rlimit files = { TIMERS + 100, TIMERS + 100 };
	struct itimerspec at = { 0 };
	struct timespec now;
	int fd;

	if (setrlimit(RLIMIT_NOFILE, &files))
		failed("setrlimit");
	clock_gettime(CLOCK_MONOTONIC, &now);
	for (long i = 0; i < TIMERS && rate; i++) {
		int64_t due = now.tv_nsec + 50000000 + i * 1000000000 / rate;

		at.it_value.tv_sec = now.tv_sec + due / 1000000000;
		at.it_value.tv_nsec = due % 1000000000;
		fd = timerfd_create(CLOCK_MONOTONIC, 0);
		if (fd < 0 || timerfd_settime(fd, TFD_TIMER_ABSTIME, &at, NULL))
			failed("timerfd");
	}
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "read"))
		return one_read(argv[2]);
	if (argc == 4 && !strcmp(argv[1], "switch"))
		return switches(argv[2], atoi(argv[3]));
	if (argc == 3 && !strcmp(argv[1], "timers"))
		timers(atol(argv[2]));
	return 2;
}
