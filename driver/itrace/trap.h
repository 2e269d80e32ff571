/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets and clears the trap of a traced thread, which is kept in its registers.
 *
 * Uprobes and debuggers step by the same flag. From its first breakpoint or debugger on, a thread
 * is ceded to them: our flag is cleared as soon as that is seen, before they set theirs, and not
 * touched any more. The flag of a thread for which we never set it is not touched either.
 */
#ifndef PITRACE_ITRACE_TRAP_H
#define PITRACE_ITRACE_TRAP_H

#include <linux/sched/task_stack.h>
#include "core/session.h"
#include "itrace/itrace_table.h"

/* In the thread's own hooks, or while it is switched. */
static __always_inline void it_set_trap(struct it_thread *t, struct pt_regs *regs)
{
#ifdef ARCH_ACCESSES
	const struct session *s = READ_ONCE(t->session);

	t->arch.watch = s && test_bit(PITRACE_LOAD_STORE, s->majors);
#endif
	if (unlikely(t->ceded))
		return;
	t->trap = true;
	arch_itrace_arm(t->task, regs, &t->arch);
}

static __always_inline void it_clear_trap(struct it_thread *t, struct pt_regs *regs)
{
	if (t->trap && !READ_ONCE(t->ceded))
		arch_itrace_disarm(t->task, regs);
}

static __always_inline void it_disarm(struct it_thread *t)
{
	it_clear_trap(t, task_pt_regs(t->task));
}

/* Clears the trap of a quiet thread from another context; the table's lock is held. */
void it_clear_trap_of(struct it_thread *t);
/* Cedes the thread to a debugger or a probe from here on. */
void it_cede_trap(struct it_thread *t);

#endif
