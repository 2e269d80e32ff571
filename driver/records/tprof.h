/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tprof: samples each CPU at dithered times. One pinned timer for each CPU and session. The timer
 * of a session with process scope runs only while one of its threads does, so that other threads
 * are not interrupted.
 */
#ifndef PITRACE_TPROF_H
#define PITRACE_TPROF_H

#include "core/session.h"

struct pt_regs;

/* Samples where this CPU is; a sample out of scope is only counted. minor: its flags besides kernel
 * or user code. */
void tprof_sample(struct session *s, u32 cpu, struct pt_regs *regs, u32 minor, u32 period);

void tprof_init(struct tprof_cpu *t, struct session *s, u32 cpu);
/* On the CPU itself, interrupts off. */
void tprof_start(struct tprof_cpu *t);
void tprof_stop(struct tprof_cpu *t);

void tprof_wake(struct tprof_cpu *t);
void tprof_follow(struct tprof_cpu *t, const struct task_struct *prev,
		  const struct task_struct *next);
/* This CPU switches from one thread to another (from sched_switch): it may leave idle, or the
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
