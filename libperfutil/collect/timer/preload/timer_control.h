/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The library that `swtrace run` preloads into programs when the kernel offers neither module nor
 * perf events. Each thread has a timer on its own CPU time; the signal handler writes the thread's
 * position. The handler (sample.c) makes no system call, takes no lock and touches only the ring,
 * the context and the thread's own stack, so that a program in a seccomp sandbox survives.
 * Everything else runs when the program calls interposed functions (interpose.c). File operations
 * are raw system calls: programs may define their own open() or read().
 *
 * This file: the collector's settings, and whether they may still be used.
 */
#ifndef PITRACE_TIMER_CONTROL_H
#define PITRACE_TIMER_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "collect/timer/preload/layout.h"

extern const struct timer_control *timer_control; /* NULL: this program is not sampled */
extern char timer_folder[];
extern bool timer_sandboxed; /* system calls may be forbidden: makes no more */

/* Maps the settings in the folder that the collector passed to this program; NULL: not sampled. */
const struct timer_control *control_map(void);

static inline uint32_t timer_load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

#endif
