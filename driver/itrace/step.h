/* SPDX-License-Identifier: GPL-2.0 */
/* Steps a traced thread. Preemption off except in it_reached(). */
#ifndef PITRACE_ITRACE_STEP_H
#define PITRACE_ITRACE_STEP_H

#include <linux/sched/task_stack.h>
#include <asm/syscall.h>
#include "itrace/itrace_table.h"

/* A trap of the current thread in user code, interrupts off. False: not ours. */
bool itrace_trap(struct pt_regs *regs);
/* The current thread, which is armed and in user code, is at `ip`, for any reason. */
void it_look(struct it_thread *t, u64 ip);
/* Arms the session's thread: the current one (which leaves a system call), or one that is about to
 * run. False: it was armed before, or cannot be yet. */
bool it_arm(struct it_thread *t, bool leaves);
/* The thread's own code runs next. recorded: the ring may be full. */
void it_resume(struct it_thread *t, struct pt_regs *regs, bool recorded);
/* The memory that the thread waited for is present, or cannot be made present. */
void it_reached(struct it_thread *t);

/* Returns the number of the thread's system call; -1: none, for which s390x's own function returns
 * 2^32 - 1. */
static inline int it_call_number(const struct it_thread *t)
{
	return syscall_get_nr(t->task, task_pt_regs(t->task));
}

/* Must the thread's next code be read, but is not present? */
static inline bool it_lacks_code(const struct it_thread *t)
{
#ifdef ARCH_LLSC_BRANCHES
	return t->arch.fault && !t->arch.llsc;
#else
	return false;
#endif
}

#endif
