// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * Threads that work, each longer than the one before, and what the kernel's clock of each says at
 * its end:
 *	worked THREADS MS [wait]
 * A line "tid ns" for each thread; the first thread, which works for MS, too, then says that of the
 * process: "0 ns". At first a line "begun TID NS": what it had used when the program began. With wait
 * all stay, and sleep, until standard input ends: the first thread says "wait".
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "work.h"

#define MOST 16

static pthread_barrier_t all;
static int waits;

WORKER(worked_work)

static void tell(void)
{
	printf("%ld %lld\n", syscall(SYS_gettid), (long long)clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

static void *thread(void *ms)
{
	worked_work((long)ms);
	tell();
	if (waits) {
		pthread_barrier_wait(&all);
		for (;;)
			pause();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;
	long ms = argc > 2 ? atol(argv[2]) : 200;
	pthread_t t[MOST];

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (n < 0 || n > MOST)
		return 2;
	printf("begun %d %lld\n", getpid(), (long long)clock_ns(CLOCK_THREAD_CPUTIME_ID));
	waits = argc > 3;
	pthread_barrier_init(&all, NULL, (unsigned int)n + 1);
	for (int i = 0; i < n; i++)
		if (pthread_create(&t[i], NULL, thread, (void *)(ms * (i + 1))))
			return 1;
	worked_work(ms);
	tell();
	if (waits) {
		pthread_barrier_wait(&all);
		puts("wait");
		while (read(0, &ms, sizeof(ms)) > 0)
			;
		_exit(0);
	}
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	/* A joined one may yet be at its last steps. */
	usleep(100000);
	printf("0 %lld\n", (long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
