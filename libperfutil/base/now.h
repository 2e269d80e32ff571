/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PITRACE_NOW_H
#define PITRACE_NOW_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* Reads CLOCK_MONOTONIC, the clock of traces, jitdumps and logs. */
static inline uint64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

#endif
