/* SPDX-License-Identifier: GPL-2.0 */
/* s390x: program event recording (PER), by which ITrace stops threads at branches. */
#ifndef PITRACE_ARCH_S390_PER_H
#define PITRACE_ARCH_S390_PER_H

#include <linux/sched.h>
#include <asm/ptrace.h>

#define PER_BRANCHES (PER_EVENT_BRANCH | PER_CONTROL_SUSPENSION | PER_EVENT_TRANSACTION_END)
#define PER_BRANCH   0x8000 /* thread.per_event.cause */

static const struct per_regs per_branches = { .control = PER_BRANCHES, .start = 0, .end = -1ul };

static inline void per_load(const struct per_regs *per)
{
	asm volatile("lctlg 9,11,%0" : : "Q"(*per) : "memory");
}

static inline void per_store(struct per_regs *per)
{
	asm volatile("stctg 9,11,%0" : "=Q"(*per));
}

static inline bool per_is_ours(const struct per_regs *per)
{
	return per->control == PER_BRANCHES && per->start == 0 && per->end == -1ul;
}

/* Has the current thread trapped at a branch because of our settings? */
static inline bool per_trapped(void)
{
	return current->thread.per_event.cause & PER_BRANCH &&
	       per_is_ours(&current->thread.per_user);
}

#endif
