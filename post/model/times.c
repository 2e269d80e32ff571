/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps records to events with a duration: one case per major. */
#include "model/times.h"

#include <inttypes.h>
#include <stdio.h>

#include "complain.h"
#include "file/record_kinds.h"
#include "record/record_as.h"

void times_begin(struct times *t, struct names *n, struct trace *trace,
		 const struct pifile_header *header)
{
	*t = (struct times){
		.names = n,
		.trace = trace,
		/* A trace with a given start time also begins with its oldest record. */
		.wrap = header->mode == PITRACE_MODE_WRAP || trace->from,
	};
	t->sched = (struct sched){
		.names = n,
		.irqs = &t->irqs,
		.epoch = 1,
		.scoped = header->scope == PITRACE_SCOPE_PROCESS,
	};
	t->syscalls = (struct syscalls){ .sched = &t->sched };
	t->offcpu.names = n;
}

/* ---- tracing on and off ---------------------------------------------------------------------- */

static int end(struct times *t, uint64_t time)
{
	bool open = t->sched.open;
	int rc = 0;

	if (t->offcpu.stacks.wanted && open)
		rc = offcpu_finish(&t->offcpu, &t->sched, time);
	syscalls_end(&t->syscalls);
	if (!rc)
		rc = locks_end(&t->locks, time);
	if (!rc)
		rc = sched_end(&t->sched, time);
	return rc || !open || !t->critical.wanted ? rc : critical_off(&t->critical, time);
}

/* Returns whether a full buffer ended the trace before an `off` was recorded. */
static bool stopped(const struct trace *t)
{
	uint32_t i;

	for (i = 0; i < t->ncpus; i++) {
		if (t->cpu[i].stopped_by)
			return true;
	}
	return false;
}

static int switch_on(struct times *t, uint64_t time)
{
	int rc = t->sched.open ? end(t, t->last) : 0; /* the end was not recorded */

	t->armed = true;
	t->off = false;
	t->on_at = time;
	return rc;
}

static int switch_off(struct times *t, uint64_t time)
{
	t->off = true;
	if (time > t->trace->to)
		time = t->trace->to;
	return end(t, stopped(t->trace) && t->last ? t->last : time);
}

/* A wrapped trace begins with its oldest record. */
static void begin(struct times *t, uint64_t time)
{
	sched_begin(&t->sched, t->armed && !t->wrap ? t->on_at : time);
	t->armed = false;
	if (t->critical.wanted)
		critical_on(&t->critical, t->sched.began);
}

/* Tracing begins: after the live tasks were written; after a pause, if it is on already; or
 * repeated, for a file that may start there. */
static int interval(struct times *t, const struct pirecord *r)
{
	const struct pitrace_interval *body = RECORD_AS(r, struct pitrace_interval);
	uint64_t time = r->time;
	uint32_t i;
	int rc = 0;

	if (!t->sched.open) {
		rc = switch_on(t, time);
		if (!t->wrap)
			begin(t, time);
		return rc;
	}
	if (body && body->flags & PITRACE_INTERVAL_AGAIN)
		return 0;
	for (i = 0; i < t->sched.ncpus && !rc; i++) {
		if (t->sched.cpu[i].seen && t->sched.cpu[i].online)
			rc = sched_gap(&t->sched, i, time);
	}
	return rc;
}

static int sync_record(struct times *t, const struct pirecord *r)
{
	int rc = 0;

	switch (r->minor) {
	case PITRACE_SYNC_ON:
		return switch_on(t, r->time);
	case PITRACE_SYNC_OFF:
		return switch_off(t, r->time);
	case PITRACE_SYNC_CPU_ONLINE:
		return t->sched.open ? sched_online(&t->sched, r->cpu, r->time) : 0;
	case PITRACE_SYNC_CPU_OFFLINE:
		if (!t->sched.open)
			return 0;
		/* One of several traces has ended: the time of its CPUs is unknown from now on. */
		if (t->sched.names->origins && r->cpu < t->sched.ncpus) {
			t->sched.cpu[r->cpu].last = r->time;
			rc = sched_gap(&t->sched, r->cpu, r->time);
		}
		return rc ? rc : sched_offline(&t->sched, r->cpu, r->time);
	}
	return 0;
}

/* ---- events ---------------------------------------------------------------------------------- */

static int task_record(struct times *t, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	const struct mte_cgroup *in;
	int rc;

	switch (r->minor) {
	case PITRACE_MTE_THREAD_EXIT:
	case PITRACE_MTE_PROCESS_EXIT:
		if (task)
			locks_thread_ends(&t->locks, task->tid);
		break;
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_THREAD:
	case PITRACE_MTE_NAME:
	case PITRACE_MTE_PROCESS:
		rc = task ? sched_task(&t->sched, r, task) : 0;
		return rc || !task || !t->critical.wanted ?
			       rc :
			       critical_task(&t->critical, task, r->time);
	case MTE_CGROUP:
		in = RECORD_AS(r, struct mte_cgroup);
		return in ? sched_moved(&t->sched, r, in->pid) : 0;
	}
	return 0;
}

