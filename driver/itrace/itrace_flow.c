// SPDX-License-Identifier: GPL-2.0
/* Start and stop of a thread's trace: by addresses, by counts, and by permissions. */
#include "itrace/emit.h"
#include "itrace/itrace_flow.h"
#include "itrace/trap.h"

/* Ends the run of the side that the thread is on; the other side has none. */
void it_cut(struct it_thread *t, enum pitrace_itrace_why why, u64 address)
{
	if (t->phase == IT_RUNNING)
		it_emit_mark(t, false, why, t->user.run + t->kernel.side.run, address);
	t->user.run = t->kernel.side.run = 0;
}

void it_stop(struct it_thread *t, enum pitrace_itrace_why why, u64 address)
{
	it_cut(t, why, address);
	t->phase = IT_DONE;
	if (why == PITRACE_ITRACE_DEBUGGER)
		it_cede_trap(t);
	else
		it_disarm(t);
}

void it_check_bounds(struct it_thread *t, u64 ip)
{
	const struct session_itrace *it = &t->session->itrace;

	if (t->phase == IT_SKIPPING && !t->skip) {
		t->why = PITRACE_ITRACE_SKIPPED;
		t->phase = it_waits_for_start(t) ? IT_WAITING : IT_RUNNING;
		if (t->phase == IT_RUNNING)
			it_emit_mark(t, true, t->why, 0, ip);
	}
	if (t->phase == IT_WAITING && t->start == ip && ip) {
		t->phase = IT_RUNNING;
		it_emit_mark(t, true, PITRACE_ITRACE_ADDRESS, 0, ip);
	} else if (t->phase == IT_RUNNING && t->stop == ip && ip) {
		it_cut(t, PITRACE_ITRACE_ADDRESS, ip);
		t->phase = IT_WAITING;
		if (!(it->flags & PITRACE_ITRACE_FROM)) {
			t->phase = IT_DONE;
			t->left_out = true;
			it_disarm(t);
		}
	}
}

/* Does the trace neither start nor stop within the n instructions straight on to `to`? */
static bool uneventful(const struct it_thread *t, u64 from, u32 n, u64 to)
{
	if (t->phase == IT_SKIPPING)
		return t->skip > n;
	if (t->phase == IT_WAITING)
		return !t->start || t->start - from > to - from;
	return (!t->left || t->left > n) && (!t->stop || t->stop - from > to - from);
}

bool it_advance(struct it_thread *t, bool user, u32 n, u64 to)
{
	struct it_side *side = user ? &t->user : &t->kernel.side;
	bool steps = t->session->itrace.flags & PITRACE_ITRACE_STEPS;
	u64 next;

	if (!steps && uneventful(t, side->ip, n, to)) {
		side->ip = to;
		return it_count(t, side, n);
	}
	for (; n; n--) {
		next = n > 1 ? arch_itrace_next(side->ip, user) : to;
		if (!it_count(t, side, 1)) {
			it_stop(t, PITRACE_ITRACE_LIMIT, next);
			return false;
		}
		if (steps)
			it_emit_branch(t, user, PITRACE_BRANCH_OTHER | PITRACE_BRANCH_STEP,
				       side->ip, next);
		side->ip = next;
		it_check_bounds(t, next);
		if (t->phase == IT_DONE)
			return false;
	}
	return true;
}

bool it_still_traced(struct it_thread *t)
{
	return it_still_traced_here(t);
}
