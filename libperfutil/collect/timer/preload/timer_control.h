/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The library that `swtrace run` preloads into programs when the kernel gives neither module nor
 * perf events: each thread has a timer on its own CPU time, whose signal's handler writes where the
 * thread stands. What runs in that handler (sample.c) makes no system call, takes no lock and
 * touches no memory but the ring, the context and the thread's own stack: a program in a seccomp
 * sandbox must live on. All else runs where the program calls us (interpose.c). File operations are
 * plain system calls: programs may have their own open() or read().
 *
 * Here: what the collector wants of us, and whether we may still do it.
 */
#ifndef PITRACE_TIMER_CONTROL_H
#define PITRACE_TIMER_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "collect/timer/preload/layout.h"

extern const struct timer_control *timer_control;	/* NULL: we are not wanted here */
extern char timer_folder[];
extern bool timer_sandboxed;		/* system calls may be forbidden: we make no more */

/* What the collector wants, in the folder that it named to this program; NULL: nothing of us. */
const struct timer_control *control_map(void);

static inline uint32_t timer_load(const uint32_t *p)
{
	return __atomic_load_n(p, __ATOMIC_RELAXED);
}

#endif
