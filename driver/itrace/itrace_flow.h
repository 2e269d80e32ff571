/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counts the instructions that a thread has run, and begins and ends its trace by them. The thread
 * itself calls these, in a hook or a trap, or while it is switched; preemption off.
 */
#ifndef PITRACE_ITRACE_FLOW_H
#define PITRACE_ITRACE_FLOW_H

#include "core/access.h"
#include "core/session.h"
#include "itrace/itrace_table.h"

/* Ends the thread's current run by a mark; tracing continues. */
void it_cut(struct it_thread *t, enum pitrace_itrace_why why, u64 address);
/* Ends recording of the thread. */
void it_stop(struct it_thread *t, enum pitrace_itrace_why why, u64 address);
/* The thread is about to execute the instruction at `ip`: does its trace begin or end there? */
void it_check_bounds(struct it_thread *t, u64 ip);
/* The thread has run `n` instructions, straight on to `to`. Starts and stops of the trace within
 * them are recorded as if each instruction had trapped. False: nothing more is recorded. */
bool it_advance(struct it_thread *t, bool user, u32 n, u64 to);
/* May the thread still be traced? */
bool it_still_traced(struct it_thread *t);

/* Must it reach the start address before it is recorded? */
static inline bool it_waits_for_start(const struct it_thread *t)
{
	return t->session->itrace.flags & PITRACE_ITRACE_FROM && !t->started;
}

/* May the session's owner trace the thread, which is the current one or about to run? */
static __always_inline bool it_visible(const struct it_thread *t)
{
	const struct cred *owner = t->session->cred;

	return likely(!owner) || cred_covers_task_rcu(owner, t->task);
}

/* it_still_traced(), for each trap. */
static __always_inline bool it_still_traced_here(struct it_thread *t)
{
	if (unlikely(READ_ONCE(t->state) != IT_ARMED || t->phase == IT_DONE))
		return false;
	/* The owner may no longer trace it: what it ran since the last record stays unrecorded. */
	if (unlikely(READ_ONCE(t->session->state) != PITRACE_STATE_ON || !it_visible(t))) {
		t->phase = IT_DONE;
		return false;
	}
	if (unlikely(READ_ONCE(t->task->ptrace))) {
		it_stop(t, PITRACE_ITRACE_DEBUGGER, t->user.ip);
		return false;
	}
	return true;
}

/* Counts `n` more instructions; false: those were the last. */
static inline bool it_count(struct it_thread *t, struct it_side *side, u32 n)
{
	if (unlikely(t->phase != IT_RUNNING)) {
		if (t->phase == IT_SKIPPING)
			t->skip -= min_t(u64, n, t->skip);
		return true;
	}
	side->run += n;
	if (!t->left)
		return true;
	t->left -= min_t(u64, n, t->left);
	return t->left;
}

#endif
