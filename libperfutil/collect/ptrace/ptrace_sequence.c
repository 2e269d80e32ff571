/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads with reservation (arm64: ldxr, ppc64: larx) and their stores. A stop in between would take
 * the reservation away, each time: stepped, such a loop never ends. So from the load on the thread
 * runs to a breakpoint behind the store, or where a branch of the sequence leaves it; what it
 * executed in between is known then, for nothing in there goes back.
 */
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include "collect/ptrace/ptrace_session.h"

#define LONGEST	32			/* instructions of a sequence; they are few */
#define BYTES	4			/* of each */

struct sequence {
	uint64_t exit[LONGEST + 2];	/* where it may go on; the first: behind the store */
	unsigned int after[LONGEST + 2];	/* … having executed so many instructions */
	uint64_t from[LONGEST + 2];	/* … the last of them this branch; 0: none */
	unsigned int n;
};

static void add(struct sequence *q, uint64_t to, unsigned int after, uint64_t from)
{
	q->exit[q->n] = to;
	q->after[q->n] = after;
	q->from[q->n++] = from;
}

/* False: it is none that we know. */
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

/* A branch within it would leave open which way was taken. */
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

/* Where it has arrived, in records. */
static void arrived(struct ptrace_session *s, struct ptrace_thread *t, const struct sequence *q,
		    unsigned int i)
{
	for (unsigned int n = 0; n < q->after[i]; n++) {
		uint64_t at = t->pc;
		bool last = n + 1 == q->after[i];

		t->flow = (struct flow){ .what = last && q->from[i] ? FLOW_BRANCH : FLOW_NEXT,
					 .kind = PITRACE_BRANCH_JUMP, .length = BYTES };
		ptrace_stepped(s, t, last ? q->exit[i] : at + BYTES);
		if (t->mode != PTRACE_STEP)
			return;
	}
}

bool ptrace_sequence(struct ptrace_session *s, struct ptrace_thread *t, int *status)
{
	struct sequence q;
	bool set = true;
	uint64_t pc = 0;
	unsigned int i;

	*status = 0;
	if (!find_sequence(s, t, &q) || !plain(t, &q))
		return false;
	for (i = 0; i < q.n; i++)
		set = ptrace_break_set(t, q.exit[i]) && set;
	if (set && !ptrace(PTRACE_CONT, t->tid, 0, 0) &&
	    waitpid(t->tid, status, __WALL | __WNOTHREAD) == t->tid && WIFSTOPPED(*status))
		ptrace_pc_get(t->tid, &pc);
	if (!*status || WIFSTOPPED(*status))
		for (i = 0; i < q.n; i++)
			if (q.exit[i] != t->p->start)
				ptrace_break_clear(t, q.exit[i]);
	for (i = 0; i < q.n; i++)
		if (pc && pc == q.exit[i] + ptrace_break_behind && *status >> 8 == SIGTRAP) {
			ptrace_pc_set(t->tid, q.exit[i]);
			arrived(s, t, &q, i);
			return true;
		}
	/* A signal came: up to there it went straight on. */
	if (pc > t->pc && pc < q.exit[0]) {
		add(&q, pc, (unsigned int)(pc - t->pc) / BYTES, 0);
		arrived(s, t, &q, q.n - 1);
	}
	return false;
}
