/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A state machine. A CPU's time is unknown until a record shows its running thread; that thread is
 * then charged with all time since the start of the CPU's stretch, since no dispatch was recorded
 * in between. A gap starts a new stretch.
 */
#include "model/sched.h"

#include <string.h>

/* ---- threads, CPUs --------------------------------------------------------------------------- */

struct sched_thread *sched_find(struct sched *s, uint32_t tid)
{
	uint32_t i = keys_find(&s->by_tid, hash_mix(tid, 3), s->thread, e, e->tid == tid);

	return i == NO_KEY ? NULL : &s->thread[i];
}

struct sched_thread *sched_thread(struct sched *s, uint32_t pid, uint32_t tid)
{
	struct sched_thread *t = sched_find(s, tid);

	if (!t) {
		if (keys_next(&s->by_tid, hash_mix(tid, 3), s->thread, s->nthread, s->room_thread))
			return NULL;
		t = &s->thread[s->nthread++];
		*t = (struct sched_thread){
			.tid = tid,
			.since = s->began,
			.reason = SCHED_BEFORE,
		};
	}
	if (t->pid != pid) {
		t->pid = pid;
		t->epoch = 0;
	}
	return t;
}

static bool others(const struct sched *s, const struct sched_thread *t)
{
	return s->scoped && !t->in_scope;
}

uint32_t sched_row_of(struct sched *s, struct sched_thread *t, uint64_t time)
{
	uint32_t row;

	if (t->epoch == s->epoch)
		return t->row;
	if (names_thread(s->names, t->pid, t->tid, time, &row))
		return NO_KEY;
	while (s->nrow <= row) {
		if (array_next(s->row, s->nrow, s->room_row))
			return NO_KEY;
		s->row[s->nrow++] = (struct sched_row){ .priority = PITRACE_PRIORITY_UNKNOWN };
	}
	t->row = row;
	t->epoch = s->epoch;
	return row;
}

struct sched_cpu *sched_cpu(struct sched *s, uint32_t cpu)
{
	struct sched_cpu *c;

	if (array_reach(s->cpu, s->ncpus, cpu))
		return NULL;
	c = &s->cpu[cpu];
	if (!c->seen) {
		c->seen = c->online = true;
		c->since = c->began = c->last = s->began;
	}
	return c;
}

/* ---- accounting ------------------------------------------------------------------------------ */

static int settle_cpu(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = &s->cpu[cpu];
	uint64_t now = irqs_time(s->irqs, cpu, time), took, inside;
	struct sched_thread *t;
	uint32_t row;
	int rc = 0;

	if (time <= c->since)
		return 0;
	took = time - c->since;
	inside = now - c->interrupts < took ? now - c->interrupts : took;
	c->interrupt += inside;
	switch (c->what) {
	case CPU_IDLE:
		c->idle += took - inside;
		break;
	case CPU_OTHERS:
		c->others += took - inside;
		break;
	case CPU_UNKNOWN:
		c->unknown += took - inside;
		break;
	case CPU_THREAD:
		c->busy += took - inside;
		t = &s->thread[c->thread];
		row = sched_row_of(s, t, time);
		if (row == NO_KEY)
			return -ENOMEM;
		s->row[row].run += took;
		s->row[row].interrupted += inside;
		t->since = time;
		if (s->watch)
			rc = s->watch->thread(s->watcher, t, row, c->since, time);
		break;
	}
	if (s->watch && !rc)
		rc = s->watch->cpu(s->watcher, cpu, c->since, time);
	c->since = time;
	c->interrupts = now;
	return rc;
}

