/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters, by software events, which every machine counts: against what the kernel says of the
 * same by getrusage; what is inherited; what is refused; the process that holds them for others.
 */
#include <counters.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "events/event_names.h"
#include "collect/perf/perf_open.h"
#include "unit.h"

#define PAGES 500u

static struct pitrace_event_args events[PITRACE_EVENTS];

static struct counters_options wanted(const char *names, int scope, int pid)
{
	int n = TraceFindEvents(names, 0, 1, TRACE_PRIV_ANY, events);

	CU_ASSERT_FATAL(n > 0);
	return (struct counters_options){ .scope = scope,
					  .pid = pid,
					  .events = events,
					  .nevents = (uint32_t)n };
}

static struct counters *opened(const char *names, int scope, int pid)
{
	struct counters_options o = wanted(names, scope, pid);
	int rc;
	struct counters *c = counters_open(&o, &rc);

	if (!c)
		puts(TraceLastError());
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	CU_ASSERT_EQUAL(rc, 0);
	return c;
}

static int refused(const char *names, int scope, int pid)
{
	struct counters_options o = wanted(names, scope, pid);
	int rc = 0;

	CU_ASSERT_PTR_NULL(counters_open(&o, &rc));
	return rc;
}

static void touch(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);

	madvise(p, PAGES * page, MADV_NOHUGEPAGE);
	for (unsigned int i = 0; i < PAGES; i++)
		p[i * page] = 1;
	munmap(p, PAGES * page);
}

static uint64_t switches(const struct rusage *a, const struct rusage *b)
{
	return (uint64_t)(b->ru_nvcsw + b->ru_nivcsw - a->ru_nvcsw - a->ru_nivcsw);
}

