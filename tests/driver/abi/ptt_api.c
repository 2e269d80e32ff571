// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * ptt_api COLLECTOR: the Ptt* functions, each asked for and each broken, by the collector that must
 * be the one that serves here. Says `ok ptt_NAME` or `not ok ptt_NAME`.
 */
#include <cycles.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <pttread.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FAULTS 50

static int bad, failed;
static const char *collector;

#define want(rc, call)                                                                            \
	({                                                                                        \
		int want_r = (call);                                                              \
		if (want_r != (rc)) {                                                             \
			printf("# line %d: %s is %d (%s; %s), not %d\n", __LINE__, #call, want_r, \
			       RcToString(want_r), TraceLastError(), (rc));                       \
			bad++;                                                                    \
		}                                                                                 \
	})
#define check(what)                                                         \
	({                                                                  \
		if (!(what)) {                                              \
			printf("# line %d: not so: %s\n", __LINE__, #what); \
			bad++;                                              \
		}                                                           \
	})

static void verdict(const char *name)
{
	printf("%sok ptt_%s\n", bad ? "not " : "", name);
	fflush(stdout);
	failed += bad != 0;
	bad = 0;
}

static int init(const char *a, const char *b)
{
	const char *const names[] = { a, b };

	return PttInit(b ? 2 : 1, names, TRACE_PRIV_ANY);
}

static double thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void spin(double seconds)
{
	double end = thread_seconds() + seconds;

	while (thread_seconds() < end)
		;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static void rules(void)
{
	static const char *const many[PTT_METRICS + 1] = {
		"tsc",          "page-faults",      "minor-faults",
		"major-faults", "context-switches", "cpu-migrations",
		"cpu-clock",    "alignment-faults", "emulation-faults",
	};
	struct ptt_thread_data data;
	struct ptt_info info;
	uint64_t v[PTT_METRICS];

	want(PI_NOT_INITIALIZED, PttGetMetricData(v));
	want(PI_NOT_INITIALIZED, PttReadInline(v));
	want(PI_NOT_INITIALIZED, PttInitThread(0));
	want(PI_NOT_INITIALIZED, PttUninitThread(0));
	want(PI_NOT_INITIALIZED, PttGetThreadData(0, &data));
	want(PI_NOT_INITIALIZED, PttGetInfo(&info));
	want(PI_NOT_INITIALIZED, PttTerminate());
	want(PI_INVALID_ARGUMENT, PttSetThreads(0));
	want(PI_INVALID_ARGUMENT, PttSetThreads(PITRACE_PTT_SLOTS + 1));
	want(PI_INVALID_ARGUMENT, PttInit(0, many, TRACE_PRIV_ANY));
	want(PI_INVALID_ARGUMENT, PttInit(1, NULL, TRACE_PRIV_ANY));
	want(PI_TOO_MANY_METRICS, PttInit(PTT_METRICS + 1, many, TRACE_PRIV_ANY));
	want(PI_BAD_PRIVILEGE, PttInit(1, many, 7));
	want(PI_DUPLICATE_METRIC, init("tsc", "tsc"));
	want(PI_DUPLICATE_METRIC, init("page-faults", "faults"));
	want(PI_EVENT_UNSUPPORTED, init("tsc", "no-such-event"));
	check(strstr(TraceLastError(), "no-such-event"));
	want(PI_INVALID_ARGUMENT, init("page-faults,minor-faults", NULL));

	want(PI_OK, PttSetThreads(4));
	want(PI_OK, PttInit(PTT_METRICS, many, TRACE_PRIV_ANY));
	want(PI_INCORRECT_STATE, init("tsc", NULL));
	want(PI_INCORRECT_STATE, PttSetThreads(4));
	want(PI_OK, PttGetInfo(&info));
	if (strcmp(info.collector, collector)) {
		printf("# %s serves, not %s\n", info.collector, collector);
		bad++;
	}
	check(info.metrics == PTT_METRICS && info.threads == 4 && !info.fast);
	check(!strcmp(info.metric[0], "tsc") && !strcmp(info.unit[0], "cycles"));
	check(!strcmp(info.metric[1], "page-faults") && !strcmp(info.unit[1], "events"));
	check(info.apart == !strcmp(collector, "driver"));
	printf("# %s: %s\n", info.collector, info.note);
	want(PI_NO_PROCESS, PttGetMetricData(v));
	want(PI_NO_PROCESS, PttGetThreadData(0, &data));
	want(PI_NO_PROCESS, PttUninitThread(0));
	want(PI_NO_PROCESS, PttInitThread(0x7FFFFFFF));
	want(PI_OK, PttInitThread(0));
	want(PI_OK, PttInitThread(0));
	want(PI_OK, PttGetMetricData(v));
	want(PI_OK, PttReadInline(v));
	want(PI_OK, PttUninitThread(0));
	want(PI_NO_PROCESS, PttReadInline(v));
	want(PI_NO_PROCESS, PttGetMetricData(v));
	want(PI_OK, PttTerminate());
	want(PI_NOT_INITIALIZED, PttGetMetricData(v));
	verdict("rules");
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Reads both at the same moment: an emulated CPU may pause between two instructions for
 * milliseconds. */
static double clock_beside(uint64_t *v)
{
	double before, after;
	int tries = 100;

	do {
		before = thread_seconds();
		want(PI_OK, PttGetMetricData(v));
		after = thread_seconds();
	} while (after - before > 0.0005 && --tries);
	return (before + after) / 2;
}

static long switches(void)
{
	struct rusage u = { 0 };

	getrusage(RUSAGE_THREAD, &u);
	return u.ru_nvcsw + u.ru_nivcsw;
}

/* The thread's CPU time, by both; without interrupts where they are known. */
static void tsc(void)
{
	struct ptt_thread_data before, after;
	uint64_t v, last = 0, first, back = 0;
	double clock, ours, with, switching;
	struct ptt_info info;

	want(PI_OK, init("tsc", NULL));
	want(PI_OK, PttGetInfo(&info));
	check(info.fast || strcmp(collector, "driver"));
	printf("# %s\n", info.fast ? "read without a system call" : "read by a system call");
	want(PI_OK, PttInitThread(0));
	for (int i = 0; i < 100000; i++) {
		want(PI_OK, i & 1 ? PttReadInline(&v) : PttGetMetricData(&v));
		back += v < last;
		last = v;
	}
	check(back == 0);
	want(PI_OK, PttGetThreadData(0, &before));
	switching = (double)-switches();
	clock = clock_beside(&first);
	spin(0.3);
	clock = clock_beside(&v) - clock;
	switching = (switching + (double)switches()) * 0.0001;
	want(PI_OK, PttGetThreadData(0, &after));
	ours = CyclesToSeconds(v - first);
	with = ours + CyclesToSeconds(after.interrupt[0] - before.interrupt[0]);
	printf("# %.6f s by the thread's clock, %.6f by PTT, %.6f with interrupts\n", clock, ours,
	       with);
	/* perf counts also what a hypervisor gave to others, and not what a switch takes. */
	check(with > clock * 0.99 - (info.apart ? 0 : switching) &&
	      with < clock * (info.apart ? 1.01 : 1.5));
	check(after.pid == getpid() && after.tid == gettid() && !after.ended);
	check(!info.apart ||
	      (after.dispatches >= before.dispatches && after.interrupts > before.interrupts &&
	       after.interrupt[0] > before.interrupt[0]));
	check(after.value[0] >= v && before.value[0] <= first);
	/* Charged, it is all of it. */
	want(PI_OK, PttSetCharge(1));
	PttGetThreadData(0, &before);
	spin(0.1);
	PttGetThreadData(0, &after);
	check(after.interrupt[0] == before.interrupt[0]);
	want(PI_OK, PttSetCharge(0));
	want(PI_OK, PttTerminate());
	verdict("tsc");
}

/* A read that is said to be fast makes no call: one would end the program. */
static void *reads_alone(void *unused)
{
	static const unsigned int none[] = {
		SYS_ioctl, SYS_read, SYS_gettid, SYS_clock_gettime, SYS_getrusage, SYS_prctl,
	};
	struct sock_filter code[2 * sizeof(none) / sizeof(none[0]) + 2];
	struct sock_fprog program = { .filter = code };
	uint64_t v, last = 0;

	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							   offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		code[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								   none[i], 0, 1);
		code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
								   SECCOMP_RET_KILL_PROCESS);
	}
	code[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	want(PI_OK, PttInitThread(0));
	want(PI_OK, PttGetMetricData(&last));
	check(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	      !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
	for (int i = 0; i < 1000; i++) {
		want(PI_OK, PttGetMetricData(&v));
		check(v > last);
		last = v;
	}
	return unused;
}

static void no_call(const char *metric)
{
	struct ptt_info info;
	pthread_t thread;
	int rc = init(metric, NULL);

	if (rc == PI_EVENT_UNSUPPORTED) {
		printf("# no %s: %s\n", metric, TraceLastError());
		return;
	}
	want(PI_OK, rc);
	want(PI_OK, PttGetInfo(&info));
	if (info.fast && !pthread_create(&thread, NULL, reads_alone, NULL))
		pthread_join(thread, NULL);
	printf("# %s: %s\n", metric,
	       info.fast ? "none was made" : "not asked: it is not fast here");
	want(PI_OK, PttTerminate());
}

static void faults(void)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *at = mmap(NULL, (size_t)(FAULTS * page), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t before[2], after[2];

	madvise((void *)at, (size_t)(FAULTS * page), MADV_NOHUGEPAGE);
	want(PI_OK, init("page-faults", "tsc"));
	want(PI_OK, PttInitThread(0));
	want(PI_OK, PttGetMetricData(before));
	want(PI_OK, PttGetMetricData(before));
	for (int i = 0; i < FAULTS; i++)
		at[i * page] = 1;
	want(PI_OK, PttGetMetricData(after));
	printf("# %llu faults of %d\n", (unsigned long long)(after[0] - before[0]), FAULTS);
	check(after[0] - before[0] == FAULTS && after[1] > before[1]);
	want(PI_OK, PttTerminate());
	munmap((void *)at, (size_t)(FAULTS * page));
	verdict("faults");
}

/* ---- threads --------------------------------------------------------------------------------- */

static pthread_barrier_t barrier;
static int tid;
static uint64_t own;

static void *works(void *unused)
{
	uint64_t again;

	tid = gettid();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier); /* the other has added us */
	want(PI_OK, PttGetMetricData(&own));
	spin(0.1);
	want(PI_OK, PttGetMetricData(&again));
	own = again - own;
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier); /* … and taken us out */
	want(PI_NO_PROCESS, PttGetMetricData(&again));
	want(PI_NO_PROCESS, PttReadInline(&again));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier); /* … and begun a new PTT, with itself alone */
	want(PI_NO_PROCESS, PttGetMetricData(&again));
	want(PI_NO_PROCESS, PttReadInline(&again));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier); /* … and added us */
	want(PI_OK, PttReadInline(&again));
	check(CyclesToSeconds(again) < 1);
	return unused;
}

