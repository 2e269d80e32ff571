/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Load-linked/store-conditional sequences (arm64: ldxr, ppc64: larx). A stop inside clears the
 * reservation each time, so a stepped loop would never end. From the load on the thread runs to a
 * breakpoint after the store, or where a branch leaves the sequence; the instructions in between
 * are then known, because no branch inside jumps backwards.
 */
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "collect/ptrace/ptrace_session.h"

#define LONGEST 32 /* maximum instructions of a sequence */
#define BYTES   4  /* maximum bytes of each */

struct sequence {
	uint64_t exit[LONGEST + 2];      /* exits; the first: after the store */
	unsigned int after[LONGEST + 2]; /* … number of instructions executed by then */
	uint64_t from[LONGEST + 2];      /* … the branch that is the last of them; 0: none */
	unsigned int n;
};

static void add(struct sequence *q, uint64_t to, unsigned int after, uint64_t from)
{
	q->exit[q->n] = to;
	q->after[q->n] = after;
	q->from[q->n++] = from;
}

/* Finds the sequence. False: not a known one. */
static bool find_sequence(struct ptrace_session *s, struct ptrace_thread *t, struct sequence *q)
{
	q->n = 1;
	for (unsigned int i = 0; i < LONGEST; i++) {
		uint64_t at = t->pc + i * BYTES;
		uint8_t code[FLOW_BYTES];
		struct flow f = flow_here(code, ptrace_code_at(s, t, at, code), true);

		switch (f.what) {
		case FLOW_RELEASE:
			q->exit[0] = at + BYTES;
			q->after[0] = i + 1;
			q->from[0] = 0;
			return true;
		case FLOW_MAYBE:
			if (!f.direct)
				return false;
			add(q, at + (uint64_t)f.reach, i + 1, at);
			break;
		case FLOW_RESERVE:
		case FLOW_NEXT:
			break;
		default:
			return false;
		}
	}
	return false;
}

/* With a branch inside, the path taken would be unknown. */
static bool plain(const struct ptrace_thread *t, const struct sequence *q)
{
	for (unsigned int i = 1; i < q->n; i++) {
		if (q->exit[i] >= t->pc && q->exit[i] <= q->exit[0])
			return false;
		for (unsigned int k = 1; k < i; k++)
			if (q->exit[k] == q->exit[i])
				return false;
	}
	return true;
}

/* Writes records up to the exit that was reached. */
static void arrived(struct ptrace_session *s, struct ptrace_thread *t, const struct sequence *q,
		    unsigned int i)
{
	for (unsigned int n = 0; n < q->after[i]; n++) {
		uint64_t at = t->pc;
		bool last = n + 1 == q->after[i];

		t->flow = (struct flow){ .what = last && q->from[i] ? FLOW_BRANCH : FLOW_NEXT,
					 .kind = PITRACE_BRANCH_JUMP,
					 .length = BYTES };
		ptrace_stepped(s, t, last ? q->exit[i] : at + BYTES);
		if (t->mode != PTRACE_STEP)
			return;
	}
}

/* Requests to the worker interrupt its waits; this wait is retried, because it ends within a few
 * instructions, and the breakpoints must not be removed while the thread runs. */
static bool wait_for(pid_t tid, int *status)
{
	pid_t got;

	do
		got = waitpid(tid, status, __WALL | __WNOTHREAD);
	while (got < 0 && errno == EINTR);
	return got == tid;
}

bool ptrace_sequence(struct ptrace_session *s, struct ptrace_thread *t, int *status)
{
	struct sequence q;
	bool set = true, starts;
	uint64_t pc = 0;
	unsigned int i;

	*status = 0;
	if (!find_sequence(s, t, &q) || !plain(t, &q))
		return false;
	/* With a breakpoint at the start address the sequence would never reach its end. */
	starts = t->p->start >= t->pc && t->p->start < q.exit[0] &&
		 ptrace_break_is(t->p, t->p->start);
	if (starts)
		ptrace_break_clear(t, t->p->start);
	for (i = 0; i < q.n; i++)
		set = ptrace_break_set(t, q.exit[i]) && set;
	if (set && !ptrace(PTRACE_CONT, t->tid, 0, 0) && wait_for(t->tid, status) &&
	    WIFSTOPPED(*status))
		ptrace_pc_get(t->tid, &pc);
	if (!*status || WIFSTOPPED(*status)) {
		for (i = 0; i < q.n; i++)
			if (q.exit[i] != t->p->start)
				ptrace_break_clear(t, q.exit[i]);
		if (starts)
			ptrace_break_set(t, t->p->start);
	}
	for (i = 0; i < q.n; i++)
		if (pc && pc == q.exit[i] + ptrace_break_behind && *status >> 8 == SIGTRAP) {
			ptrace_pc_set(t->tid, q.exit[i]);
			arrived(s, t, &q, i);
			return true;
		}
	/* A signal arrived: the code up to here has no branches. */
	if (pc > t->pc && pc < q.exit[0]) {
		add(&q, pc, (unsigned int)(pc - t->pc) / BYTES, 0);
		arrived(s, t, &q, q.n - 1);
	}
	return false;
}
