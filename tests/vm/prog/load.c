// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * A load of forks: workers that fork without end; children exec, map, make a thread, exit.
 *	load SECONDS [WORKERS]
 */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "work.h"

WORKER(load_work)

static char self[PATH_MAX];

static void *thread(void *unused)
{
	(void)unused;
	load_work(1);
	return NULL;
}

static int child(void)
{
	void *p = mmap(NULL, 2 * WORK_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0);
	pthread_t t;

	memset(p, 1, 2 * WORK_PAGE);
	mprotect(p, WORK_PAGE, PROT_READ | PROT_EXEC);
	munmap(p, 2 * WORK_PAGE);
	prctl(PR_SET_NAME, "load-child");
	if (!pthread_create(&t, NULL, thread, NULL))
		pthread_join(t, NULL);
	return 0;
}

static void worker(int64_t end)
{
	unsigned long n = 0;
	int status;

	while (clock_ns(CLOCK_MONOTONIC) < end) {
		pid_t pid = fork();

		if (!pid) {
			/* Two of three exec. */
			if (n % 3)
				execl(self, "load", "child", NULL);
			load_work(1);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, &status, 0);
		n++;
	}
}

int main(int argc, char **argv)
{
	int64_t end;
	int workers, i;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		return 1;
	if (argc > 1 && !strcmp(argv[1], "child"))
		return child();
	end = clock_ns(CLOCK_MONOTONIC) + (argc > 1 ? atol(argv[1]) : 10) * 1000000000ll;
	workers = argc > 2 ? atoi(argv[2]) : 2;
	for (i = 0; i < workers; i++)
		if (!fork()) {
			/* Killing the first process ends all of them. */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			worker(end);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
