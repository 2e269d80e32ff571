// SPDX-License-Identifier: GPL-3.0-or-later
/* A thread's records of both sides, in the order of time: each run begins where the one before
 * led. */
#include <stdio.h>
#include <stdlib.h>
#include "kernel_flow.h"

/* How long an instruction is. */
#ifdef __x86_64__
#define SHORTEST 1
#define LONGEST  15
#else
#define SHORTEST 2
#define LONGEST  6
#endif

static void collect(const struct pitrace_rec *rec, void *arg)
{
	const uint32_t *who = (const void *)(rec + 1);
	struct flow *f = arg;
	struct event e = { .major = rec->major, .minor = rec->minor };

	if (rec->major == PITRACE_HIGH) {
		f->high = (uint64_t)rec->minor << 32;
		return;
	}
	switch (rec->major) {
	case PITRACE_BRANCH_USER:
	case PITRACE_BRANCH_KERNEL: {
		const struct pitrace_branch *b = (const void *)who;

		e.from = b->from;
		e.to = b->to;
		break;
	}
	case PITRACE_BREAK_USER:
	case PITRACE_BREAK_KERNEL: {
		const struct pitrace_break_rec *b = (const void *)who;

		e.from = b->at;
		e.to = b->to;
		e.number = b->number;
		break;
	}
	case PITRACE_ITRACE_START:
	case PITRACE_ITRACE_STOP:
		e.from = e.to = ((const struct pitrace_itrace_mark *)who)->address;
		break;
	default:
		return;
	}
	if (who[1] != f->tid)
		return;
	e.count = who[2];
	e.stamp = f->high | rec->stamp;
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 1024;
		f->event = realloc(f->event, f->room * sizeof(e));
	}
	f->event[f->n++] = e;
}

bool is_kernel(const struct event *e)
{
	return e->major == PITRACE_BRANCH_KERNEL || e->major == PITRACE_BREAK_KERNEL;
}

bool is_branch(const struct event *e)
{
	return e->major == PITRACE_BRANCH_KERNEL || e->major == PITRACE_BRANCH_USER;
}

bool is_mark(const struct event *e)
{
	return e->major == PITRACE_ITRACE_START || e->major == PITRACE_ITRACE_STOP;
}

/* s390x's two sides have each a space of their own: addresses tell nothing. */
static bool on_side(uint64_t address, bool kernel)
{
#ifdef __x86_64__
	return ((int64_t)address < 0) == kernel;
#else
	(void)address, (void)kernel;
	return true;
#endif
}

/* Each record continues where the one before it led, on the side that it led to. */
static bool follows(const struct flow *f, long i)
{
	const struct event *e = &f->event[i], *before = e - 1;
	uint32_t kind = e->minor & PITRACE_BRANCH_KIND;
	uint64_t n = e->count, bytes = e->from - before->to;
	bool cross = before->minor & PITRACE_BRANCH_CROSS;

	if (e->minor & PITRACE_BRANCH_GAP || is_mark(before) || (is_mark(e) && !e->from))
		return true;
	if (e->from && !on_side(e->from, is_kernel(e)))
		return false;
	if (!is_mark(e) && is_kernel(e) != (is_kernel(before) ^ cross))
		return false;
	if (!is_mark(e) && !on_side(e->to, is_kernel(e) ^ !!(e->minor & PITRACE_BRANCH_CROSS)))
		return false;
	if (is_branch(e)) {
		if (!n)
			return false;
		n--;
	} else if (!is_kernel(e) && (kind == PITRACE_BREAK_SYSCALL || kind == PITRACE_BREAK_EXEC ||
				     kind == PITRACE_BREAK_SIGRETURN)) {
		return true;
	}
	return bytes >= SHORTEST * n && bytes <= LONGEST * n;
}

static void check_flow(struct flow *f)
{
	long i;

	for (i = 0; i < f->n; i++) {
		const struct event *e = &f->event[i];
		uint32_t kind = e->minor & 15;
		bool kernel = is_kernel(e);

		f->gaps += !!(e->minor & PITRACE_BRANCH_GAP);
		if (e->major == PITRACE_ITRACE_STOP)
			f->stops[kind]++;
		if (is_mark(e))
			continue;
		f->instructions[kernel] += e->count;
		if (is_branch(e)) {
			f->branches[kernel]++;
			if (e->minor & PITRACE_BRANCH_CROSS)
				++*(kernel ? &f->returns : &f->calls);
		} else {
			f->breaks[kernel][kind]++;
		}
		if (i && !follows(f, i)) {
			wrong("record %ld: major %#x, minor %#x, %u instructions, %#lx -> %#lx, behind %#x, %#x -> %#lx",
			      i, e->major, e->minor, e->count, (long)e->from, (long)e->to,
			      e[-1].major, e[-1].minor, (long)e[-1].to);
			return;
		}
	}
}

static int by_stamp(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return x->stamp < y->stamp ? -1 : x->stamp > y->stamp;
}

struct flow flow_of(const struct view *v, uint32_t tid, bool moves)
{
	struct flow f = { .tid = tid };

	each_record(v, PITRACE_RING_TRACE, collect, &f);
	if (moves)
		qsort(f.event, f.n, sizeof(*f.event), by_stamp);
	check_flow(&f);
	printf("# %ld records; %ld calls, %ld returns; user: %ld instructions, %ld branches; kernel: %ld, %ld; %ld gaps\n",
	       f.n, f.calls, f.returns, f.instructions[0], f.branches[0], f.instructions[1],
	       f.branches[1], f.gaps);
	return f;
}
