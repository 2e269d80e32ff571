/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PTT by perf: places and descriptors of threads that have ended come back, a number that a thread
 * had before says nothing of the next one, and all metrics of a call are of one moment.
 */
#include <cycles.h>
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "base/rc.h"
#include "ptt/ptt_inner.h"
#include "unit.h"

static struct ptt_config config;
static unsigned int reads;

ssize_t __real_read(int fd, void *to, size_t room);
ssize_t __wrap_read(int fd, void *to, size_t room);
ssize_t __wrap_read(int fd, void *to, size_t room)
{
	reads++;
	return __real_read(fd, to, room);
}

/* A strict system shows nothing of the kernel. */
static bool strict;

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open && strict) {
		const struct perf_event_attr *attr = (const void *)(uintptr_t)a[0];

		if (!attr->exclude_kernel) {
			errno = EACCES;
			return -1;
		}
	}
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* False: perf counts nothing for this user here. */
static bool begin(int threads, int count, const char *const *metrics)
{
	int rc;

	config.threads = threads;
	CU_ASSERT_EQUAL_FATAL(ptt_find_metrics(&config, count, metrics, TRACE_PRIV_ANY), PI_OK);
	rc = ptt_by_perf.init(&config);
	if (rc == PI_NO_PERMISSION || rc == PI_NOT_SUPPORTED) {
		unit_skip(NULL, TraceLastError());
		return false;
	}
	CU_ASSERT_EQUAL_FATAL(rc, PI_OK);
	ptt_session++;
	return true;
}

static int read_own(uint64_t *values)
{
	return ptt_by_perf.reader(&config)(values);
}

static const char *const clocks[] = { "tsc", "task-clock" };

/* ---- other threads --------------------------------------------------------------------------- */

struct other {
	pthread_t thread;
	int tid;
	sem_t ready, go;
	bool spins;
	volatile bool stop;
};

static void *lives(void *arg)
{
	struct other *o = arg;

	prctl(PR_SET_NAME, "lives");
	o->tid = gettid();
	sem_post(&o->ready);
	while (o->spins && !o->stop)
		;
	sem_wait(&o->go);
	return NULL;
}

static void start(struct other *o, bool spins)
{
	*o = (struct other){ .spins = spins };
	sem_init(&o->ready, 0, 0);
	sem_init(&o->go, 0, 0);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&o->thread, NULL, lives, o), 0);
	sem_wait(&o->ready);
}

/* The kernel has let go of it when this returns, not only the C library. */
static void stop(struct other *o)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	o->stop = true;
	sem_post(&o->go);
	pthread_join(o->thread, NULL);
	for (int i = 0; i < 2000 && !syscall(SYS_tgkill, getpid(), o->tid, 0); i++)
		nanosleep(&moment, NULL);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* The very first read: what the counter's rate is found by must not come between. */
static void metrics_are_of_one_moment(void)
{
	const struct timespec moment = { .tv_nsec = 30000000 };
	struct timespec then, now;
	struct ptt_thread_data data;
	double ns, apart, room;
	clockid_t clock;
	struct other o;

	if (!begin(4, 2, clocks))
		return;
	start(&o, true);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o.tid), PI_OK);
	/* On a busy machine it runs now and then only. */
	CU_ASSERT_EQUAL(pthread_getcpuclockid(o.thread, &clock), 0);
	clock_gettime(clock, &then);
	do {
		nanosleep(&moment, NULL);
		clock_gettime(clock, &now);
	} while (now.tv_sec == then.tv_sec && now.tv_nsec < then.tv_nsec + 20000000);
	CU_ASSERT_EQUAL(ptt_by_perf.read(o.tid, &data), PI_OK);
	ns = CyclesToSeconds(data.value[0]) * 1e9;
	apart = ns - (double)data.value[1];
	room = 1e6 + 0.01 * ns;
	if (CyclesPerSecond() > 0)
		CU_ASSERT(apart < room && -apart < room);
	CU_ASSERT(data.value[1] > 0);
	stop(&o);
	ptt_by_perf.term();
}

