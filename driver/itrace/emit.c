// SPDX-License-Identifier: GPL-2.0
/* ITrace's records. */
#include "core/access.h"
#include "itrace/emit.h"

/* Debug kernels check that no record is about a thread that the owner may not trace. */
static __always_inline void check_owner(const struct it_thread *t)
{
	const struct cred *owner = t->session->cred;

	if (IS_ENABLED(CONFIG_PROVE_LOCKING) && owner)
		WARN_ON_ONCE(!cred_covers_task_cred(owner, t->task));
}

/* A record without room is counted, and the thread's next record has the flag GAP. */
static __always_inline void *reserve(struct it_thread *t, struct session_cpu *c, u16 major,
				     u32 minor, u32 size, struct ring **ring)
{
	struct session *s = t->session;
	struct ring *r = NULL;
	void *data = NULL;

	check_owner(t);
	if (likely(c && READ_ONCE(s->state) == PITRACE_STATE_ON)) {
		r = &c->ring[PITRACE_RING_TRACE];
		data = ring_reserve(r, major, minor | (t->gap ? PITRACE_BRANCH_GAP : 0), size,
				    PITRACE_LOST_BRANCH);
	}
	t->gap = !data;
	*ring = r;
	return data;
}

void *it_reserve(struct it_thread *t, u16 major, u32 minor, u32 size, struct ring **ring)
{
	return reserve(t, session_here(t->session), major, minor, size, ring);
}

/* The run has ended, whether recorded or lost. */
static __always_inline void end_run(struct session_cpu *c, struct it_side *side, bool branch)
{
	if (likely(c)) {
		c->page->instructions += side->run;
		c->page->branches += branch;
	}
	side->run = 0;
}

static __always_inline void emit_branch(struct it_thread *t, bool user, u32 kind, u64 from, u64 to)
{
	struct it_side *side = user ? &t->user : &t->kernel.side;
	u16 major = user ? PITRACE_BRANCH_USER : PITRACE_BRANCH_KERNEL;
	struct session_cpu *c = session_here(t->session);
	struct pitrace_branch *data;
	struct ring *r;

	if (t->phase != IT_RUNNING)
		return;
	data = reserve(t, c, major, kind, sizeof(*data), &r);
	if (!data)
		goto out;
	data->pid = t->task->tgid;
	data->tid = t->task->pid;
	data->count = side->run;
	data->from = from;
	data->to = to;
	ring_commit(r);
out:
	end_run(c, side, !(kind & PITRACE_BRANCH_STEP));
}

void it_emit_branch(struct it_thread *t, bool user, u32 kind, u64 from, u64 to)
{
	if (!it_wants(t, user))
		return;
	/* One copy for each side: most traps take this path. */
	if (user)
		emit_branch(t, true, kind, from, to);
	else
		emit_branch(t, false, kind, from, to);
}

/* The record is written even if user code is not traced: the kernel's first run begins there. */
void it_emit_entry(struct it_thread *t, u64 to)
{
	u32 kind = PITRACE_BRANCH_OTHER | PITRACE_BRANCH_CROSS;

	if (it_wants(t, true)) {
		it_emit_branch(t, true, kind, t->call, to);
		return;
	}
	t->user.run = 1;
	t->gap = true;
	emit_branch(t, true, kind, t->call, to);
}

/* A break that changes the flow is recorded even if its major is not selected: without it the
 * branches would be meaningless. */
static bool wants_break(const struct it_thread *t, bool user, u32 why, bool moves)
{
	const unsigned long *majors = t->session->majors;

	if (!moves && (why == PITRACE_BREAK_INTERRUPT || why == PITRACE_BREAK_FAULT))
		return test_bit(user ? PITRACE_BREAK_USER : PITRACE_BREAK_KERNEL, majors);
	return test_bit(user ? PITRACE_BRANCH_USER : PITRACE_BRANCH_KERNEL, majors);
}

void it_emit_break(struct it_thread *t, bool user, u32 why, u32 number, u64 at, u64 to)
{
	struct it_side *side = user ? &t->user : &t->kernel.side;
	struct pitrace_break_rec *data;
	struct ring *r;

	if (t->phase != IT_RUNNING || !wants_break(t, user, why, at != to))
		return;
	data = it_reserve(t, user ? PITRACE_BREAK_USER : PITRACE_BREAK_KERNEL, why, sizeof(*data),
			  &r);
	if (!data)
		goto out;
	data->pid = t->task->tgid;
	data->tid = t->task->pid;
	data->count = side->run;
	data->number = number;
	data->at = at;
	data->to = to;
	ring_commit(r);
out:
	end_run(session_here(t->session), side, false);
}

void it_emit_mark(struct it_thread *t, bool start, u32 why, u32 count, u64 address)
{
	struct session_cpu *c = session_here(t->session);
	struct pitrace_itrace_mark *data;
	struct ring *r;

	if (c)
		c->page->instructions += count;
	data = it_reserve(t, start ? PITRACE_ITRACE_START : PITRACE_ITRACE_STOP, why, sizeof(*data),
			  &r);
	if (!data)
		return;
	data->pid = t->task->tgid;
	data->tid = t->task->pid;
	data->count = count;
	data->reserved = 0;
	data->address = address;
	ring_commit(r);
}

void it_emit_taken(struct session *s, struct task_struct *task)
{
	struct it_thread none = { .task = task, .session = s };
	struct session_cpu *c = session_here(s);

	if (!c)
		return;
	c->page->taken++;
	it_emit_mark(&none, false, PITRACE_ITRACE_TAKEN, 0, 0);
}

void it_emit_switch(struct it_thread *t, u32 from_cpu)
{
	struct pitrace_itrace_switch *data;
	bool gap = t->gap;
	struct ring *r;

	if (!test_bit(PITRACE_ITRACE_SWITCH, t->session->majors))
		return;
	data = it_reserve(t, PITRACE_ITRACE_SWITCH, 0, sizeof(*data), &r);
	if (data) {
		data->pid = t->task->tgid;
		data->tid = t->task->pid;
		data->from_cpu = from_cpu;
		data->reserved = 0;
		ring_commit(r);
	}
	/* This record is not part of the flow: a gap before it stays pending. */
	t->gap = gap;
}

#ifdef ARCH_ACCESSES
void it_emit_accesses(struct it_thread *t)
{
	const struct arch_access *a = t->arch.access;
	struct pitrace_access *data;
	struct ring *r;
	u8 n;

	for (n = t->arch.accesses; n; n--, a++) {
		if (t->phase != IT_RUNNING)
			break;
		data = it_reserve(t, PITRACE_LOAD_STORE, a->way, sizeof(*data), &r);
		if (!data)
			continue;
		data->pid = t->task->tgid;
		data->tid = t->task->pid;
		data->bytes = a->bytes;
		data->reserved = 0;
		data->at = a->at;
		data->address = a->address;
		ring_commit(r);
	}
	t->arch.accesses = 0;
}
#endif
