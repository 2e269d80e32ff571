// SPDX-License-Identifier: GPL-2.0
/* Traced threads wait while the consumer of their session's rings lags behind. */
#include <linux/sched/signal.h>
#include <linux/timekeeping.h>
#include <linux/wait.h>
#include "core/access.h"
#include "itrace/itrace.h"
#include "itrace/room.h"

static DECLARE_WAIT_QUEUE_HEAD(waiting);

/* Preemption off. */
bool it_should_wait(const struct session *s)
{
	return s->mode == PITRACE_MODE_CONTINUOUS && !(s->itrace.flags & PITRACE_ITRACE_LOSSY) &&
	       current->tgid != READ_ONCE(s->itrace.holder) && session_may_halt_current(s);
}

/* The session may end meanwhile: it exists as long as the table assigns this thread to it. */
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

void it_wait_for_room(struct it_thread *t)
{
	DEFINE_WAIT(wait);
	u64 since;

	if (has_room(t))
		return;
	since = ktime_get_ns();
	for (;;) {
		/* Signals, debuggers and freezers come first: afterwards the thread waits again. */
		prepare_to_wait(&waiting, &wait, TASK_INTERRUPTIBLE | TASK_FREEZABLE);
		if (has_room(t) || signal_pending(current))
			break;
		schedule();
	}
	finish_wait(&waiting, &wait);
	waited(t, ktime_get_ns() - since);
}

void it_wake_waiting(void)
{
	if (wq_has_sleeper(&waiting))
		wake_up_all(&waiting);
}

/* The process that reads the rings is never traced: it would wait for itself. */
void itrace_consumed(struct session *s)
{
	WRITE_ONCE(s->itrace.holder, current->tgid);
	it_wake_waiting();
}