/* Returns whether a loss is a gap in the trace ring: a full ring loses records of any kind. */
static bool is_gap(uint32_t kind)
{
	switch (kind) {
	case PITRACE_LOST_MTE:
	case PITRACE_LOST_OVERRUN:
	case PITRACE_LOST_BUDGET:
	case PITRACE_LOST_THROTTLED:
		return false;
	}
	return true;
}

static int dispatch(struct times *t, const struct pirecord *r)
{
	const struct pitrace_dispatch *d = RECORD_AS(r, struct pitrace_dispatch);
	bool whole = true;
	int rc;

	if (!d) {
		trace_malformed(t->trace, r, "not a dispatch");
		return 0;
	}
	/* Interrupts do not switch threads: the exit of an open one was lost. */
	irqs_cut(&t->irqs, r->cpu, r->time);
	if ((r->minor & PITRACE_LEFT_MASK) == PITRACE_LEFT_DEAD) {
		syscalls_thread_ends(&t->syscalls, d->old_tid);
		locks_thread_ends(&t->locks, d->old_tid);
	}
	if (!t->offcpu.stacks.wanted)
		return sched_dispatch(&t->sched, r, d);
	rc = offcpu_end(&t->offcpu, &t->sched, d->new_tid, r->time);
	if (!rc)
		rc = sched_dispatch(&t->sched, r, d);
	if (!rc)
		rc = offcpu_begin(&t->offcpu, &t->sched, r, d, &whole);
	if (!rc)
		locks_leaves(&t->locks, d);
	if (!whole)
		trace_malformed(t->trace, r, "its stack is not whole");
	return rc;
}

static int wakeup(struct times *t, const struct pirecord *r)
{
	const struct pitrace_wakeup *w = RECORD_AS(r, struct pitrace_wakeup);
	int rc = 0;

	if (!w) {
		trace_malformed(t->trace, r, "not a wake-up");
		return 0;
	}
	if (!t->sched.scoped)
		rc = sched_seen(&t->sched, r->cpu, w->waker_pid, w->waker_tid, r->time);
	if (!rc)
		rc = sched_wakeup(&t->sched, r, w);
	if (!rc)
		locks_woken(&t->locks, r, w);
	return rc;
}

static int interrupt(struct times *t, const struct pirecord *r)
{
	const struct pitrace_interrupt *i = RECORD_AS(r, struct pitrace_interrupt);
	uint32_t source = r->minor & ~PITRACE_EXIT;
	int rc = 0;

	if (!i) {
		trace_malformed(t->trace, r, "not an interrupt");
		return 0;
	}
	if (r->minor & PITRACE_EXIT)
		return irqs_exit(&t->irqs, r->cpu, source, i->number, r->time);
	/* The record only has the tid of the interrupted thread, which is sufficient for an idle
	 * CPU. */
	if (!i->tid && !t->sched.scoped)
		rc = sched_seen(&t->sched, r->cpu, 0, 0, r->time);
	return rc ? rc : irqs_enter(&t->irqs, r->cpu, source, i->number, r->time);
}

static int syscall_record(struct times *t, const struct pirecord *r)
{
	const struct pitrace_sysenter *in = RECORD_AS(r, struct pitrace_sysenter);
	const struct pitrace_sysexit *out = RECORD_AS(r, struct pitrace_sysexit);
	bool leaves = r->minor & PITRACE_EXIT;
	int rc;

	if (leaves ? !out : !in) {
		trace_malformed(t->trace, r, "not a system call");
		return 0;
	}
	/* An exit from exec has the tid of the entry, whose thread may no longer exist. */
	if (leaves) {
		if (t->critical.wanted)
			critical_return(&t->critical, out->tid);
		rc = locks_exit(&t->locks, r, out);
		return rc ? rc : syscalls_exit(&t->syscalls, r, out);
	}
	rc = sched_seen(&t->sched, r->cpu, in->pid, in->tid, r->time);
	if (!rc)
		rc = syscalls_enter(&t->syscalls, r, in);
	if (!rc && t->locks.wanted)
		rc = locks_enter(&t->locks, r, in);
	return rc || !t->critical.wanted ?
		       rc :
		       critical_call(&t->critical, in->tid, r->minor, in->arguments[0]);
}

static int fault(struct times *t, const struct pirecord *r)
{
	const struct pitrace_fault *f = RECORD_AS(r, struct pitrace_fault);
	struct pitrace_sample where;
	struct sample_place place;
	int rc;

	if (!f) {
		trace_malformed(t->trace, r, "not a page fault");
		return 0;
	}
	rc = sched_seen(&t->sched, r->cpu, f->pid, f->tid, r->time);
	if (t->critical.wanted)
		critical_fault(&t->critical, f->tid);
	where = (struct pitrace_sample){ .pid = f->pid, .tid = f->tid, .address = f->ip };
	if (!rc)
		rc = names_sample(t->names, &where, r->time, r->minor == PITRACE_TPROF_KERNEL,
				  &place);
	return rc ? rc : counts_add(&t->faults, &place, r->cpu, 1);
}

