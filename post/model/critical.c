/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Follows sched's accounting, and attributes each wait to its causes when the wait ends. */
#include "model/critical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/call_names.h"

#define SOFTIRQ_TIMER   1
#define SOFTIRQ_HRTIMER 8

static struct critical_thread *thread_at(struct critical *c, uint32_t i)
{
	return array_reach(c->thread, c->nthread, i) ? NULL : &c->thread[i];
}

static struct past *cpu_at(struct critical *c, uint32_t cpu)
{
	return array_reach(c->cpu, c->ncpus, cpu) ? NULL : &c->cpu[cpu];
}

/* ---- victims --------------------------------------------------------------------------------- */

static bool kernel_thread(const struct critical *c, uint32_t tid)
{
	uint32_t i = keys_find(&c->by_tid, hash_mix(tid, 3), c->task, e, e->tid == tid);

	return i != NO_KEY && c->task[i].kernel;
}

static bool is_victim(struct critical *c, uint32_t i, uint32_t row)
{
	struct critical_thread *x = &c->thread[i];

	if (filter_threads(c->filter))
		return filter_shows(c->filter, c->sched->names, row);
	if (!x->asked) {
		x->asked = true;
		x->kernel = kernel_thread(c, c->sched->thread[i].tid);
	}
	return !x->kernel;
}

/* ---- waits ----------------------------------------------------------------------------------- */

static int begin_wait(struct critical *c, uint32_t i, bool ready, uint64_t time)
{
	struct critical_thread *x = thread_at(c, i);

	if (!x)
		return -ENOMEM;
	x->waits = true;
	x->ready = ready;
	x->from = x->to = time;
	return open_waits_begin(&c->waits, i, time);
}

/* A wait that has ended: receives its parts from the past of the thread or CPU waited for. */
struct over {
	struct critical *c;
	uint32_t thread, row;
	bool victim;
	uint32_t waker_ran; /* index of a blame */
	uint64_t direct;
	uint64_t at; /* the next part's begin */
};

static int take_part(void *arg, const struct past_part *p)
{
	struct over *f = arg;
	struct critical *c = f->c;
	int rc = blame_add(c, f->row, f->victim, p->blame, p->ns);

	if (!rc && f->victim && c->watch.part)
		rc = c->watch.part(c->watch.arg, f->row, &c->blame[p->blame], f->at, p->ns);
	f->at += p->ns;
	if (p->blame == f->waker_ran)
		f->direct += p->ns;
	return rc ? rc : past_take(&c->thread[f->thread].past, &c->waits, p, c->many);
}

static uint32_t call_of(const struct critical_thread *x)
{
	return x->in_call ? x->call : x->faults ? WAIT_IN_FAULT : WAIT_IN_NONE;
}

/* Ends a wait. of: the past of the thread or CPU waited for; time that it does not cover is blamed
 * on `nobody`. */
static int end_wait(struct critical *c, uint32_t i, const struct past *of, uint32_t nobody,
		    uint32_t waker, uint32_t waker_ran)
{
	const struct critical_thread *x = &c->thread[i];
	const struct past none = { .count = 0 };
	struct over f = {
		.c = c,
		.thread = i,
		.row = x->row,
		.waker_ran = waker_ran,
		.at = x->from,
	};
	const struct past_reader reader = { take_part, &f };
	struct wait_edge edge = {
		.waiter = x->row,
		.waker = waker,
		.call = call_of(x),
		.object = x->in_call ? x->object : 0,
	};
	uint64_t ns = x->to - x->from;
	int rc;

	open_waits_end(&c->waits, i);
	c->thread[i].waits = c->thread[i].faults = false;
	if (!ns)
		return 0;
	f.victim = is_victim(c, i, x->row);
	rc = past_read(of ? of : &none, x->from, x->to, nobody, &reader);
	if (rc || !f.victim || waker == WAITED_ON)
		return rc;
	return wait_edge_add(c, &edge, ns, f.direct);
}

/* Ends a wait whose end was not recorded, or that had not ended. */
static int end_unseen(struct critical *c, uint32_t i, enum blame_kind kind)
{
	uint32_t blame, waker = kind == BLAME_UNFINISHED ? WAITED_ON : WAITED_UNSEEN;
	int rc = blame_of(c, kind, c->thread[i].row, &blame);

	return rc ? rc : end_wait(c, i, NULL, blame, waker, blame);
}