int sched_settle(struct sched *s, struct sched_thread *t, uint64_t time)
{
	struct sched_row *row;
	uint64_t took;
	uint32_t i;
	int rc = 0;

	if (t->state == SCHED_RUNNING)
		return settle_cpu(s, t->cpu, time);
	if (time <= t->since)
		return 0;
	took = time - t->since;
	if (t->state != SCHED_DEAD) {
		i = sched_row_of(s, t, time);
		if (i == NO_KEY)
			return -ENOMEM;
		row = &s->row[i];
		if (t->state == SCHED_WAITING) {
			row->wait[t->reason] += took;
			t->wait_total += took;
		} else if (t->state == SCHED_OFF) {
			row->off[t->reason] += took;
			t->off_total += took;
		} else {
			row->unknown += took;
		}
		if (t->state != SCHED_UNKNOWN && t->since < s->gap)
			row->unsure += took;
		if (s->watch)
			rc = s->watch->thread(s->watcher, t, i, t->since, time);
	}
	t->since = time;
	return rc;
}

/* From `time` on the CPU's thread and state are unknown. */
static int lose_cpu(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = &s->cpu[cpu];
	int rc = settle_cpu(s, cpu, time);

	if (c->what == CPU_THREAD) {
		struct sched_thread *t = &s->thread[c->thread];

		t->state = SCHED_UNKNOWN;
		t->reason = SCHED_BEFORE;
		t->woken = t->has_left = false;
	}
	c->what = CPU_UNKNOWN;
	return rc;
}

/* Sets the running thread of a CPU, from the CPU's last accounting on. */
static int sched_run(struct sched *s, uint32_t cpu, struct sched_thread *t)
{
	struct sched_cpu *c = &s->cpu[cpu];
	int rc;

	if (t->state == SCHED_RUNNING) { /* on another CPU: the dispatch there is missing */
		if (t->since >= s->gap && s->dispatches)
			s->cpu[t->cpu].misfits++;
		rc = lose_cpu(s, t->cpu, t->since);
		if (rc)
			return rc;
	}
	if (t->since > c->since) { /* it moved here later than that, unrecorded */
		rc = settle_cpu(s, cpu, t->since);
		if (rc)
			return rc;
	}
	rc = sched_settle(s, t, c->since);
	c->what = CPU_THREAD;
	c->thread = (uint32_t)(t - s->thread);
	t->state = SCHED_RUNNING;
	t->cpu = cpu;
	t->since = c->since;
	return rc || !s->watch ? rc : s->watch->runs(s->watcher, t);
}

int sched_seen(struct sched *s, uint32_t cpu, uint32_t pid, uint32_t tid, uint64_t time)
{
	struct sched_cpu *c = sched_cpu(s, cpu);
	struct sched_thread *t = NULL;
	enum sched_what what = CPU_IDLE;
	int rc = 0;

	if (!c)
		return -ENOMEM;
	if (tid) {
		t = sched_thread(s, pid, tid);
		if (!t)
			return -ENOMEM;
		what = others(s, t) ? CPU_OTHERS : CPU_THREAD;
	}
	if (c->what == what && (!t || what == CPU_OTHERS || c->thread == t - s->thread))
		return 0;
	if (c->what != CPU_UNKNOWN) {
		/* Threads outside the scope are switched without records. */
		if (!s->scoped && s->dispatches)
			c->misfits++;
		rc = lose_cpu(s, cpu, c->since);
		if (!rc)
			rc = settle_cpu(s, cpu, time);
		if (rc)
			return rc;
	}
	if (what == CPU_THREAD)
		return sched_run(s, cpu, t);
	c->what = what;
	return 0;
}

/* ---- CPU hotplug ----------------------------------------------------------------------------- */

static void open_cpu(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = &s->cpu[cpu];

	c->online = true;
	c->what = CPU_UNKNOWN;
	c->began = c->since = c->last = time;
	c->interrupts = irqs_time(s->irqs, cpu, time);
}

static int close_cpu(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = &s->cpu[cpu];
	int rc;

	irqs_cut(s->irqs, cpu, time);
	rc = lose_cpu(s, cpu, time);
	c->wall += c->since - c->began;
	c->online = false;
	return rc;
}

struct sched_cpu *sched_cpu_at(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = sched_cpu(s, cpu);

	if (c && !c->online)
		open_cpu(s, cpu, time);
	return c;
}