/* How often this thread left its CPU for that. */
static uint64_t sleeps(void)
{
	struct rusage a, b;

	getrusage(RUSAGE_THREAD, &a);
	for (int i = 0; i < 20; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
	getrusage(RUSAGE_THREAD, &b);
	CU_ASSERT(switches(&a, &b) > 0);
	return switches(&a, &b);
}

static void as_getrusage(void)
{
	struct counters *c = opened("minor-faults,page-faults,context-switches", COUNTERS_THREAD,
				    getpid());
	struct counter_value v[3], before[3];
	struct rusage a, b;
	uint64_t inner;

	/* Once before: what it needs itself is there then. */
	CU_ASSERT_EQUAL(counters_on(c), 0);
	touch();
	CU_ASSERT_EQUAL(counters_off(c), 0);
	CU_ASSERT_EQUAL(counters_read(c, before, 3), 3);
	getrusage(RUSAGE_THREAD, &b);
	getrusage(RUSAGE_THREAD, &a);
	counters_on(c);
	touch();
	inner = sleeps();
	counters_off(c);
	getrusage(RUSAGE_THREAD, &b);
	CU_ASSERT_EQUAL(counters_read(c, v, 3), 3);
	CU_ASSERT_STRING_EQUAL(v[0].name, "minor-faults");
	CU_ASSERT_EQUAL(v[0].value - before[0].value, (uint64_t)(b.ru_minflt - a.ru_minflt));
	CU_ASSERT(v[0].value - before[0].value >= PAGES);
	CU_ASSERT(v[1].value - before[1].value >= v[0].value - before[0].value);
	/* It may be dispatched between two of our calls. */
	CU_ASSERT(v[2].value - before[2].value >= inner);
	CU_ASSERT(v[2].value - before[2].value <= switches(&a, &b));
	for (int i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(v[i].state, COUNTER_COUNTED);
		CU_ASSERT_EQUAL(v[i].cpu, -1);
		CU_ASSERT(v[i].wanted && v[i].counted >= v[i].wanted);
	}
	/* While off, it counts nothing. */
	touch();
	CU_ASSERT_EQUAL(counters_read(c, before, 3), 3);
	CU_ASSERT_EQUAL(before[0].value, v[0].value);
	counters_close(c);
}

static void *threads_work(void *arg)
{
	(void)arg;
	touch();
	return NULL;
}

/* Waits for a byte, then: itself, a thread, a child that has a child, each PAGES. */
static _Noreturn void family(int begin, int there)
{
	pthread_t before, after;
	char byte;

	pthread_create(&before, NULL, threads_work, NULL);
	pthread_join(before, NULL);
	if (write(there, "", 1) != 1 || read(begin, &byte, 1) != 1)
		_exit(1);
	touch();
	pthread_create(&after, NULL, threads_work, NULL);
	pthread_join(after, NULL);
	if (!fork()) {
		touch();
		if (!fork())
			touch();
		wait(NULL);
		_exit(0);
	}
	wait(NULL);
	_exit(0);
}

static void inherited(void)
{
	uint64_t value[2] = { 0 };

	for (int i = 0; i < 2; i++) {
		int begin[2], there[2], status = -1;
		struct counter_value v;
		struct counters *c;
		char byte;
		pid_t pid;

		CU_ASSERT_FATAL(!pipe(begin) && !pipe(there));
		pid = fork();
		if (!pid)
			family(begin[0], there[1]);
		CU_ASSERT_EQUAL(read(there[0], &byte, 1), 1);
		c = opened("minor-faults", i ? COUNTERS_THREAD : COUNTERS_PROCESS, pid);
		counters_on(c);
		CU_ASSERT_EQUAL(write(begin[1], "", 1), 1);
		CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
		CU_ASSERT_EQUAL(status, 0);
		/* A process that has exited is still counted. */
		CU_ASSERT_EQUAL(counters_read(c, &v, 1), 1);
		CU_ASSERT_EQUAL(v.state, COUNTER_COUNTED);
		value[i] = v.value;
		counters_close(c);
		for (int k = 0; k < 2; k++) {
			close(begin[k]);
			close(there[k]);
		}
	}
	/* Four times PAGES, and the cost of a start; only once for the thread. */
	CU_ASSERT(value[0] >= 4 * PAGES && value[0] < 5 * PAGES);
	CU_ASSERT(value[1] >= PAGES && value[1] < 2 * PAGES);
}

/* From the exec on: what the child did before is not in it. */
static void of_a_command(void)
{
	char byte = 0, *const command[] = { "/bin/true", NULL };
	struct counter_value v[2];
	struct counters *c;
	int gate[2], status = -1;
	pid_t pid;

	CU_ASSERT_FATAL(!pipe(gate));
	pid = fork();
	if (!pid) {
		if (read(gate[0], &byte, 1) != 1)
			_exit(1);
		for (int i = 0; i < 20; i++)
			touch();
		execv(command[0], command);
		_exit(1);
	}
	c = opened("minor-faults,task-clock", COUNTERS_COMMAND, pid);
	CU_ASSERT_EQUAL(write(gate[1], &byte, 1), 1);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(counters_read(c, v, 2), 2);
	CU_ASSERT(v[0].value > 10 && v[0].value < 10 * PAGES);
	CU_ASSERT(v[1].value > 0);
	CU_ASSERT(v[0].state == COUNTER_COUNTED && v[1].state == COUNTER_COUNTED);
	counters_close(c);
	close(gate[0]);
	close(gate[1]);
}

static void of_cpus(void)
{
	struct counters_options o = wanted("context-switches,cpu-clock", COUNTERS_CPUS, 0);
	unsigned int cpu = (unsigned int)sched_getcpu();
	struct timespec a, b;
	struct counter_value v[2];
	struct counters *c;
	cpu_set_t one, all;
	uint64_t ns, inner;
	int rc;

	o.cpus = &cpu;
	o.ncpus = 1;
	c = counters_open(&o, &rc);
	if (!c && rc == PI_NO_PERMISSION && perf_paranoid() > 0)
		return;
	CU_ASSERT_PTR_NOT_NULL_FATAL(c);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	clock_gettime(CLOCK_MONOTONIC, &a);
	CU_ASSERT_EQUAL(counters_on(c), 0);
	inner = sleeps();
	CU_ASSERT_EQUAL(counters_off(c), 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	ns = (uint64_t)((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec);
	sched_setaffinity(0, sizeof(all), &all);
	CU_ASSERT_EQUAL(counters_read(c, v, 2), 2);
	CU_ASSERT_EQUAL(v[0].cpu, (int)cpu);
	CU_ASSERT(v[0].value >= inner);
	CU_ASSERT(v[1].value > 0 && v[1].value <= ns);
	/* Fewer places than values: the number of values is returned. */
	v[1].value = 7;
	CU_ASSERT_EQUAL(counters_read(c, v, 1), 2);
	CU_ASSERT_EQUAL(v[1].value, 7);
	counters_close(c);
}

static void refusals(void)
{
	struct counters_options o = wanted("page-faults", COUNTERS_PROCESS, 0);
	pid_t gone = fork();
	int rc = 0;

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	CU_ASSERT_EQUAL(refused("page-faults", COUNTERS_PROCESS, gone), PI_NO_PROCESS);
	CU_ASSERT_EQUAL(refused("page-faults", COUNTERS_THREAD, gone), PI_NO_PROCESS);
	CU_ASSERT_EQUAL(refused("page-faults", COUNTERS_THREAD, 0), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(refused("page-faults", COUNTERS_CPUS, 0), PI_INVALID_ARGUMENT);
	CU_ASSERT_EQUAL(refused("page-faults", 4, getpid()), PI_INVALID_ARGUMENT);
	o.pid = getpid();
	o.nevents = PITRACE_EVENTS + 1;
	CU_ASSERT_PTR_NULL(counters_open(&o, &rc));
	CU_ASSERT_EQUAL(rc, PI_TOO_MANY_METRICS);
	/* On a machine without such counters. */
	o = wanted("page-faults,cycles", COUNTERS_THREAD, getpid());
	if (event_try(&events[1])) {
		CU_ASSERT_EQUAL(refused("page-faults,cycles", COUNTERS_THREAD, getpid()),
				PI_EVENT_UNSUPPORTED);
		CU_ASSERT_PTR_NOT_NULL(
			strstr(TraceLastError(), "event cycles: this machine has no counter"));
	}
}

/* In a child: an ordinary user counts own user code, or all, as the kernel lets them. */
static int ordinary(void)
{
	struct counters_options o = wanted("page-faults", COUNTERS_THREAD, getpid());
	struct counter_value v;
	bool shut = perf_paranoid() > 1;
	struct counters *c;
	int rc = 0;

	if (perf_paranoid() > 2)
		return 0;
	c = counters_open(&o, &rc);
	if (!c || counters_on(c))
		return 1;
	touch();
	if (counters_read(c, &v, 1) != 1 || v.user_only != shut || v.value < PAGES)
		return 2;
	counters_close(c);
	o = wanted("context-switches", COUNTERS_THREAD, getpid());
	c = counters_open(&o, &rc);
	if (!c != shut ||
	    (shut && (rc != PI_NO_PERMISSION || !strstr(TraceLastError(), "in the kernel's code"))))
		return 3;
	counters_close(c);
	o = wanted("page-faults", COUNTERS_PROCESS, 1);
	c = counters_open(&o, &rc);
	return c || rc != PI_NO_PERMISSION ? 4 : 0;
}

static void of_an_ordinary_user(void)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		if (geteuid() == 0 && setuid(65534))
			_exit(9);
		_exit(ordinary());
	}
	waitpid(pid, &status, 0);
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
}

static void held(void)
{
	struct counters_options o = wanted("minor-faults,page-faults", COUNTERS_THREAD, getpid());
	char path[] = "/tmp/counters.XXXXXX";
	struct counter_value v[2], later[2];
	struct counters_held h;
	int file = mkstemp(path);

	CU_ASSERT_FATAL(file >= 0);
	setenv("PITRACE_COUNTERS", path, 1);
	unlink(path);
	CU_ASSERT_EQUAL(counters_ask(0, NULL, v, 2), PI_NOT_INITIALIZED);
	o.scope = COUNTERS_COMMAND;
	CU_ASSERT_EQUAL(counters_hold(&o), PI_INVALID_ARGUMENT);
	o.scope = COUNTERS_THREAD;
	CU_ASSERT_EQUAL_FATAL(counters_hold(&o), 0);
	CU_ASSERT_EQUAL(counters_hold(&o), PI_BUSY);
	CU_ASSERT_EQUAL(counters_ask(0, &h, v, 2), 2);
	CU_ASSERT_EQUAL(h.pid, getpid());
	CU_ASSERT_EQUAL(h.scope, COUNTERS_THREAD);
	touch();
	CU_ASSERT_EQUAL(counters_ask(1, &h, later, 1), 2);
	CU_ASSERT(later[0].value >= v[0].value + PAGES && later[0].value < v[0].value + 2 * PAGES);
	CU_ASSERT(h.elapsed > 0 && h.holder > 0);
	CU_ASSERT_EQUAL(counters_ask(0, NULL, v, 2), PI_NOT_INITIALIZED);
	CU_ASSERT_EQUAL(access(path, F_OK), -1);
	/* An error at the start is reported by the process that starts the service. */
	o = wanted("minor-faults", COUNTERS_THREAD, 1 << 30);
	CU_ASSERT_EQUAL(counters_hold(&o), PI_NO_PROCESS);
	CU_ASSERT_PTR_NOT_NULL(strstr(TraceLastError(), "no thread"));
	close(file);
}

/* One that was killed leaves its socket: the next takes the place; so does a signal's. */
static void killed(void)
{
	struct counters_options o = wanted("page-faults", COUNTERS_PROCESS, getpid());
	struct counter_value v;
	struct counters_held h = { 0 };

	CU_ASSERT_EQUAL_FATAL(counters_hold(&o), 0);
	CU_ASSERT_EQUAL(counters_ask(0, &h, &v, 1), 1);
	kill(h.holder, SIGKILL);
	while (counters_ask(0, NULL, &v, 1) != PI_HOLDER_GONE)
		sched_yield();
	CU_ASSERT_EQUAL(counters_hold(&o), 0);
	CU_ASSERT_EQUAL(counters_ask(0, &h, &v, 1), 1);
	kill(h.holder, SIGTERM);
	while (access(getenv("PITRACE_COUNTERS"), F_OK) == 0)
		sched_yield();
	CU_ASSERT_EQUAL(counters_ask(1, &h, &v, 1), PI_NOT_INITIALIZED);
}

int main(void)
{
	static const struct unit_test tests[] = {
		{ "as_getrusage", as_getrusage },
		{ "inherited", inherited },
		{ "of_a_command", of_a_command },
		{ "of_cpus", of_cpus },
		{ "refusals", refusals },
		{ "of_an_ordinary_user", of_an_ordinary_user },
		{ "held", held },
		{ "killed", killed },
		{ NULL, NULL },
	};
	struct pitrace_event_args e;

	if (TraceFindEvents("cs", 0, 1, TRACE_PRIV_ANY, &e) != 1 || event_try(&e)) {
		puts("skip counters perf events are not to be had here");
		return 77;
	}
	return unit_run("counters", tests);
}
