/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stops.h"

#include <sys/wait.h>
#include <time.h>

#define LOOK_MS 100 /* a signal may have reported another thread */

void stops_begin(sigset_t *had)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, had);
}

void stops_end(const sigset_t *had)
{
	sigprocmask(SIG_SETMASK, had, NULL);
}

int64_t stops_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

enum stop_wait stops_wait(pid_t tid, int *status, int ms)
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
		if (left <= 0)
			return STOP_NOT_YET;
		sigtimedwait(&set, NULL, &t);
	}
}
