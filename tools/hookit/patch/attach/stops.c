/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stops.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 100 /* a signal may have reported another thread */

static pid_t parent;

void stops_begin(pid_t of)
{
	sigset_t all;

	parent = of;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	/* Wakes up stops_wait_parent(). */
	prctl(PR_SET_PDEATHSIG, SIGCHLD);
}

bool stops_orphaned(void)
{
	return getppid() != parent;
}

int64_t stops_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static enum stop_wait wait_for(pid_t tid, int *status, int ms, bool orphaned_too)
{
	int64_t until = stops_now() + ms;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		pid_t stopped = waitpid(tid, status, __WALL | WNOHANG);
		int64_t left = until - stops_now();
		struct timespec t = { 0, (left < LOOK_MS ? left : LOOK_MS) * 1000000 };

		if (stopped == tid && WIFSTOPPED(*status))
			return STOP_CAME;
		if (stopped)
			return STOP_GONE;
		if (left <= 0 || (!orphaned_too && stops_orphaned()))
			return STOP_NOT_YET;
		sigtimedwait(&set, NULL, &t);
	}
}

enum stop_wait stops_wait(pid_t tid, int *status, int ms)
{
	return wait_for(tid, status, ms, true);
}

enum stop_wait stops_wait_parent(pid_t tid, int *status, int ms)
{
	return wait_for(tid, status, ms, false);
}