/* Ends the wait of a ready thread, when it runs or tracing ends: blames the threads that had the
 * CPU. */
static int end_ready(struct critical *c, uint32_t i, uint32_t cpu)
{
	struct past *of = cpu_at(c, cpu);
	uint32_t blame;
	int rc = of ? blame_of(c, BLAME_IDLE, BLAME_NOBODY, &blame) : -ENOMEM;

	return rc ? rc : end_wait(c, i, of, blame, WAITED_CPU, BLAME_NOBODY);
}

static int end_somehow(struct critical *c, uint32_t i)
{
	return c->thread[i].ready ? end_ready(c, i, c->sched->thread[i].cpu) :
				    end_unseen(c, i, BLAME_UNWOKEN);
}

/* ---- callbacks of sched ---------------------------------------------------------------------- */

static uint32_t index_of(const struct critical *c, const struct sched_thread *t)
{
	return (uint32_t)(t - c->sched->thread);
}

static int add_own(struct critical *c, uint32_t i, enum blame_kind kind, uint32_t row,
		   uint64_t from, uint64_t to)
{
	uint32_t blame;
	int rc = blame_of(c, kind, row, &blame);

	if (!rc)
		rc = blame_add(c, row, is_victim(c, i, row), blame, to - from);
	return rc ? rc : past_add(&c->thread[i].past, &c->waits, from, to, blame, c->many);
}

static int booked(void *arg, const struct sched_thread *t, uint32_t row, uint64_t from, uint64_t to)
{
	struct critical *c = arg;
	uint32_t i = index_of(c, t);
	struct critical_thread *x = thread_at(c, i);
	bool ready = t->state == SCHED_WAITING;
	int rc = 0;

	if (!x)
		return -ENOMEM;
	if (!ready && t->state != SCHED_OFF) {
		if (x->waits)
			rc = end_somehow(c, i);
		return rc ? rc :
			    add_own(c, i, t->state == SCHED_RUNNING ? BLAME_RAN : BLAME_UNKNOWN,
				    row, from, to);
	}
	if (x->waits && x->from == x->to)
		x->ready = ready; /* woken before it was asleep */
	if (x->waits && (x->ready != ready || x->to != from))
		rc = end_somehow(c, i);
	if (!rc && !x->waits)
		rc = begin_wait(c, i, ready, from);
	x->row = row;
	x->to = to;
	return rc;
}

static int cpu_booked(void *arg, uint32_t cpu, uint64_t from, uint64_t to)
{
	static const enum blame_kind kinds[] = {
		[CPU_UNKNOWN] = BLAME_UNKNOWN,
		[CPU_IDLE] = BLAME_IDLE,
		[CPU_THREAD] = BLAME_CPU,
		[CPU_OTHERS] = BLAME_OUTSIDE,
	};
	struct critical *c = arg;
	struct past *p = cpu_at(c, cpu);
	enum sched_what what = c->sched->cpu[cpu].what;
	uint32_t who = BLAME_NOBODY, blame;
	int rc;

	if (!p)
		return -ENOMEM;
	if (what == CPU_THREAD)
		who = c->sched->thread[c->sched->cpu[cpu].thread].row;
	rc = blame_of(c, kinds[what], who, &blame);
	return rc ? rc : past_add(p, &c->waits, from, to, blame, c->many);
}

static int leaves(void *arg, const struct sched_thread *t, uint64_t time)
{
	struct critical *c = arg;

	if (t->state == SCHED_DEAD)
		return 0;
	return begin_wait(c, index_of(c, t), t->state == SCHED_WAITING, time);
}

