// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ptt_exact METRIC: loops of known length, measured by the thread itself through PttGetMetricData;
 * what is counted beyond the loop is the excess. First windows into which nothing fell, then with
 * interrupts, with another process that preempts us, that shares the CPU, that forks; then what
 * system calls and page faults cost, and a thread on each CPU at the same time. The metric must
 * count instructions: "instructions", or "tsc" under an instruction counter. The table holds no
 * address and no time: two boots give the same. ptt_exact time: cycles beside the kernel's own
 * clock of the thread.
 */
#include <cycles.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <pttread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "work.h"

#define WARM 10

/* Two instructions a turn, on whatever machine, and a few around. */
static __attribute__((noinline)) void loop(uint64_t n)
{
	turns(n);
}

static void fail(void)
{
	fprintf(stderr, "%s\n", TraceLastError());
	exit(1);
}

struct window {
	int64_t excess;
	uint64_t interrupts, dispatches;
	int quiet;
};

static int by_call(uint64_t *value)
{
	return PttGetMetricData(value);
}

/* Any reader reads PttOwn.page; it shows whether an interruption occurred in between. */
static inline struct window measure(int (*read)(uint64_t *), uint64_t n)
{
	const volatile struct pitrace_ptt_thread *t = PttOwn.page;
	uint64_t sequence = t->sequence, interrupts = t->interrupts, dispatches = t->dispatches;
	uint64_t before, after;
	struct window w;

	if (read(&before))
		fail();
	loop(n);
	if (read(&after))
		fail();
	w.quiet = t->sequence == sequence;
	w.interrupts = t->interrupts - interrupts;
	w.dispatches = t->dispatches - dispatches;
	w.excess = (int64_t)(after - before - 2 * n);
	return w;
}

static __attribute__((noinline)) struct window measure_call(uint64_t n)
{
	return measure(by_call, n);
}

static __attribute__((noinline)) struct window measure_inline(uint64_t n)
{
	return measure(PttReadInline, n);
}

#define LENGTHS 4
static const uint64_t length[LENGTHS] = { 100, 1000, 10000, 100000 };
struct quiet {
	int windows;
	int64_t least, most;
};

/* Fifty windows that nothing disturbed, of each length; on a slow machine that takes more tries. */
static void find_quiet(struct window (*one)(uint64_t), struct quiet *q)
{
	for (int l = 0; l < LENGTHS; l++) {
		q[l] = (struct quiet){ .least = INT64_MAX, .most = INT64_MIN };
		for (int i = 0; i < 2000 && q[l].windows < 50; i++) {
			struct window w = one(length[l]);

			if (!w.quiet || i < WARM)
				continue;
			q[l].windows++;
			q[l].least = w.excess < q[l].least ? w.excess : q[l].least;
			q[l].most = w.excess > q[l].most ? w.excess : q[l].most;
		}
	}
}

static void print_quiet(const char *name, const struct quiet *q)
{
	for (int l = 0; l < LENGTHS; l++)
		printf("%s turns %llu windows %d least %lld most %lld\n", name,
		       (unsigned long long)length[l], q[l].windows, (long long)q[l].least,
		       (long long)q[l].most);
}

static void quiet(const char *name, struct window (*one)(uint64_t))
{
	struct quiet q[LENGTHS];

	find_quiet(one, q);
	print_quiet(name, q);
}

/* ---- all CPUs at once ------------------------------------------------------------------------ */

#define CPUS 8
static struct quiet on_cpu[CPUS][LENGTHS];
static pthread_barrier_t barrier;