static void *adds_itself(void *arg)
{
	int *rc = arg;
	uint64_t values[PTT_METRICS];

	*rc = ptt_by_perf.add(gettid());
	if (!*rc)
		*rc = read_own(values);
	return NULL;
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

static void ended_threads_give_back(void)
{
	int refused = 0, rc, before, most = 0;
	pthread_t t;

	if (!begin(100, 2, clocks))
		return;
	before = descriptors();
	for (int i = 0; i < 400; i++) {
		int now;

		pthread_create(&t, NULL, adds_itself, &rc);
		pthread_join(t, NULL);
		refused += rc != PI_OK;
		now = descriptors() - before;
		most = now > most ? now : most;
	}
	CU_ASSERT_EQUAL(refused, 0);
	CU_ASSERT(most <= 40);
	ptt_by_perf.term();
	CU_ASSERT_EQUAL(descriptors(), before);
}

/* Even where there is but one place, and its thread was joined a moment ago. */
static void the_only_place_comes_back(void)
{
	int refused = 0, rc;
	pthread_t t;

	if (!begin(1, 2, clocks))
		return;
	for (int i = 0; i < 50; i++) {
		pthread_create(&t, NULL, adds_itself, &rc);
		pthread_join(t, NULL);
		refused += rc != PI_OK;
	}
	CU_ASSERT_EQUAL(refused, 0);
	ptt_by_perf.term();
}

static void full_is_full(void)
{
	struct ptt_thread_data data;
	struct other o[3];

	if (!begin(2, 1, clocks))
		return;
	for (int i = 0; i < 3; i++)
		start(&o[i], false);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o[0].tid), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o[1].tid), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o[1].tid), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o[2].tid), PI_BUFFER_FULL);
	stop(&o[0]);
	/* It stays to be read until another needs its place. */
	CU_ASSERT_EQUAL(ptt_by_perf.read(o[0].tid, &data), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o[2].tid), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.read(o[0].tid, &data), PI_NO_PROCESS);
	CU_ASSERT_EQUAL(ptt_by_perf.remove(o[1].tid), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.remove(o[1].tid), PI_NO_PROCESS);
	stop(&o[1]);
	stop(&o[2]);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o[1].tid), PI_NO_PROCESS);
	ptt_by_perf.term();
}

static void data_says_whose(void)
{
	struct ptt_thread_data data = { 0 };
	struct other o;
	int status, go[2];
	pid_t child;

	if (!begin(4, 1, clocks))
		return;
	prctl(PR_SET_NAME, "mine");
	CU_ASSERT_EQUAL(ptt_by_perf.add(gettid()), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.read(gettid(), &data), PI_OK);
	CU_ASSERT_EQUAL(data.pid, getpid());
	CU_ASSERT_EQUAL(data.tid, gettid());
	CU_ASSERT_EQUAL(data.ended, 0);
	CU_ASSERT_STRING_EQUAL(data.name, "mine");
	prctl(PR_SET_NAME, "fifteen letters");
	CU_ASSERT_EQUAL(ptt_by_perf.read(gettid(), &data), PI_OK);
	CU_ASSERT_STRING_EQUAL(data.name, "fifteen letters");

	start(&o, false);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o.tid), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.read(o.tid, &data), PI_OK);
	CU_ASSERT_EQUAL(data.pid, getpid());
	CU_ASSERT_EQUAL(data.tid, o.tid);
	CU_ASSERT_EQUAL(data.ended, 0);
	CU_ASSERT_STRING_EQUAL(data.name, "lives");
	stop(&o);
	data = (struct ptt_thread_data){ 0 };
	CU_ASSERT_EQUAL(ptt_by_perf.read(o.tid, &data), PI_OK);
	CU_ASSERT_EQUAL(data.ended, 1);
	CU_ASSERT_EQUAL(data.pid, getpid());
	CU_ASSERT_STRING_EQUAL(data.name, "lives");
	CU_ASSERT(data.value[0] > 0);

	/* Another process's. */
	CU_ASSERT_EQUAL_FATAL(pipe(go), 0);
	child = fork();
	if (!child)
		_exit((int)__real_read(go[0], &status, 1));
	CU_ASSERT_EQUAL(ptt_by_perf.add(child), PI_OK);
	CU_ASSERT_EQUAL(ptt_by_perf.read(child, &data), PI_OK);
	CU_ASSERT_EQUAL(data.pid, child);
	CU_ASSERT_EQUAL(data.ended, 0);
	CU_ASSERT_EQUAL(write(go[1], "x", 1), 1);
	waitpid(child, &status, 0);
	CU_ASSERT_EQUAL(ptt_by_perf.read(child, &data), PI_OK);
	CU_ASSERT_EQUAL(data.ended, 1);
	close(go[0]);
	close(go[1]);
	ptt_by_perf.term();
}

struct again {
	int tid, unadded, rc;
	uint64_t begun, used;
	struct ptt_thread_data data;
};

static void *has_the_number(void *arg)
{
	struct again *a = arg;
	uint64_t values[PTT_METRICS];

	a->tid = gettid();
	a->unadded = read_own(values);
	a->rc = ptt_by_perf.add(a->tid);
	if (!a->rc)
		a->rc = read_own(values);
	a->begun = values[1];
	for (volatile int i = 0; i < 20000000; i++)
		;
	if (!a->rc)
		a->rc = read_own(values);
	a->used = values[1];
	if (!a->rc)
		a->rc = ptt_by_perf.read(a->tid, &a->data);
	return NULL;
}

/* The kernel gives this number to the next thread, if this user may say so. */
static bool next_number(int tid)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "we");
	bool done = f && fprintf(f, "%d", tid - 1) > 0;

	if (f && fclose(f))
		done = false;
	return done;
}