/* Ends a wait by an interrupt: a timer that the thread had set, or a device. */
static int end_by_interrupt(struct critical *c, uint32_t i, uint32_t waker)
{
	const struct irq_row *q = waker == WAKER_SOME_IRQ ? NULL :
							    &c->irqs->row[waker & ~WAKER_IRQ];
	enum blame_kind kind = BLAME_IRQ;
	uint32_t who = c->thread[i].row, blame;
	int rc;

	if (!q)
		kind = BLAME_SOME_IRQ;
	else if (q->source == PITRACE_IRQ_TIMER ||
		 (q->source == PITRACE_IRQ_SOFTIRQ &&
		  (q->number == SOFTIRQ_TIMER || q->number == SOFTIRQ_HRTIMER)))
		kind = BLAME_SLEPT;
	else
		who = waker & ~WAKER_IRQ;
	rc = blame_of(c, kind, who, &blame);
	return rc ? rc : end_wait(c, i, NULL, blame, waker, blame);
}

static int end_by_thread(struct critical *c, uint32_t i, uint32_t row, uint32_t tid, uint64_t time)
{
	struct sched *s = c->sched;
	struct sched_thread *w = sched_find(s, tid);
	bool outside = !w || (s->scoped && !w->in_scope);
	uint32_t nobody, ran;
	struct critical_thread *x;
	int rc = outside ? 0 : sched_settle(s, w, time);

	if (!rc)
		rc = blame_of(c, outside ? BLAME_OUTSIDE : BLAME_UNKNOWN, row, &nobody);
	if (!rc)
		rc = blame_of(c, BLAME_RAN, row, &ran);
	x = rc || outside ? NULL : thread_at(c, index_of(c, w));
	if (rc || (!outside && !x))
		return rc ? rc : -ENOMEM;
	/* A wait that began before the new thread existed was a wait for its creator. */
	if (x && s->thread[i].reason == SCHED_NEW && !c->thread[i].past.count)
		rc = past_copy(&c->thread[i].past, &c->waits, &x->past, c->thread[i].from, c->many);
	return rc ? rc : end_wait(c, i, x ? &x->past : NULL, nobody, row, ran);
}

static int woken(void *arg, const struct sched_thread *t, uint32_t waker, uint32_t tid,
		 uint64_t time)
{
	struct critical *c = arg;
	uint32_t i = index_of(c, t);
	struct critical_thread *x = thread_at(c, i);
	int rc = 0;

	if (!x)
		return -ENOMEM;
	if (x->waits && !x->ready) {
		/* An idle CPU only wakes threads in interrupts. */
		if (!tid)
			rc = end_by_interrupt(c, i, waker & WAKER_IRQ ? waker : WAKER_SOME_IRQ);
		else
			rc = end_by_thread(c, i, waker, tid, time);
	}
	return rc ? rc : begin_wait(c, i, true, time);
}

static int runs(void *arg, const struct sched_thread *t)
{
	struct critical *c = arg;
	uint32_t i = index_of(c, t);
	struct critical_thread *x = thread_at(c, i);

	if (!x)
		return -ENOMEM;
	return !x->waits ? 0 : x->ready ? end_ready(c, i, t->cpu) : end_unseen(c, i, BLAME_UNWOKEN);
}

static const struct sched_watch watch = {
	.thread = booked,
	.cpu = cpu_booked,
	.leaves = leaves,
	.woken = woken,
	.runs = runs,
};

int critical_open(struct critical *c, struct sched *s, const struct irqs *q,
		  const struct filter *filter, const struct pifile_header *header)
{
	snprintf(c->machine, sizeof(c->machine), "%.*s", (int)sizeof(header->machine),
		 header->machine);
	c->filter = filter;
	c->wanted = true;
	c->sched = s;
	c->irqs = q;
	s->watch = &watch;
	s->watcher = c;
	return blame_of(c, BLAME_MANY, BLAME_NOBODY, &c->many);
}

/* ---- tracing on and off ---------------------------------------------------------------------- */

/* Forgets the past: no current wait depends on it. */
static void forget(struct critical *c)
{
	uint32_t i;

	for (i = 0; i < c->nthread; i++) {
		c->thread[i].past.count = 0;
		c->thread[i].waits = c->thread[i].in_call = c->thread[i].faults = false;
		open_waits_end(&c->waits, i);
	}
	for (i = 0; i < c->ncpus; i++)
		c->cpu[i].count = 0;
}

void critical_on(struct critical *c, uint64_t time)
{
	forget(c);
	shares_begin(&c->shares, time);
}

