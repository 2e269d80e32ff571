// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Things that a trace must tell to the last one, and what they were: pairs of
 *	books WHAT N ...
 * calls: N system calls that do nothing. faults: N new pages are touched. sleeps: N sleeps to times
 * that are printed. naps: N short sleeps. pingpong: N bytes there and N back between two processes,
 * through pipes.
 * signals: N signals to itself. stat: idle times by /proc/stat, after N ms. Each says in a line
 * what a judge has to know, times by CLOCK_MONOTONIC.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

static void now(int64_t *t)
{
	*t = clock_ns(CLOCK_MONOTONIC);
}

static void calls(long n)
{
	int64_t begin, end;

	now(&begin);
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
	now(&end);
	printf("calls tid %d number %d count %ld from %lld to %lld\n", getpid(), SYS_getppid, n,
	       (long long)begin, (long long)end);
}

static void faults(long n)
{
	long page = sysconf(_SC_PAGESIZE);
	volatile char *p = mmap(NULL, (size_t)(n * page), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	/* A page at a time, whatever the machine thinks is better. */
	madvise((void *)p, (size_t)(n * page), MADV_NOHUGEPAGE);
	for (long i = 0; i < n; i++)
		p[i * page] = 1;
	printf("faults tid %d count %ld start %p end %p\n", getpid(), n, (void *)p,
	       (void *)(p + n * page));
}

static void sleeps(long n)
{
	struct timespec t;
	int64_t due, woke;

	prctl(PR_SET_TIMERSLACK, 1);
	for (long i = 0; i < n; i++) {
		due = clock_ns(CLOCK_MONOTONIC) + 2000000 + i * 12345;
		t.tv_sec = due / 1000000000;
		t.tv_nsec = due % 1000000000;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
		now(&woke);
		printf("sleep tid %d due %lld woke %lld\n", getpid(), (long long)due,
		       (long long)woke);
	}
}

static void naps(long n)
{
	struct timespec t = { 0, 10000 };

	prctl(PR_SET_TIMERSLACK, 1);
	for (long i = 0; i < n; i++)
		nanosleep(&t, NULL);
}

static void echo(int in, int out)
{
	char c;

	while (read(in, &c, 1) == 1)
		if (write(out, &c, 1) != 1)
			_exit(2);
	_exit(0);
}

/* On one CPU: each waits until the other sleeps, so that no wake-up preempts the waker. */
static void pingpong(long n)
{
	struct sched_param first = { .sched_priority = 1 }, usual = { 0 };
	struct rusage before, after;
	int there[2], back[2];
	int64_t begin, end, cpu;
	pid_t child;
	char c = 0;

	if (pipe(there) || pipe(back))
		exit(2);
	fflush(stdout);
	sched_setscheduler(0, SCHED_FIFO, &first);
	child = fork();
	if (!child) {
		close(there[1]);
		close(back[0]);
		echo(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	usleep(50000); /* it waits in its first read */
	now(&begin);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	getrusage(RUSAGE_THREAD, &before);
	for (long i = 0; i < n; i++)
		if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
			exit(2);
	getrusage(RUSAGE_THREAD, &after);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	now(&end);
	printf("pingpong tid %d other %d count %ld from %lld to %lld cpu %lld switches %ld\n",
	       getpid(), child, n, (long long)begin, (long long)end, (long long)cpu,
	       after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw);
	sched_setscheduler(0, SCHED_OTHER, &usual);
	close(there[1]);
	waitpid(child, NULL, 0);
}

static void nothing(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
}

static void signals(long n)
{
	/* With SA_SIGINFO it returns by rt_sigreturn on every architecture. */
	struct sigaction action = { .sa_sigaction = nothing, .sa_flags = SA_SIGINFO };

	sigaction(SIGUSR1, &action, NULL);
	for (long i = 0; i < n; i++)
		raise(SIGUSR1);
	printf("signals tid %d number %d count %ld\n", getpid(), SYS_rt_sigreturn, n);
}

/* Prints the kernel's states of each CPU: idle or waiting for a disk, and when. */
static void stat(long ms)
{
	unsigned long long idle, iowait, tick = 1000000000ull / (unsigned long)sysconf(_SC_CLK_TCK);
	char line[256];
	int64_t t;
	int cpu;
	FILE *f;

	usleep((useconds_t)ms * 1000);
	f = fopen("/proc/stat", "r");
	now(&t);
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "cpu%d %*u %*u %*u %llu %llu", &cpu, &idle, &iowait) == 3)
			printf("stat cpu %d time %lld idle %llu\n", cpu, (long long)t,
			       (idle + iowait) * tick);
	if (f)
		fclose(f);
}

static const struct {
	const char *name;
	void (*run)(long n);
} things[] = {
	{ "calls", calls },       { "faults", faults },   { "sleeps", sleeps }, { "naps", naps },
	{ "pingpong", pingpong }, { "signals", signals }, { "stat", stat },
};

int main(int argc, char **argv)
{
	for (int i = 1; i + 1 < argc; i += 2)
		for (size_t k = 0; k < sizeof(things) / sizeof(*things); k++)
			if (!strcmp(argv[i], things[k].name))
				things[k].run(atol(argv[i + 1]));
	return 0;
}