static void a_number_comes_again(void)
{
	struct again a = { 0 };
	struct other o;
	bool again = false;
	pthread_t t;

	if (!begin(4, 2, clocks))
		return;
	start(&o, true);
	CU_ASSERT_EQUAL(ptt_by_perf.add(o.tid), PI_OK);
	stop(&o);
	for (int i = 0; i < 100 && !again; i++) {
		if (!next_number(o.tid)) {
			unit_skip(NULL, "this user may not choose a thread's number");
			ptt_by_perf.term();
			return;
		}
		pthread_create(&t, NULL, has_the_number, &a);
		pthread_join(t, NULL);
		again = a.tid == o.tid;
		if (!again)
			ptt_by_perf.remove(a.tid);
	}
	CU_ASSERT(again);
	CU_ASSERT_EQUAL(a.unadded, PI_NO_PROCESS);
	CU_ASSERT_EQUAL(a.rc, PI_OK);
	/* It counts from 0 on, and on. */
	CU_ASSERT(a.begun < 5000000);
	CU_ASSERT(a.used > a.begun);
	CU_ASSERT_EQUAL(a.data.ended, 0);
	CU_ASSERT_STRING_NOT_EQUAL(a.data.name, "lives");
	ptt_by_perf.term();
}

static void one_read_a_call(void)
{
	static const char *const four[] = { "page-faults", "tsc", "task-clock",
					    "context-switches" };
	uint64_t values[PTT_METRICS], more[PTT_METRICS];
	struct ptt_thread_data data;
	void *page;

	if (!begin(4, 4, four))
		return;
	CU_ASSERT_EQUAL(ptt_by_perf.add(gettid()), PI_OK);
	CU_ASSERT_EQUAL(read_own(values), PI_OK);
	/* A page that was never touched: one fault. */
	page = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CU_ASSERT_NOT_EQUAL_FATAL(page, MAP_FAILED);
	*(volatile char *)page = 1;
	munmap(page, 1);
	reads = 0;
	CU_ASSERT_EQUAL(read_own(more), PI_OK);
	CU_ASSERT(reads <= 1);
	CU_ASSERT(more[0] > values[0] && more[0] < values[0] + 100);
	CU_ASSERT(more[1] > values[1]);
	CU_ASSERT(more[2] > values[2]);
	CU_ASSERT(more[3] >= values[3] && more[3] < values[3] + 100000);
	reads = 0;
	CU_ASSERT_EQUAL(ptt_by_perf.read(gettid(), &data), PI_OK);
	CU_ASSERT_EQUAL(reads, 1);
	CU_ASSERT(data.value[2] > more[2]);
	ptt_by_perf.term();
}

/* Nothing of the kernel is counted while it is hidden, and PTT says so. A later PTT counts it
 * again. */
static void hidden_kernel(void)
{
	static const char *const faults[] = { "page-faults", "task-clock" };

	for (int turn = 0; turn < 3; turn++) {
		struct ptt_info info = { 0 };
		bool began, told;

		strict = turn == 1;
		began = begin(1, 2, faults);
		strict = false;
		if (!began)
			return;
		ptt_by_perf.info(&config, &info);
		told = strstr(info.note, "of events the kernel's part is not shown to this user");
		CU_ASSERT_EQUAL(told, turn == 1);
		ptt_by_perf.term();
	}
}

static void clocks_count_ns(void)
{
	static const char *const three[] = { "tsc", "task-clock", "cpu-clock", "page-faults" };
	struct ptt_config named = { .threads = 1 };
	struct ptt_info info;

	CU_ASSERT_EQUAL(ptt_find_metrics(&named, 4, three, TRACE_PRIV_ANY), PI_OK);
	ptt_name_metrics(&named, &info);
	CU_ASSERT_STRING_EQUAL(info.unit[0], "cycles");
	CU_ASSERT_STRING_EQUAL(info.unit[1], "ns");
	CU_ASSERT_STRING_EQUAL(info.unit[2], "ns");
	CU_ASSERT_STRING_EQUAL(info.unit[3], "events");
}

/* A child has no counters, and leaves its parent's alone. */
static void a_child_has_none(void)
{
	uint64_t values[PTT_METRICS];
	int status;
	pid_t child;

	if (!begin(4, 2, clocks))
		return;
	CU_ASSERT_EQUAL(ptt_by_perf.add(gettid()), PI_OK);
	child = fork();
	if (!child) {
		ptt_by_perf.forked();
		ptt_session++;
		_exit(ptt_by_perf.init(&config) || ptt_by_perf.add(gettid()) || read_own(values) ||
		      values[1] > 1000000000);
	}
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(read_own(values), PI_OK);
	ptt_by_perf.term();
}

static const struct unit_test tests[] = {
	{ "metrics_are_of_one_moment", metrics_are_of_one_moment },
	{ "ended_threads_give_back", ended_threads_give_back },
	{ "the_only_place_comes_back", the_only_place_comes_back },
	{ "full_is_full", full_is_full },
	{ "data_says_whose", data_says_whose },
	{ "a_number_comes_again", a_number_comes_again },
	{ "one_read_a_call", one_read_a_call },
	{ "hidden_kernel", hidden_kernel },
	{ "clocks_count_ns", clocks_count_ns },
	{ "a_child_has_none", a_child_has_none },
	{ 0 },
};

int main(void)
{
	return unit_run("ptt_perf", tests);
}
