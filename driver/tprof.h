/* SPDX-License-Identifier: GPL-2.0 */
/* tprof: where each CPU is, at dithered times. One pinned timer a CPU and session. */
#ifndef PITRACE_TPROF_H
#define PITRACE_TPROF_H

#include <linux/hrtimer.h>
#include "dither.h"

struct pt_regs;
struct session;

struct tprof_cpu {
	struct hrtimer timer;
	struct dither dither;
	struct session *session;
	u32 cpu;
	bool running;		/* between start and stop; this CPU only */
	bool parked;		/* idle: the timer sleeps, the missing ticks are computed */
	u64 due;		/* of the next tick, CLOCK_MONOTONIC ns */
	u64 previous;		/* due time of the tick before */
	u64 parked_stamp;
};

/* A sample of where this CPU is; what fell out of scope is counted only. minor: what it is besides
 * kernel or user code. */
void tprof_sample(struct session *s, u32 cpu, struct pt_regs *regs, u32 minor, u32 period);

void tprof_init(struct tprof_cpu *t, struct session *s, u32 cpu);
/* On the CPU itself, interrupts off. */
void tprof_start(struct tprof_cpu *t);
void tprof_stop(struct tprof_cpu *t);
/* This CPU leaves idle (from sched_switch). */
void tprof_wake(struct tprof_cpu *t);

#endif
