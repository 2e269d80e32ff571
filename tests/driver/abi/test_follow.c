// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * The ticks of a session for one process: they follow its threads, so sleeping threads cost
 * nothing, and code that runs in short turns is sampled in proportion. And the limit of such
 * sessions per user.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "abi.h"

#define RATE   1000
#define PERIOD (1000000000 / RATE)

static struct pitrace_session_args about(pid_t pid)
{
	struct pitrace_session_args args = plain();

	args.scope = PITRACE_SCOPE_PROCESS;
	args.pid = pid;
	args.mte_bytes = 128 * KB;
	args.trace_bytes = 1 * MB;
	return args;
}

static int64_t clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* This thread runs for so long, by its own clock. */
static void burn(int64_t ns)
{
	int64_t end = clock_of(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (clock_of(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void doze(long ns)
{
	struct timespec t = { 0, ns };

	nanosleep(&t, NULL);
}

static pid_t idler(void)
{
	pid_t pid = fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

static void end(pid_t pid)
{
	if (pid > 0)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---- who sleeps ------------------------------------------------------------------------------ */

/* Returns interrupts of all kinds, on all CPUs, since the start. */
static unsigned long interrupts(void)
{
	FILE *f = fopen("/proc/interrupts", "re");
	unsigned long sum = 0;
	char line[4096];

	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f)) {
		char *p = strchr(line, ':'), *rest;

		/* The title has none. */
		for (p = p ? p + 1 : NULL; p; p = rest) {
			unsigned long n = strtoul(p, &rest, 10);

			if (rest == p)
				break;
			sum += n;
		}
	}
	fclose(f);
	return sum;
}

/* Returns the interrupts while this process runs and another one sleeps in so many sessions. */
static unsigned long disturbed(int sessions, uint32_t rate)
{
	struct pitrace_setup_args setup = setup_args(rate);
	struct pitrace_session_args args;
	unsigned long before;
	pid_t child = idler();
	int fd[2], i;

	args = about(child);
	for (i = 0; i < sessions; i++) {
		fd[i] = (int)want(0, session(&args));
		want(0, ioctl(fd[i], PITRACE_IOC_SETUP, &setup));
		want(0, ioctl(fd[i], PITRACE_IOC_ON));
	}
	nap(50);
	before = interrupts();
	spin(500);
	before = interrupts() - before;
	for (i = 0; i < sessions; i++) {
		want(0, ioctl(fd[i], PITRACE_IOC_OFF));
		close(fd[i]);
	}
	end(child);
	return before;
}

static void sleeps(int unused)
{
	unsigned long alone = disturbed(0, 0), two = disturbed(2, 10000);

	(void)unused;
	printf("# half a second: %lu interrupts, %lu with sessions about who sleeps\n", alone, two);
	/* On one CPU they would be 10,000 more. */
	check(two < alone + 1000);
}

void test_follow_sleeper(void)
{
	sleeps(0);
	as_member(sleeps, 0);
	no_session_left();
}

/* ---- short turns ----------------------------------------------------------------------------- */

struct worker {
	pthread_t thread;
	int64_t turn; /* ns, on average */
	bool wanders; /* from CPU to CPU */
	volatile int *go;
	uint32_t tid;
	int64_t used;
	unsigned long samples;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned int seed = (unsigned int)w->turn;
	int64_t begin;
	long n = 0;

	w->tid = (uint32_t)syscall(SYS_gettid);
	while (!*w->go)
		doze(1000000);
	begin = clock_of(CLOCK_THREAD_CPUTIME_ID);
	while (*w->go == 1) {
		if (w->wanders)
			on_cpu((unsigned int)(n++ % sysconf(_SC_NPROCESSORS_ONLN)));
		/* Turns in step with the ticks would be hit too often, or too seldom. */
		burn(w->turn / 2 + w->turn * (rand_r(&seed) % 1000) / 1000);
		doze(300000);
	}
	w->used = clock_of(CLOCK_THREAD_CPUTIME_ID) - begin;
	return NULL;
}

static void count(const struct pitrace_rec *rec, void *arg)
{
	const struct pitrace_sample *s = (const void *)(rec + 1);
	struct worker *w = arg;
	int i;

	if (rec->major != PITRACE_TPROF)
		return;
	for (i = 0; i < 3; i++)
		w[i].samples += s->tid == w[i].tid;
}

/* Threads whose turns are a tenth, a third, and two thirds of a period. */
static void turns(int unused)
{
	volatile int go = 0;
	struct worker w[3] = {
		{ .turn = PERIOD / 10, .go = &go },
		{ .turn = PERIOD / 3, .wanders = true, .go = &go },
		{ .turn = PERIOD * 2 / 3, .go = &go },
	};
	struct view v;
	int64_t used = 0;
	uint64_t missed;
	/* Under an instruction counter nothing but the program itself takes time; elsewhere a busy
	 * machine's host takes it from one and not from another. */
	bool exact = getenv("PITRACE_ICOUNT");
	double all, off;
	int i;

	(void)unused;
	if (!begin(&v, about(getpid()), RATE))
		return;
	for (i = 0; i < 3; i++)
		check(!pthread_create(&w[i].thread, NULL, work, &w[i]));
	nap(20);
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	go = 1;
	nap(4000);
	go = 2;
	for (i = 0; i < 3; i++) {
		pthread_join(w[i].thread, NULL);
		used += w[i].used;
	}
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	missed = lost(&v, PITRACE_LOST_OVERRUN);
	all = (double)(ticks(&v) + missed) * PERIOD;
	printf("# %.0f ms in ticks, %.0f by the clock\n", all / 1e6, (double)used / 1e6);
	off = all / (double)used - 1;
	check(off > (exact ? -0.01 : -0.15) && off < (exact ? 0.01 : 0.15));
	each_record(&v, PITRACE_RING_TRACE, count, w);
	/* A machine that pauses now and then misses ticks; it is unknown whose they were. */
	if (missed * 50 > ticks(&v))
		printf("# %llu ticks were missed\n", (unsigned long long)missed);
	for (i = 0; i < 3; i++) {
		double part = (double)w[i].samples * PERIOD / (double)w[i].used;

		printf("# turns of %d us: %lu samples, %.0f ms: %.3f\n", (int)(w[i].turn / 1000),
		       w[i].samples, (double)w[i].used / 1e6, part);
		/* From 300 samples on: three times the statistical error. */
		check(!exact || (w[i].samples > 300 && part > 0.92 && part < 1.08));
	}
	unview(&v);
}

void test_follow_turns(void)
{
	as_member(turns, 0);
	no_session_left();
}

/* Also covers intervals that are each shorter than a period. */
void test_follow_pauses(void)
{
	int64_t least = 0, most = 0, began;
	double all;
	struct view v;
	int i;

	if (!begin(&v, about(getpid()), RATE))
		return;
	want(0, ioctl(v.fd, PITRACE_IOC_ON));
	want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
	for (i = 0; i < 400; i++) {
		began = clock_of(CLOCK_THREAD_CPUTIME_ID);
		want(0, ioctl(v.fd, PITRACE_IOC_RESUME));
		least -= clock_of(CLOCK_THREAD_CPUTIME_ID);
		burn(PERIOD / 2);
		least += clock_of(CLOCK_THREAD_CPUTIME_ID);
		want(0, ioctl(v.fd, PITRACE_IOC_SUSPEND));
		most += clock_of(CLOCK_THREAD_CPUTIME_ID) - began;
	}
	want(0, ioctl(v.fd, PITRACE_IOC_OFF));
	all = (double)(ticks(&v) + lost(&v, PITRACE_LOST_OVERRUN)) * PERIOD;
	printf("# %.0f ms in ticks, %.0f to %.0f by the clock\n", all / 1e6, (double)least / 1e6,
	       (double)most / 1e6);
	check(all > 0.95 * (double)least - 3 * PERIOD && all < 1.05 * (double)most + 3 * PERIOD);
	unview(&v);
	no_session_left();
}

/* ---- how many -------------------------------------------------------------------------------- */

static int with_rate(uint32_t rate, pid_t pid)
{
	struct pitrace_setup_args setup = setup_args(rate);
	struct pitrace_session_args args = about(pid);
	int fd = (int)want(0, session(&args));

	want(0, ioctl(fd, PITRACE_IOC_SETUP, &setup));
	return fd;
}

/* Both sessions of a user together, whatever process turns them on; none while it is off. */
static void rates(int unused)
{
	struct pitrace_setup_args setup = setup_args(5000);
	pid_t child = idler(), other;
	int a, b, i, status = 1;

	(void)unused;
	a = with_rate(15000, child);
	b = with_rate(10000, child);
	want(0, ioctl(a, PITRACE_IOC_ON));
	for (i = 0; i < 20; i++)
		want(EDQUOT, ioctl(b, PITRACE_IOC_ON));
	other = fork();
	if (!other)
		_exit(!(ioctl(b, PITRACE_IOC_ON) < 0 && errno == EDQUOT));
	waitpid(other, &status, 0);
	check(!status);
	/* The quota remains used while paused; the refused session can be requested in another
	 * way. */
	want(0, ioctl(a, PITRACE_IOC_SUSPEND));
	want(EDQUOT, ioctl(b, PITRACE_IOC_ON));
	want(0, ioctl(b, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(b, PITRACE_IOC_ON));
	want(0, ioctl(a, PITRACE_IOC_OFF));
	want(0, ioctl(b, PITRACE_IOC_OFF));
	/* Names without samples take none of it. */
	setup = setup_args(20000);
	want(0, ioctl(a, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(a, PITRACE_IOC_ON));
	setup.majors[0] = 1ull << PITRACE_MTE;
	want(0, ioctl(b, PITRACE_IOC_SETUP, &setup));
	want(0, ioctl(b, PITRACE_IOC_ON));
	close(a);
	close(b);
	/* A closed one has given all back. */
	for (i = 0; i < 20; i++) {
		a = with_rate(20000, child);
		want(0, ioctl(a, PITRACE_IOC_ON));
		close(a);
	}
	end(child);
}

void test_member_rates(void)
{
	int a, b;

	as_member(rates, 0);
	/* The quota does not apply to a caller with CAP_PERFMON. */
	a = with_rate(20000, getpid());
	b = with_rate(20000, getpid());
	want(0, ioctl(a, PITRACE_IOC_ON));
	want(0, ioctl(b, PITRACE_IOC_ON));
	close(a);
	close(b);
	no_session_left();
}
