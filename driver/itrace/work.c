// SPDX-License-Identifier: GPL-2.0
/*
 * What a traced thread does on its way back to user code, where it may sleep: it tells of a
 * signal's handler once that is set up, looks at mappings, waits while the consumer is behind.
 */
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>
#include "itrace/code.h"
#include "itrace/defer.h"
#include "itrace/emit.h"
#include "itrace/flow.h"
#include "itrace/places.h"
#include "itrace/room.h"
#include "itrace/step.h"
#include "itrace/trap.h"
#include "itrace/work.h"

static void handler(struct it_thread *t)
{
	struct pt_regs *regs = task_pt_regs(current);
	u64 at;

	preempt_disable();
	if (READ_ONCE(t->state) == IT_ARMED && t->phase != IT_DONE && t->kernel.on && !t->in_call) {
		/* On its way out of a call, which is not left yet. */
		if (!arch_itrace_interrupted(regs, &at))
			at = t->back;
		if (!t->signal_at)
			t->signal_at = at;
		t->back = instruction_pointer(regs);
		it_set_trap(t, regs);
	} else if (READ_ONCE(t->state) == IT_ARMED && t->phase != IT_DONE && it_wants(t, true)) {
		if (!arch_itrace_interrupted(regs, &at))
			at = t->in_call ? t->back : t->user.ip;
		/* A call that a handler interrupts returns behind the handler. */
		it_at(t, at);
		it_put_break(t, true, PITRACE_BREAK_SIGNAL, t->signal, at,
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
	unsigned long asked = xchg(&t->asked, 0);

	if (asked & BIT(IT_ASK_SIGNAL))
		handler(t);
	if (asked & BIT(IT_ASK_PLACES))
		it_places_find(t);
	if (asked & BIT(IT_ASK_CODE))
		it_code(t);
	if (asked & BIT(IT_ASK_ROOM))
		it_wait_for_room(t);
#ifdef ARCH_ALONE
	if (asked & BIT(IT_ASK_REACH) || it_lacks_code(t))
		it_reached(t);
#endif
	it_put(t);
	module_put(THIS_MODULE);
}

/* No session is left: who asked held the module until its work was done, or nearly. */
void it_work_exit(void)
{
	synchronize_rcu_tasks();
}
