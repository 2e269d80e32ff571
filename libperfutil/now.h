/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef PITRACE_NOW_H
#define PITRACE_NOW_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC in ns: the clock of traces, jitdumps and logs. */
static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

#endif
