// SPDX-License-Identifier: GPL-2.0
/*
 * Switches between threads, and what made them runnable. A switch also wakes the sampling timers of
 * a CPU that leaves idle, makes the timers of process sessions follow their threads, and advances
 * ptts, so every session and ptt has its hook.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
#include "core/session.h"
#include "hook/hook.h"
#include "itrace/itrace.h"
#include "ptt/ptt.h"
#include "records/stack.h"
#include "records/tprof.h"

/* Returns why a thread left the CPU, from the kernel's state bits. */
static __always_inline u32 left_because(bool preempt, unsigned int state)
{
	if (preempt)
		return PITRACE_LEFT_PREEMPTED;
	if (!state)
		return PITRACE_LEFT_RUNNING;
	if (state & TASK_INTERRUPTIBLE)
		return PITRACE_LEFT_SLEEP;
	if (state & TASK_UNINTERRUPTIBLE)
		return state & TASK_NOLOAD ? PITRACE_LEFT_IDLE : PITRACE_LEFT_BLOCKED;
	if (state & (TASK_DEAD | EXIT_DEAD | EXIT_ZOMBIE))
		return PITRACE_LEFT_DEAD;
	if (state & __TASK_STOPPED)
		return PITRACE_LEFT_STOPPED;
	if (state & __TASK_TRACED)
		return PITRACE_LEFT_TRACED;
	return PITRACE_LEFT_OTHER;
}

static __always_inline void fill(struct pitrace_dispatch *data, const struct task_struct *prev,
				 const struct task_struct *next)
{
	data->old_pid = prev->tgid;
	data->old_tid = prev->pid;
	data->new_pid = next->tgid;
	data->new_tid = next->pid;
	data->old_priority = prev->prio;
	data->new_priority = next->prio;
}

/* Writes a dispatch record with the stack at which the old thread, still the current one, waits. */
static noinline void dispatch_stack(struct session *s, struct ring *r, u32 minor,
				    const struct task_struct *prev, const struct task_struct *next)
{
	const struct stack_record *stack = stack_take(s, r->cpu, NULL);
	struct pitrace_dispatch *data;
	u32 size = sizeof(*data);

	if (stack) {
		minor |= PITRACE_DISPATCH_STACK;
		size += stack_bytes(stack);
	}
	data = ring_reserve(r, PITRACE_DISPATCH, minor, size, PITRACE_LOST_DISPATCH);
	if (data) {
		fill(data, prev, next);
		if (stack)
			stack_put(data + 1, stack);
		ring_commit(r);
	}
	stack_done(s, r->cpu, stack);
}

/* Writes a dispatch record. */
static __always_inline void dispatch(struct session *s, u32 minor, const struct task_struct *prev,
				     const struct task_struct *next)
{
	struct ring *r = session_trace(s);
	struct pitrace_dispatch *data;

	if (!r || !(session_has(s, prev->tgid) || session_has(s, next->tgid)))
		return;
	if (unlikely(s->stacks & PITRACE_WANT_DISPATCH) && !is_idle_task(prev) &&
	    session_has(s, prev->tgid)) {
		dispatch_stack(s, r, minor, prev, next);
		return;
	}
	data = ring_reserve(r, PITRACE_DISPATCH, minor, sizeof(*data), PITRACE_LOST_DISPATCH);
	if (!data)
		return;
	fill(data, prev, next);
	ring_commit(r);
}

static noinline void switch_sessions(bool preempt, const struct task_struct *prev,
				     const struct task_struct *next, unsigned int prev_state)
{
	struct session_cpu *c;
	struct session *s;

	for_each_wanting(s, WANT_TPROF) {
		c = session_here(s);
		if (c)
			tprof_switch(&c->tprof, prev, next);
	}
	for_each_wanting(s, WANT_DISPATCH)
		dispatch(s, left_because(preempt, prev_state), prev, next);
}

/* Has the caller's own arguments in the same order, so that passing them on moves no register
 * (__used keeps the compiler from dropping unused ones). */
static noinline __used void switch_slow(void *unused, bool preempt, struct task_struct *prev,
					struct task_struct *next, unsigned int prev_state)
{
	ptt_switch(prev, next, !preempt && prev_state & TASK_DEAD);
	if (itrace_any())
		itrace_switch(prev, next);
	if (READ_ONCE(wants[WANT_ANY]))
		switch_sessions(preempt, prev, next, prev_state);
}

/* With a ptt on, most switches are between unwatched threads: these take few instructions. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	preempt_disable_notrace();
	if (unlikely(READ_ONCE(wants[WANT_ANY]) || !ptt_passes(next, prev_state)))
		switch_slow(unused, preempt, prev, next, prev_state);
	preempt_enable_notrace();
}

struct hook_tracepoint hook_sched_tracepoints[] = { HOOK(sched_switch, on_switch), {} };

static void woken(const struct task_struct *task, u32 minor)
{
	struct pitrace_wakeup *data;
	struct session *s;
	struct ring *r;

	preempt_disable_notrace();
	if (!in_task())
		minor |= PITRACE_WAKE_INTERRUPT;
	for_each_wanting(s, WANT_WAKEUP) {
		r = session_trace(s);
		if (!r || !(session_has(s, current->tgid) || session_has(s, task->tgid)))
			continue;
		data = ring_reserve(r, PITRACE_WAKEUP, minor, sizeof(*data), PITRACE_LOST_WAKEUP);
		if (!data)
			continue;
		data->pid = task->tgid;
		data->tid = task->pid;
		data->waker_pid = current->tgid;
		data->waker_tid = current->pid;
		data->cpu = task_cpu(task);
		data->priority = task->prio;
		data->reserved = 0;
		ring_commit(r);
	}
	preempt_enable_notrace();
}

static void on_waking(void *unused, struct task_struct *task)
{
	woken(task, 0);
}

static void on_wakeup_new(void *unused, struct task_struct *task)
{
	woken(task, PITRACE_WAKE_NEW);
}

struct hook_tracepoint hook_wakeup_tracepoints[] = { HOOK(sched_waking, on_waking),
						     HOOK(sched_wakeup_new, on_wakeup_new),
						     {} };
