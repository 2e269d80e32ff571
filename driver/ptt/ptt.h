/* SPDX-License-Identifier: GPL-2.0 */
/*
 * PTT: the resources that each thread used. A ptt is an open file: metrics, the threads that it
 * watches, buckets for each CPU. Hooks find those that count through ptts[], with preemption off;
 * code that removes one waits for all such sections before it frees it. Hooks keep all their state
 * between events in the ptt itself, so none of it outlives its entry in ptts[].
 */
#ifndef PITRACE_PTT_H
#define PITRACE_PTT_H

#include "ptt/ptt_table.h"

/* ---- the state machine: ptt.c ---------------------------------------------------------------- */

extern struct ptt *ptts[PITRACE_MAX_PTTS];
extern unsigned long ptts_on; /* one bit for each that counts */

/* In a hook, preemption off. */
#define for_each_ptt(p)                                                           \
	for (unsigned long left_ = READ_ONCE(ptts_on); left_; left_ &= left_ - 1) \
		if (((p) = READ_ONCE(ptts[__ffs(left_)])))

void ptt_switch_slow(struct task_struct *prev, struct task_struct *next, bool dead);
void ptt_interrupt_slow(bool entry);

/*
 * A switch between two unwatched threads ends no interval; it is only counted. ptt_quiet: this CPU
 * runs an unwatched thread, and no interrupt.
 */
DECLARE_PER_CPU(bool, ptt_quiet);
DECLARE_PER_CPU(u64, ptt_switches);

/* Hooks. At a switch, interrupts off: is no further work needed? A dead thread must leave the
 * tables. */
static __always_inline bool ptt_passes(const struct task_struct *next, unsigned int prev_state)
{
	if (!__this_cpu_read(ptt_quiet) || prev_state & TASK_DEAD || is_idle_task(next) ||
	    atomic_read(ptt_crowd_of(next)))
		return false;
	__this_cpu_inc(ptt_switches);
	return true;
}

/* dead: prev never runs again. */
static __always_inline void ptt_switch(struct task_struct *prev, struct task_struct *next,
				       bool dead)
{
	if (READ_ONCE(ptts_on))
		ptt_switch_slow(prev, next, dead);
}

static __always_inline void ptt_interrupt(bool entry)
{
	if (unlikely(READ_ONCE(ptts_on)))
		ptt_interrupt_slow(entry);
}

void ptt_init(struct ptt *p);
/* ptt_start(): counting begins; 0, or -errno and the metric that failed. ptt_stop(): counting ends,
 * and no hook sees it any more (`changing` is held). */
int ptt_start(struct ptt *p, u32 *failed);
void ptt_stop(struct ptt *p);
/* All CPUs, or this one, book their counts up to now; the look functions re-evaluate which thread
 * each CPU runs. */
void ptt_update(struct ptt *p);
void ptt_update_here(struct ptt *p);
void ptt_look(struct ptt *p);
void ptt_look_at(struct ptt *p, struct task_struct *task);
/* From CPU hotplug, on the CPU itself. */
void ptts_cpu_online(unsigned int cpu);
void ptts_cpu_offline(unsigned int cpu);

#endif
