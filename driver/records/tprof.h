/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tprof: where each CPU is, at dithered times. One pinned timer a CPU and session. That of a
 * session about one process runs while one of its threads does: others' time is not cut up by it.
 */
#ifndef PITRACE_TPROF_H
#define PITRACE_TPROF_H

#include <linux/hrtimer.h>
#include "core/dither.h"

struct pt_regs;
struct session;
struct task_struct;

struct tprof_cpu {
	struct hrtimer timer;
	struct dither dither;
	struct session *session;
	u32 cpu;
	bool running;		/* between start and stop; this CPU only */
	bool parked;		/* idle: the timer sleeps, the missing ticks are computed */
	bool follows;		/* … and for the threads of its scope alone */
	bool away;		/* others run here, and the timer sleeps; `due` waits for it */
	bool begun;		/* following: the ticks go on where they were */
	u64 due;		/* of the next tick, CLOCK_MONOTONIC ns */
	u64 previous;		/* due time of the tick before */
	u64 parked_stamp;
	u64 since;		/* away, or not running: from then on */
	u64 others;		/* away: others have been running since; 0: none, it is idle */
	u64 outside;		/* ns of others that were told as no tick yet */
};

/* A sample of where this CPU is; what fell out of scope is counted only. minor: what it is besides
 * kernel or user code. */
void tprof_sample(struct session *s, u32 cpu, struct pt_regs *regs, u32 minor, u32 period);

void tprof_init(struct tprof_cpu *t, struct session *s, u32 cpu);
/* On the CPU itself, interrupts off. */
void tprof_start(struct tprof_cpu *t);
void tprof_stop(struct tprof_cpu *t);

void tprof_wake(struct tprof_cpu *t);
void tprof_follow(struct tprof_cpu *t, const struct task_struct *prev,
		  const struct task_struct *next);
/* This CPU goes from one thread to another (from sched_switch): perhaps it leaves idle, or the
 * scope. */
static inline void tprof_switch(struct tprof_cpu *t, const struct task_struct *prev,
				const struct task_struct *next)
{
	if (t->follows)
		tprof_follow(t, prev, next);
	else if (unlikely(t->parked))
		tprof_wake(t);
}

#endif
