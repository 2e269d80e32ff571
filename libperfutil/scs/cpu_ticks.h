/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ticks of a thread's CPU time: a signal to that thread each period that it has run. By a perf
 * event of the thread where the machine allows that, which is exact and has the kernel's part of
 * the stack; else by a timer on its CPU clock, which the kernel looks at when its own timer ticks.
 * No tick is lost: what has gathered when the signal is handled is counted with it, and an event
 * that came late (a machine that shares its CPUs) says how long the thread has run.
 */
#ifndef PITRACE_CPU_TICKS_H
#define PITRACE_CPU_TICKS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CPU_TICKS_KERNEL 127 /* addresses of the kernel's part */

struct cpu_ticks {
	int fd; /* of the event, or -1 */
	void *ring;
	int timer;
	bool has_timer;
	uint64_t period;
	uint64_t counted; /* of the event's ns: those that became ticks */
};

/* tid: of this process. 0 or -errno. */
int cpu_ticks_begin(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal);
/* The same by a timer alone. */
int cpu_ticks_begin_timer(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal);
void cpu_ticks_end(struct cpu_ticks *c);

/* In the handler, on the thread: the next group of ticks with the same part of the kernel's
 * (innermost first). first: the first call for this signal. False: there is none. */
bool cpu_ticks_next(struct cpu_ticks *c, const siginfo_t *info, bool first, uint32_t *ticks,
		    uint64_t kernel[CPU_TICKS_KERNEL], unsigned int *n);

#endif