/* A sample may interrupt the switch itself, so it sets an unknown thread but does not contradict a
 * known one. */
static int sample(struct times *t, const struct pirecord *r)
{
	const struct pitrace_sample *s = RECORD_AS(r, struct pitrace_sample);
	uint32_t kind = r->minor & PITRACE_TPROF_KIND;

	if (!s || (kind != PITRACE_TPROF_KERNEL && kind != PITRACE_TPROF_USER) ||
	    t->sched.cpu[r->cpu].what != CPU_UNKNOWN)
		return 0;
	return sched_seen(&t->sched, r->cpu, s->pid, s->tid, r->time);
}

static int trace_record_of(struct times *t, const struct pirecord *r)
{
	switch (r->major) {
	case PITRACE_DISPATCH:
		return dispatch(t, r);
	case PITRACE_WAKEUP:
		return wakeup(t, r);
	case PITRACE_INTERRUPT:
		return interrupt(t, r);
	case PITRACE_SYSCALL:
		return syscall_record(t, r);
	case PITRACE_FAULT:
		return fault(t, r);
	case PITRACE_TPROF:
		return sample(t, r);
	}
	return 0;
}

static int account(struct times *t, const struct pirecord *r)
{
	struct sched_cpu *c;
	int rc = 0;

	if (r->major == PITRACE_SYSINFO)
		return r->minor == PITRACE_SYSINFO_INTERVAL ? interval(t, r) : 0;
	if (r->major == PITRACE_SYNC)
		return sync_record(t, r);
	if (r->major == PITRACE_MTE)
		return task_record(t, r);
	if (r->ring != PITRACE_RING_TRACE || t->off)
		return 0;
	if (!t->sched.open)
		begin(t, r->time);
	c = sched_cpu_at(&t->sched, r->cpu, r->time);
	if (!c)
		return -ENOMEM;
	if (r->major == PITRACE_LOST)
		return is_gap(r->minor) ? sched_gap(&t->sched, r->cpu, r->time) : 0;
	/* The time before a CPU's oldest record is unknown. */
	if (t->wrap && c->last == t->sched.began && r->time > t->sched.began)
		rc = sched_gap(&t->sched, r->cpu, r->time);
	if (!rc)
		rc = trace_record_of(t, r);
	t->sched.cpu[r->cpu].last = t->last = r->time;
	return rc;
}

int times_record(struct times *t, const struct pirecord *r)
{
	int rc = account(t, r);

	/* Names have not processed records of their own rings yet: threads must not be named
	 * now. */
	return rc || !t->critical.wanted || !t->sched.open || r->ring != PITRACE_RING_TRACE ?
		       rc :
		       critical_runs(&t->critical, r->cpu, r->time);
}

int times_finish(struct times *t)
{
	int rc = switch_off(t, t->trace->last);

	return rc ? rc : counts_flush(&t->faults);
}

void times_free(struct times *t)
{
	syscalls_free(&t->syscalls);
	sched_free(&t->sched);
	irqs_free(&t->irqs);
	counts_free(&t->faults);
	offcpu_free(&t->offcpu);
	critical_free(&t->critical);
	locks_free(&t->locks);
}

/* ---- consistency ----------------------------------------------------------------------------- */

bool times_add_up(const struct times *t)
{
	const struct sched *s = &t->sched;
	uint64_t busy = 0, ran = 0, inside = 0, sum;
	bool right = true;
	uint32_t i;

	for (i = 0; i < s->ncpus; i++) {
		const struct sched_cpu *c = &s->cpu[i];

		sum = c->busy + c->idle + c->interrupt + c->others + c->unknown;
		busy += c->busy;
		if (sum != c->wall) {
			complain("internal error: CPU %" PRIu32 "'s times sum to %" PRIu64
				 " of %" PRIu64 " ns",
				 i, sum, c->wall);
			right = false;
		}
		if (c->misfits) {
			complain("CPU %" PRIu32 ": %" PRIu64 " records contradict those "
				 "before, and no loss was reported: times are unsure",
				 i, c->misfits);
			right = false;
		}
	}
	for (i = 0; i < s->nrow; i++) {
		ran += s->row[i].run;
		inside += s->row[i].interrupted;
	}
	if (ran - inside != busy) {
		complain("internal error: threads ran for %" PRIu64 " ns, CPUs for %" PRIu64,
			 ran - inside, busy);
		right = false;
	}
	if (!irqs_add_up(&t->irqs)) {
		complain("internal error: interrupts' times do not add up");
		right = false;
	}
	return critical_adds_up(&t->critical) && right;
}
