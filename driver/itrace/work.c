// SPDX-License-Identifier: GPL-2.0
/*
 * What a traced thread does on its way back to user code, where it may sleep: it tells of a
 * signal's handler once that is set up, looks at mappings, waits while the consumer is behind.
 */
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/task_work.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include "core/access.h"
#include "itrace/itrace.h"

static DECLARE_WAIT_QUEUE_HEAD(waiting);

/* ---- the consumer ---------------------------------------------------------------------------- */

/* Preemption off. */
bool it_waits(const struct session *s)
{
	return s->mode == PITRACE_MODE_CONTINUOUS && !(s->itrace.flags & PITRACE_ITRACE_LOSSY) &&
	       current->tgid != READ_ONCE(s->itrace.holder) && member_may_halt(s);
}

/* The session may end meanwhile: it is there while the table says that this thread is its. */
static bool has_room(struct it_thread *t)
{
	bool room;

	preempt_disable();
	room = !READ_ONCE(t->session) || READ_ONCE(t->state) != IT_ARMED || !it_must_wait(t);
	preempt_enable();
	return room;
}

static void waited(struct it_thread *t, u64 ns)
{
	struct session_cpu *c;
	struct session *s;

	preempt_disable();
	s = READ_ONCE(t->session);
	c = s ? session_here(s) : NULL;
	if (c) {
		c->page->waits++;
		c->page->waited += ns;
	}
	preempt_enable();
}

static void wait_for_room(struct it_thread *t)
{
	DEFINE_WAIT(wait);
	u64 since;

	if (has_room(t))
		return;
	since = ktime_get_ns();
	for (;;) {
		/* Signals, debuggers and freezers first: behind them it waits again. */
		prepare_to_wait(&waiting, &wait, TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		if (has_room(t) || signal_pending(current))
			break;
		schedule();
	}
	finish_wait(&waiting, &wait);
	waited(t, ktime_get_ns() - since);
}

void itrace_room(void)
{
	if (wq_has_sleeper(&waiting))
		wake_up_all(&waiting);
}

/* ---- task work ------------------------------------------------------------------------------- */

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

static void work(struct callback_head *head)
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
		wait_for_room(t);
#ifdef ARCH_ALONE
	if (asked & BIT(IT_ASK_REACH) || it_lacks_code(t))
		it_reached(t);
#endif
	it_put(t);
	module_put(THIS_MODULE);
}

/* Work that waits already serves this wish, too. */
void it_ask(struct it_thread *t, enum it_ask what)
{
	unsigned long before = t->asked;

	t->asked |= BIT(what);
	if (before)
		return;
	if (!try_module_get(THIS_MODULE)) {
		t->asked = 0;
		return;
	}
	it_get(t);
	init_task_work(&t->work, work);
	if (!task_work_add(current, &t->work, TWA_RESUME))
		return;
	/* It ends. */
	t->asked = 0;
	it_put(t);
	module_put(THIS_MODULE);
}

/* No session is left: who asked held the module until its work was done, or nearly. */
void it_work_exit(void)
{
	synchronize_rcu_tasks();
}