int critical_off(struct critical *c, uint64_t time)
{
	uint32_t i;
	int rc = shares_end(&c->shares, time);

	for (i = 0; i < c->nthread && !rc; i++) {
		if (c->thread[i].waits)
			rc = c->thread[i].ready ? end_ready(c, i, c->sched->thread[i].cpu) :
						  end_unseen(c, i, BLAME_UNFINISHED);
	}
	return rc;
}

int critical_runs(struct critical *c, uint32_t cpu, uint64_t time)
{
	const struct sched_cpu *at = cpu < c->sched->ncpus ? &c->sched->cpu[cpu] : NULL;
	const struct wall_shares_cpu *has = cpu < c->shares.ncpus ? &c->shares.cpu[cpu] : NULL;
	uint32_t row = SHARES_IDLE;

	if (at && at->what == CPU_THREAD) {
		row = sched_row_of(c->sched, &c->sched->thread[at->thread], time);
		if (row == NO_KEY)
			return -ENOMEM;
	} else if (at && at->what == CPU_OTHERS) {
		row = SHARES_OTHERS;
	}
	if (has ? has->runs == (row != SHARES_IDLE) && (!has->runs || has->row == row) :
		  row == SHARES_IDLE)
		return 0;
	return shares_run(&c->shares, cpu, row, time);
}

/* ---- system calls and faults ----------------------------------------------------------------- */

static struct critical_thread *thread_of(struct critical *c, uint32_t tid)
{
	const struct sched_thread *t = sched_find(c->sched, tid);

	return t ? thread_at(c, index_of(c, t)) : NULL;
}

int critical_call(struct critical *c, uint32_t tid, uint32_t call, uint64_t argument)
{
	struct critical_thread *x = thread_of(c, tid);
	char room[64];

	if (!x)
		return -ENOMEM;
	x->in_call = true;
	x->faults = false;
	x->call = call;
	/* Only futex addresses identify an object: for other calls the first argument may be the
	 * same in several processes, or an address without meaning. */
	x->object = strncmp(call_name(c->machine, call, room, sizeof(room)), "futex", 5) ? 0 :
											   argument;
	return 0;
}

void critical_return(struct critical *c, uint32_t tid)
{
	struct critical_thread *x = thread_of(c, tid);

	if (x)
		x->in_call = x->faults = false;
}

void critical_fault(struct critical *c, uint32_t tid)
{
	struct critical_thread *x = thread_of(c, tid);

	if (x)
		x->faults = true;
}

int critical_task(struct critical *c, const struct pitrace_mte_task *task, uint64_t time)
{
	const struct sched_thread *t = sched_find(c->sched, task->tid);
	uint32_t tid = task->tid;
	uint32_t i = keys_find(&c->by_tid, hash_mix(tid, 3), c->task, e, e->tid == tid);
	struct critical_thread *x;
	int rc = 0;

	if (i == NO_KEY) {
		if (keys_next(&c->by_tid, hash_mix(tid, 3), c->task, c->ntask, c->room_task))
			return -ENOMEM;
		i = c->ntask++;
		c->task[i].tid = tid;
	}
	c->task[i].kernel = task->flags & PITRACE_TASK_KTHREAD;
	if (!t)
		return 0;
	i = index_of(c, t);
	x = thread_at(c, i);
	if (!x)
		return -ENOMEM;
	x->asked = false;
	if (!t->born || t->since != time || t->state != SCHED_OFF)
		return 0;
	/* A new task: the past of the tid's last owner does not count. */
	if (x->waits)
		rc = end_unseen(c, i, BLAME_UNWOKEN);
	x = &c->thread[i];
	x->past.count = 0;
	x->in_call = x->faults = false;
	return rc ? rc : begin_wait(c, i, false, time);
}

void critical_free(struct critical *c)
{
	uint32_t i;

	for (i = 0; i < c->nthread; i++)
		past_free(&c->thread[i].past);
	for (i = 0; i < c->ncpus; i++)
		past_free(&c->cpu[i]);
	free(c->thread);
	free(c->cpu);
	free(c->task);
	free(c->blame);
	free(c->edge);
	free(c->victim);
	keys_free(&c->by_tid);
	keys_free(&c->by_blame);
	keys_free(&c->by_edge);
	open_waits_free(&c->waits);
	shares_free(&c->shares);
	*c = (struct critical){ 0 };
}