static void threads(void)
{
	struct ptt_thread_data data;
	uint64_t v, mine;
	pthread_t thread;

	want(PI_OK, PttSetThreads(2));
	want(PI_OK, init("tsc", NULL));
	want(PI_OK, PttInitThread(0));
	pthread_barrier_init(&barrier, NULL, 2);
	check(!pthread_create(&thread, NULL, works, NULL));
	pthread_barrier_wait(&barrier);
	want(PI_OK, PttInitThread(tid));
	want(PI_BUFFER_FULL, PttInitThread(1));
	PttGetMetricData(&mine);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	PttGetMetricData(&v);
	want(PI_OK, PttGetThreadData(tid, &data));
	printf("# the thread %.3f s by itself, %.3f by the other, which waited for %.3f\n",
	       CyclesToSeconds(own), CyclesToSeconds(data.value[0]), CyclesToSeconds(v - mine));
	check(own > 0 && CyclesToSeconds(own) < 0.2 && data.value[0] >= own);
	check(CyclesToSeconds(v - mine) < 0.05);
	want(PI_OK, PttUninitThread(tid));
	want(PI_NO_PROCESS, PttUninitThread(tid));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	want(PI_OK, PttInitThread(tid));
	want(PI_OK, PttTerminate());
	want(PI_OK, init("tsc", NULL));
	want(PI_OK, PttInitThread(0));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	want(PI_OK, PttInitThread(tid));
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	want(PI_OK, PttReadInline(&v));
	want(PI_OK, PttTerminate());
	verdict("threads");
}