/* ---- dispatch -------------------------------------------------------------------------------- */

static int leave(struct sched *s, uint32_t cpu, const struct pirecord *r,
		 const struct pitrace_dispatch *d)
{
	uint32_t reason = r->minor & PITRACE_LEFT_MASK, row;
	struct sched_thread *t;
	int rc = sched_seen(s, cpu, d->old_pid, d->old_tid, r->time);

	if (!rc)
		rc = settle_cpu(s, cpu, r->time);
	if (rc || s->cpu[cpu].what != CPU_THREAD)
		return rc;
	if (reason > PITRACE_LEFT_OTHER)
		reason = PITRACE_LEFT_OTHER;
	t = &s->thread[s->cpu[cpu].thread];
	row = sched_row_of(s, t, r->time);
	if (row == NO_KEY)
		return -ENOMEM;
	s->row[row].left[reason]++;
	s->row[row].priority = d->old_priority;
	t->reason = reason;
	t->left = t->since = r->time;
	t->has_left = true;
	t->state = reason == PITRACE_LEFT_DEAD      ? SCHED_DEAD :
		   reason <= PITRACE_LEFT_PREEMPTED ? SCHED_WAITING :
						      SCHED_OFF;
	if (t->state != SCHED_OFF)
		t->woken = false;
	return s->watch ? s->watch->leaves(s->watcher, t, r->time) : 0;
}

/* Ends the latency of a woken thread, which runs now. */
static int end_latency(struct sched *s, struct sched_thread *t, uint32_t row, uint64_t time)
{
	uint64_t latency = time - t->woken_at;
	int rc;

	if (t->woken_at < s->gap) {
		s->row[row].unsure_latencies++;
		return 0;
	}
	rc = spread_add(&s->row[row].latency, latency);
	if (rc)
		return rc;
	return wakers_count(&s->wakers, t->waker, row,
			    t->has_left && t->woken_at > t->left ? t->woken_at - t->left : 0,
			    latency);
}

static int enter(struct sched *s, uint32_t cpu, const struct pirecord *r,
		 const struct pitrace_dispatch *d)
{
	struct sched_thread *t;
	struct sched_row *row;
	uint32_t i;
	int rc = 0;

	if (!d->new_tid) {
		s->cpu[cpu].what = CPU_IDLE;
		return 0;
	}
	t = sched_thread(s, d->new_pid, d->new_tid);
	if (!t)
		return -ENOMEM;
	if (others(s, t)) {
		s->cpu[cpu].what = CPU_OTHERS;
		return 0;
	}
	s->cpu[cpu].what = CPU_UNKNOWN;
	/* Woken before it was asleep: it was runnable all the time. */
	if (t->state == SCHED_OFF && t->woken) {
		t->state = SCHED_WAITING;
		t->woken_at = t->left;
	}
	i = sched_row_of(s, t, r->time);
	if (i == NO_KEY)
		return -ENOMEM;
	row = &s->row[i];
	if (t->state == SCHED_OFF && t->reason != SCHED_BEFORE)
		row->unwoken++;
	if (t->state == SCHED_WAITING && t->woken)
		rc = end_latency(s, t, i, r->time);
	row->dispatches++;
	row->priority = d->new_priority;
	if (t->has_left && t->state != SCHED_RUNNING) {
		row->migrations += t->cpu != cpu;
		if (row->longest[t->reason] < r->time - t->left)
			row->longest[t->reason] = r->time - t->left;
	}
	t->woken = false;
	return rc ? rc : sched_run(s, cpu, t);
}

int sched_dispatch(struct sched *s, const struct pirecord *r, const struct pitrace_dispatch *d)
{
	int rc = leave(s, r->cpu, r, d);

	if (rc)
		return rc;
	s->dispatches = true;
	s->cpu[r->cpu].dispatches++;
	rc = enter(s, r->cpu, r, d);
	/* Before a CPU goes offline, its last thread is switched to idle. */
	if (!rc && s->cpu[r->cpu].going_offline && !d->new_tid)
		rc = close_cpu(s, r->cpu, r->time);
	return rc;
}

