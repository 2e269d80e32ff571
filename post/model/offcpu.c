/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the stack at which each thread left its CPU until the thread runs again. */
#include "model/offcpu.h"

static uint32_t *call_of(struct offcpu *a, const struct sched *s, const struct sched_thread *t)
{
	uint32_t i = (uint32_t)(t - s->thread);

	while (a->ncall <= i) {
		if (array_next(a->call, a->ncall, a->room_call))
			return NULL;
		a->call[a->ncall++] = NO_KEY;
	}
	return &a->call[i];
}

static int book(struct offcpu *a, struct sched *s, struct sched_thread *t, uint64_t time)
{
	uint32_t *call = call_of(a, s, t);
	uint64_t us = time > t->left ? (time - t->left) / 1000 : 0;

	if (!call)
		return -ENOMEM;
	if (*call != NO_KEY && t->has_left) {
		a->stacks.calls.call[*call].self += us;
		a->stacks.with += us;
		a->total += us;
	}
	*call = NO_KEY;
	return 0;
}

int offcpu_end(struct offcpu *a, struct sched *s, uint32_t tid, uint64_t time)
{
	struct sched_thread *t = sched_find(s, tid);

	return t ? book(a, s, t, time) : 0;
}

/* Finds the symbol at the stack's first address, where the thread left its CPU. */
static int find_leaf(struct offcpu *a, struct stacks_hit *hit, const struct stack *stack)
{
	if (!stack->head->kernel && !stack->head->user)
		return 1;
	hit->kernel = stack->head->kernel > 0;
	hit->address = hit->kernel ? stack->kernel[0] : stack->user[0];
	return names_address(a->names, hit->pid, hit->address, hit->time, hit->kernel, &hit->leaf);
}

int offcpu_begin(struct offcpu *a, struct sched *s, const struct pirecord *r,
		 const struct pitrace_dispatch *d, bool *whole)
{
	struct stacks_hit hit = { .pid = d->old_pid, .time = r->time };
	struct sched_thread *t = d->old_tid ? sched_find(s, d->old_tid) : NULL;
	struct stack stack;
	uint32_t row, *call;
	int rc;

	*whole = true;
	if (!t || t->state == SCHED_DEAD || !t->has_left || !(r->minor & PITRACE_DISPATCH_STACK))
		return 0;
	*whole = stack_read(r, sizeof(*d), &stack);
	if (!*whole)
		return 0;
	row = sched_row_of(s, t, r->time);
	call = call_of(a, s, t);
	if (row == NO_KEY || !call)
		return -ENOMEM;
	if (a->filter && !filter_shows(a->filter, a->names, row))
		return 0;
	hit.process = a->names->thread[row].process;
	rc = find_leaf(a, &hit, &stack);
	if (rc)
		return rc > 0 ? 0 : rc;
	return stacks_find(&a->stacks, a->names, &hit, &stack, call);
}

int offcpu_finish(struct offcpu *a, struct sched *s, uint64_t time)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < s->nthread && !rc; i++) {
		if (s->thread[i].state == SCHED_RUNNING || s->thread[i].state == SCHED_DEAD)
			continue;
		rc = book(a, s, &s->thread[i], time);
	}
	return rc;
}

void offcpu_free(struct offcpu *a)
{
	stacks_free(&a->stacks);
	free(a->call);
	*a = (struct offcpu){ 0 };
}