/* Two threads on one CPU, which is taken from each in turn: neither's values step back. */
#define READS 500000

static void *reads(void *back)
{
	uint64_t v, last = 0;

	want(PI_OK, PttInitThread(0));
	for (int i = 0; i < READS; i++) {
		if (PttGetMetricData(&v))
			++*(unsigned long *)back;
		*(unsigned long *)back += v < last;
		last = v;
		if (i % (READS / 50) == 0)
			sched_yield();
	}
	return NULL;
}

static void steps(void)
{
	unsigned long back[2] = { 0 };
	pthread_t thread[2];
	cpu_set_t all, one;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	want(PI_OK, init("tsc", NULL));
	for (int i = 0; i < 2; i++)
		check(!pthread_create(&thread[i], NULL, reads, &back[i]));
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	printf("# %lu and %lu steps back of %d reads each\n", back[0], back[1], READS);
	check(!back[0] && !back[1]);
	want(PI_OK, PttTerminate());
	sched_setaffinity(0, sizeof(all), &all);
	verdict("steps");
}

/* A child has a PTT of its own or none. */
static void child(void)
{
	uint64_t v, before;
	int status;
	pid_t pid;

	want(PI_OK, init("tsc", NULL));
	want(PI_OK, PttInitThread(0));
	want(PI_OK, PttGetMetricData(&before));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		bad = 0;
		want(PI_NOT_INITIALIZED, PttGetMetricData(&v));
		want(PI_NOT_INITIALIZED, PttInitThread(0));
		want(PI_OK, init("tsc", NULL));
		want(PI_NO_PROCESS, PttGetMetricData(&v));
		want(PI_OK, PttInitThread(0));
		want(PI_OK, PttGetMetricData(&v));
		check(CyclesToSeconds(v) < 1);
		want(PI_OK, PttTerminate());
		fflush(stdout);
		_exit(bad != 0);
	}
	waitpid(pid, &status, 0);
	check(!status);
	want(PI_OK, PttGetMetricData(&v));
	check(v > before);
	want(PI_OK, PttTerminate());
	verdict("child");
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fprintf(stderr, "usage: ptt_api COLLECTOR\n");
		return 2;
	}
	collector = argv[1];
	rules();
	tsc();
	no_call("tsc");
	no_call("instructions");
	verdict("no_call");
	faults();
	threads();
	steps();
	child();
	return failed != 0;
}
