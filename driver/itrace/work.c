// SPDX-License-Identifier: GPL-2.0
/*
 * A traced thread's work on its way back to user code, where it may sleep: it records a signal's
 * handler after its setup, checks mappings, and waits while the consumer lags behind.
 */
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>
#include "itrace/addresses.h"
#include "itrace/itrace_code.h"
#include "itrace/defer.h"
#include "itrace/emit.h"
#include "itrace/itrace_flow.h"
#include "itrace/room.h"
#include "itrace/step.h"
#include "itrace/trap.h"
#include "itrace/work.h"

static void record_signal(struct it_thread *t)
{
	struct pt_regs *regs = task_pt_regs(current);
	u64 at;

	preempt_disable();
	if (READ_ONCE(t->state) == IT_ARMED && t->phase != IT_DONE && t->kernel.on && !t->in_call) {
		/* On its way out of a call that has not been left yet. */
		if (!arch_itrace_interrupted(regs, &at))
			at = t->back;
		if (!t->signal_at)
			t->signal_at = at;
		t->back = instruction_pointer(regs);
		it_set_trap(t, regs);
	} else if (READ_ONCE(t->state) == IT_ARMED && t->phase != IT_DONE && it_wants(t, true)) {
		if (!arch_itrace_interrupted(regs, &at))
			at = t->in_call ? t->back : t->user.ip;
		/* A call that a handler interrupted returns after the handler. */
		it_look(t, at);
		it_emit_break(t, true, PITRACE_BREAK_SIGNAL, t->signal, at,
			      instruction_pointer(regs));
		t->user.ip = instruction_pointer(regs);
		if (t->phase != IT_DONE)
			it_set_trap(t, regs);
	}
	preempt_enable();
}

void it_work(struct callback_head *head)
{
	struct it_thread *t = container_of(head, struct it_thread, work);
	unsigned long deferred = xchg(&t->deferred, 0);

	if (deferred & BIT(IT_DEFER_SIGNAL))
		record_signal(t);
	if (deferred & BIT(IT_DEFER_ADDRESSES))
		it_addresses_find(t);
	if (deferred & BIT(IT_DEFER_CODE))
		it_code(t);
	if (deferred & BIT(IT_DEFER_ROOM))
		it_wait_for_room(t);
#ifdef ARCH_LLSC_BRANCHES
	if (deferred & BIT(IT_DEFER_REACH) || it_lacks_code(t))
		it_reached(t);
#endif
	it_put(t);
	module_put(THIS_MODULE);
}

/* No session is left: deferred work held the module until it was done, or nearly so. */
void it_work_exit(void)
{
	synchronize_rcu_tasks();
}
