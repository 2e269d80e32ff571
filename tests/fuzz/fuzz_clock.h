/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A clock and processes of the target's own, for readers that judge by them (linked with --wrap):
 * CLOCK_MONOTONIC stands until the target moves it, so that stamps of an input mean the same each
 * time; a process is alive when the target says so.
 */
#ifndef FUZZ_CLOCK_H
#define FUZZ_CLOCK_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "fuzz.h"

#define FUZZ_START 0x500000000ull /* ns */

static uint64_t fuzz_now = FUZZ_START;
static bool fuzz_alive;

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_kill(pid_t pid, int signal);

int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
	if (clock != CLOCK_MONOTONIC)
		return __real_clock_gettime(clock, t);
	*t = (struct timespec){ (time_t)(fuzz_now / 1000000000u), (long)(fuzz_now % 1000000000u) };
	return 0;
}

int __wrap_kill(pid_t pid, int signal)
{
	(void)pid;
	if (signal)
		abort();
	errno = fuzz_alive ? 0 : ESRCH;
	return fuzz_alive ? 0 : -1;
}

#endif