/* ---- wake-ups -------------------------------------------------------------------------------- */

static int find_waker(struct sched *s, const struct pirecord *r, const struct pitrace_wakeup *w,
		      uint32_t *waker)
{
	struct sched_thread *t;
	uint32_t irq;

	if (r->minor & PITRACE_WAKE_INTERRUPT) {
		irq = irqs_innermost(s->irqs, r->cpu);
		*waker = irq == NO_KEY ? WAKER_SOME_IRQ : WAKER_IRQ | irq;
		return 0;
	}
	if (!w->waker_tid)
		return names_thread(s->names, 0, 0, r->time, waker);
	t = sched_thread(s, w->waker_pid, w->waker_tid);
	if (!t)
		return -ENOMEM;
	*waker = sched_row_of(s, t, r->time);
	return *waker == NO_KEY ? -ENOMEM : 0;
}

int sched_wakeup(struct sched *s, const struct pirecord *r, const struct pitrace_wakeup *w)
{
	struct sched_thread *t;
	uint32_t waker;
	int rc = find_waker(s, r, w, &waker);

	if (rc)
		return rc;
	t = sched_thread(s, w->pid, w->tid);
	if (!t)
		return -ENOMEM;
	if (!w->tid || others(s, t))
		return 0;
	if (t->state == SCHED_DEAD && r->minor & PITRACE_WAKE_NEW) {
		t->state = SCHED_OFF; /* new owner of the tid, whose creation was not recorded */
		t->reason = SCHED_NEW;
		t->since = r->time;
		t->has_left = false;
	}
	if (t->state == SCHED_DEAD || t->state == SCHED_WAITING)
		return 0;
	if (t->state != SCHED_RUNNING) {
		rc = sched_settle(s, t, r->time);
		if (!rc && s->watch)
			rc = s->watch->woken(s->watcher, t, waker,
					     r->minor & PITRACE_WAKE_INTERRUPT ? 0 : w->waker_tid,
					     r->time);
		if (rc)
			return rc;
		t->state = SCHED_WAITING;
	}
	t->woken = true;
	t->woken_at = r->time;
	t->waker = waker;
	return 0;
}

/* ---- threads and CPUs ------------------------------------------------------------------------ */

/* A thread that calls exec takes over the tid of its process's main thread, which has exited. */
static int take_over(struct sched *s, const struct pirecord *r, const struct pitrace_mte_task *task)
{
	struct sched_cpu *c = r->cpu < s->ncpus ? &s->cpu[r->cpu] : NULL;
	struct sched_thread *t = c && c->what == CPU_THREAD ? &s->thread[c->thread] : NULL;
	uint32_t cpu = r->cpu;
	int rc;

	if (!t || t->pid != task->pid || t->tid == task->tid)
		return 0;
	rc = settle_cpu(s, cpu, r->time);
	if (rc)
		return rc;
	t->state = SCHED_DEAD;
	c->what = CPU_UNKNOWN;
	return sched_seen(s, cpu, task->pid, task->tid, r->time);
}

/* The time so far belongs to the old row. */
static int settle_row(struct sched *s, struct sched_thread *t, uint64_t time)
{
	return sched_row_of(s, t, time - 1) == NO_KEY ? -ENOMEM : sched_settle(s, t, time);
}

