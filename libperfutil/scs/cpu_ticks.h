/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ticks of a thread's CPU time: sends a signal to the thread for each period that it has run. Uses
 * a perf event of the thread if the machine allows it, which is exact and has the kernel's part of
 * the stack; else a timer on its CPU clock, which the kernel checks only at its own tick. No tick
 * is lost: ticks that have accumulated when the signal is handled are counted with it, and a late
 * event (a machine that shares its CPUs) shows how long the thread has run.
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
	uint64_t counted; /* ns of the event that were already converted to ticks */
};

/* tid: a thread of this process. 0 or -errno. */
int cpu_ticks_begin(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal);
/* The same with only a timer. */
int cpu_ticks_begin_timer(struct cpu_ticks *c, pid_t tid, uint64_t period, int signal);
void cpu_ticks_end(struct cpu_ticks *c);

/* In the handler, on the thread: returns the next group of ticks with the same kernel part
 * (innermost first). first: the first call for this signal. False: there are no more. */
bool cpu_ticks_next(struct cpu_ticks *c, const siginfo_t *info, bool first, uint32_t *ticks,
		    uint64_t kernel[CPU_TICKS_KERNEL], unsigned int *n);

#endif