static void stay_on(long n)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(n, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

static void *on_one(void *cpu)
{
	stay_on((long)cpu);
	if (PttInitThread(0))
		fail();
	pthread_barrier_wait(&barrier);
	find_quiet(measure_call, on_cpu[(long)cpu]);
	return NULL;
}

static void every_cpu(long cpus)
{
	pthread_t thread[CPUS];
	char name[32];

	pthread_barrier_init(&barrier, NULL, (unsigned int)cpus);
	for (long i = 0; i < cpus; i++)
		if (pthread_create(&thread[i], NULL, on_one, (void *)i))
			exit(1);
	for (long i = 0; i < cpus; i++)
		pthread_join(thread[i], NULL);
	for (long i = 0; i < cpus; i++) {
		snprintf(name, sizeof(name), "cpu%ld", i);
		print_quiet(name, on_cpu[i]);
	}
}

/* ---- who may read counters ------------------------------------------------------------------- */

#if defined(__aarch64__)
static sigjmp_buf illegal;

static void on_illegal(int number)
{
	siglongjmp(illegal, number);
}

/* Is the instruction illegal for who runs here? */
static int refused(void)
{
	volatile int trapped = 0;
	uint64_t value;

	signal(SIGILL, on_illegal);
	if (sigsetjmp(illegal, 1))
		trapped = 1;
	else
		__asm__ volatile("mrs %0, pmevcntr0_el0" : "=r"(value));
	signal(SIGILL, SIG_DFL);
	return trapped;
}

/* An unwatched process while we are watched; and we, when we are not watched any more. */
static int refused_to_another(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(refused());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
#endif

static void disturbed(const char *name, uint64_t turns, int windows)
{
	measure_call(turns); /* also writes to what a fork has left shared */
	for (int i = 0; i < windows; i++) {
		struct window w = measure_call(turns);

		printf("%s turns %llu interrupts %llu dispatches %llu excess %lld\n", name,
		       (unsigned long long)turns, (unsigned long long)w.interrupts,
		       (unsigned long long)w.dispatches, (long long)w.excess);
	}
}

/* The calling thread's own perf event: as long as it exists, the counters are perf's. */
static int own_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* A process on our CPU: sleeps and preempts us, or never sleeps, or forks all the time, or is
 * counted by perf. */
static pid_t beside(int what)
{
	struct timespec wait = { .tv_nsec = 500000 }, begin = { .tv_nsec = 20000000 };
	pid_t pid, child;

	fflush(stdout);
	pid = fork();
	if (pid) {
		/* Its first steps, and what a fork leaves to be done, are over then. */
		nanosleep(&begin, NULL);
		return pid;
	}
	while (what == 0)
		nanosleep(&wait, NULL);
	if (what == 3 && own_event() < 0)
		_exit(1);
	while (what == 1 || what == 3)
		loop(1000);
	for (;;) {
		child = fork();
		if (!child)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- the kernel's work for the thread -------------------------------------------------------- */

static void calls(int n)
{
	uint64_t before, after;

	by_call(&before);
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
	by_call(&after);
	printf("calls %d cost %llu\n", n, (unsigned long long)(after - before));
}

static void faults(int n)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *at = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before, after;

	madvise((void *)at, (size_t)(n * page), MADV_NOHUGEPAGE);
	by_call(&before);
	for (int i = 0; i < n; i++)
		at[i * page] = 1;
	by_call(&after);
	printf("faults %d cost %llu\n", n, (unsigned long long)(after - before));
	munmap((void *)at, (size_t)(n * page));
}

/* ---- the kernel's own clock of the thread ---------------------------------------------------- */

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void times(void)
{
	struct ptt_thread_data before, after;
	double clock, value, interrupt;

	PttGetThreadData(0, &before);
	clock = seconds();
	loop(500000000);
	clock = seconds() - clock;
	PttGetThreadData(0, &after);
	value = CyclesToSeconds(after.value[0] - before.value[0]);
	interrupt = CyclesToSeconds(after.interrupt[0] - before.interrupt[0]);
	printf("time clock %.9f value %.9f interrupt %.9f\n", clock, value, interrupt);
}

static void loops(void)
{
	pid_t pid;

	quiet("quiet", measure_call);
	if (PttOwn.cycles)
		quiet("inline", measure_inline);
	disturbed("alone", 2000000, 15);
	pid = beside(0);
	disturbed("preempted", 1000000, 20);
	end(pid);
	pid = beside(1);
	disturbed("shared", 2000000, 10);
	end(pid);
	pid = beside(2);
	disturbed("forking", 2000000, 10);
	end(pid);
}

/*
 * Where perf writes the registers for events of threads: after another thread's we are let again by
 * the next interrupt, with our own no more. Each read says something in either case.
 */
static void beside_perf(void)
{
	struct timespec wait = { .tv_nsec = 1000000 };
	uint64_t value, last = 0;
	int fd, status, back = 0;
	pid_t pid = beside(3);

	disturbed("counted", 2000000, 10);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	nanosleep(&wait, NULL);
	printf("beside perf: it ran %d let %d", WIFSIGNALED(status),
	       PttOwn.page->metric[0].index != 0);
	fd = own_event();
	nanosleep(&wait, NULL);
	for (int i = 0; i < 1000; i++) {
		if (PttGetMetricData(&value))
			fail();
		back += value <= last;
		last = value;
	}
	printf(" then ours %d let %d steps back %d\n", fd >= 0, PttOwn.page->metric[0].index != 0,
	       back);
	close(fd);
}

int main(int argc, char **argv)
{
	const char *metric = argc == 2 && strcmp(argv[1], "time") ? argv[1] : "tsc";
	struct ptt_info info;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	if (argc != 2) {
		fprintf(stderr, "usage: ptt_exact METRIC|time\n");
		return 2;
	}
	/* The last one: not where interrupts of devices go. */
	stay_on(cpus - 1);
	if (PttInit(1, &metric, TRACE_PRIV_ANY) || PttInitThread(0) || PttGetInfo(&info))
		fail();
	if (strcmp(info.collector, "driver") || !info.fast) {
		fprintf(stderr, "%s reads by %s: %s\n", metric, info.collector, info.note);
		return 1;
	}
	if (!strcmp(argv[1], "time")) {
		times();
		return 0;
	}
	loops();
	for (int n = 1000; n <= 10000; n *= 10) {
		calls(n);
		faults(n / 10);
	}
	every_cpu(cpus < CPUS ? cpus : CPUS);
#if defined(__aarch64__)
	printf("refused watched %d another %d\n", refused(), refused_to_another());
#endif
	if (!PttOwn.cycles)
		beside_perf();
	PttTerminate();
#if defined(__aarch64__)
	printf("refused after %d\n", refused());
#endif
	return 0;
}