int sched_task(struct sched *s, const struct pirecord *r, const struct pitrace_mte_task *task)
{
	bool walk = task->flags & PITRACE_TASK_WALK;
	bool born = !walk && (r->minor == PITRACE_MTE_FORK || r->minor == PITRACE_MTE_CLONE ||
			      r->minor == PITRACE_MTE_THREAD);
	struct sched_thread *t;
	int rc = 0;

	if (s->open && r->minor == PITRACE_MTE_PROCESS && !walk)
		rc = take_over(s, r, task);
	if (rc)
		return rc;
	t = sched_find(s, task->tid);
	if (t) {
		/* A later record may still set the old name. */
		if (s->open && t->state != SCHED_DEAD && (t->state != SCHED_UNKNOWN || born))
			rc = settle_row(s, t, r->time);
		if (rc)
			return rc;
		t->epoch = 0;
	} else if (!s->scoped && !born) {
		return 0;
	}
	/* A process's new name applies to the rows of all its threads. */
	if (task->tid == task->pid && !born)
		s->epoch++;
	t = sched_thread(s, task->pid, task->tid);
	if (!t)
		return -ENOMEM;
	t->in_scope = !(task->flags & PITRACE_TASK_ANCESTOR);
	if (!born || t->state == SCHED_RUNNING)
		return 0;
	*t = (struct sched_thread){
		.pid = task->pid,
		.tid = task->tid,
		.state = SCHED_OFF,
		.reason = SCHED_NEW,
		.since = r->time,
		.in_scope = t->in_scope,
		.born = true,
	};
	return 0;
}

int sched_moved(struct sched *s, const struct pirecord *r, uint32_t pid)
{
	struct sched_thread *t = sched_find(s, pid);
	int rc = 0;

	if (t && s->open && t->state != SCHED_DEAD && t->state != SCHED_UNKNOWN)
		rc = settle_row(s, t, r->time);
	s->epoch++;
	return rc;
}

int sched_gap(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = sched_cpu(s, cpu);
	int rc;

	if (!c)
		return -ENOMEM;
	irqs_cut(s->irqs, cpu, c->last);
	rc = lose_cpu(s, cpu, c->last);
	if (!rc)
		rc = settle_cpu(s, cpu, time);
	c->last = time;
	s->gap = time;
	return rc;
}

int sched_offline(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = sched_cpu(s, cpu);

	if (!c)
		return -ENOMEM;
	c->going_offline = true;
	if (!c->online || c->what == CPU_THREAD || c->what == CPU_OTHERS)
		return 0;
	return close_cpu(s, cpu, time);
}

int sched_online(struct sched *s, uint32_t cpu, uint64_t time)
{
	struct sched_cpu *c = sched_cpu(s, cpu);

	if (!c)
		return -ENOMEM;
	c->going_offline = false;
	/* A CPU without earlier records was offline until now. */
	if (!c->online || (c->last == s->began && c->since == c->began))
		open_cpu(s, cpu, time);
	return 0;
}

void sched_begin(struct sched *s, uint64_t time)
{
	uint32_t i;

	s->began = time;
	s->open = true;
	for (i = 0; i < s->ncpus; i++) {
		struct sched_cpu *c = &s->cpu[i];

		if (c->seen && c->online)
			open_cpu(s, i, time);
	}
	for (i = 0; i < s->nthread; i++) {
		struct sched_thread *t = &s->thread[i];

		t->woken = t->has_left = t->born = false;
		t->reason = SCHED_BEFORE;
		if (t->state != SCHED_DEAD)
			t->state = SCHED_UNKNOWN;
		t->since = time;
	}
}

int sched_end(struct sched *s, uint64_t time)
{
	uint32_t i;
	int rc = 0;

	if (!s->open)
		return 0;
	for (i = 0; i < s->nthread && !rc; i++) {
		if (!others(s, &s->thread[i]))
			rc = sched_settle(s, &s->thread[i], time);
	}
	for (i = 0; i < s->ncpus && !rc; i++) {
		struct sched_cpu *c = &s->cpu[i];

		if (!c->seen || !c->online)
			continue;
		irqs_cut(s->irqs, i, time);
		rc = settle_cpu(s, i, time);
		c->wall += c->since - c->began;
	}
	s->open = false;
	return rc;
}

void sched_free(struct sched *s)
{
	uint32_t i;

	for (i = 0; i < s->nrow; i++)
		spread_free(&s->row[i].latency);
	free(s->row);
	free(s->thread);
	free(s->cpu);
	keys_free(&s->by_tid);
	wakers_free(&s->wakers);
	*s = (struct sched){ 0 };
}
