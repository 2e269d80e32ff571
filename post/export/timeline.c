/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts records to moments. */
#include "export/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"
#include "model/call_names.h"
#include "model/event_words.h"
#include "model/spans.h"
#include "record/record_as.h"
#include "record/user_record.h"

/* A thread's current system call. Its end uses the pid and tid of its begin, even if exec has
 * changed the thread in names. */
struct open_call {
	uint32_t pid, tid, thread;
	uint32_t call;
	bool open;
};

struct timeline {
	const struct job *job;
	struct names *names;
	int (*each)(void *arg, const struct timeline_moment *m);
	void *arg;
	uint32_t *irqs; /* by CPU */
	uint32_t cpus;
	uint32_t *pairs; /* by thread */
	uint32_t threads;
	struct spans spans; /* open spans */
	struct open_call *call;
	uint32_t ncall, room;
	struct keys by_thread;
	char machine[sizeof(((struct pifile_header *)0)->machine) + 1];
};

static int emit(struct timeline *t, const struct timeline_moment *m)
{
	return t->each(t->arg, m);
}

static int thread_of(struct timeline *t, uint32_t pid, uint32_t tid, uint64_t time,
		     uint32_t *thread)
{
	*thread = NO_KEY;
	return tid ? names_thread(t->names, pid, tid, time, thread) : 0;
}

static int take_sample(void *arg, const struct profile_sample *s)
{
	struct timeline_moment m = {
		.kind = MOMENT_SAMPLE,
		.time = s->time,
		.cpu = s->cpu,
		.thread = s->thread,
		.sample = s,
	};

	return emit(arg, &m);
}

static int take_dispatch(struct timeline *t, const struct pirecord *r)
{
	const struct pitrace_dispatch *d = RECORD_AS(r, struct pitrace_dispatch);
	struct timeline_moment m = { .kind = MOMENT_RUNS, .time = r->time, .cpu = r->cpu };
	int rc;

	if (!d)
		return 0;
	m.why = r->minor & PITRACE_LEFT_MASK;
	m.old_priority = d->old_priority;
	m.priority = d->new_priority;
	rc = thread_of(t, d->old_pid, d->old_tid, r->time, &m.old);
	if (!rc)
		rc = thread_of(t, d->new_pid, d->new_tid, r->time, &m.thread);
	return rc ? rc : emit(t, &m);
}

static int take_wakeup(struct timeline *t, const struct pirecord *r)
{
	const struct pitrace_wakeup *w = RECORD_AS(r, struct pitrace_wakeup);
	struct timeline_moment m = {
		.kind = MOMENT_WAKES,
		.time = r->time,
		.cpu = r->cpu,
		.why = r->minor,
	};
	int rc;

	if (!w)
		return 0;
	m.priority = w->priority;
	rc = thread_of(t, w->waker_pid, w->waker_tid, r->time, &m.old);
	if (!rc)
		rc = thread_of(t, w->pid, w->tid, r->time, &m.thread);
	return rc ? rc : emit(t, &m);
}

static int take_interrupt(struct timeline *t, const struct pirecord *r)
{
	const struct pitrace_interrupt *i = RECORD_AS(r, struct pitrace_interrupt);
	bool ends = r->minor & PITRACE_EXIT;
	uint32_t source = r->minor & ~PITRACE_EXIT;
	struct timeline_moment m = {
		.kind = ends ? MOMENT_IRQ_ENDS : MOMENT_IRQ_BEGINS,
		.time = r->time,
		.cpu = r->cpu,
		.thread = NO_KEY,
	};
	char name[128];
	uint32_t *open;

	if (!i)
		return 0;
	if (array_reach(t->irqs, t->cpus, r->cpu))
		return -ENOMEM;
	open = &t->irqs[r->cpu];
	if (ends && !*open)
		return 0;
	*open += ends ? -1u : 1;
	snprintf(name, sizeof(name), "%s %s", irq_source(source),
		 irq_name(&t->job->trace->irqs, source, i->number));
	if (!*irq_name(&t->job->trace->irqs, source, i->number))
		snprintf(name, sizeof(name), "%s %u", irq_source(source), i->number);
	m.name = name;
	return emit(t, &m);
}

static struct open_call *call_of(struct timeline *t, uint32_t pid, uint32_t tid)
{
	struct open_call new = { .pid = pid, .tid = tid };
	uint64_t hash = hash_mix(pid, tid);
	uint32_t i = keys_find(&t->by_thread, hash, t->call, e,
			       e->pid == new.pid && e->tid == new.tid);

	if (i != NO_KEY)
		return &t->call[i];
	if (keys_next(&t->by_thread, hash, t->call, t->ncall, t->room))
		return NULL;
	t->call[t->ncall] = new;
	return &t->call[t->ncall++];
}

static int take_call(struct timeline *t, const struct pirecord *r)
{
	uint32_t number = r->minor & ~PITRACE_EXIT;
	bool ends = r->minor & PITRACE_EXIT;
	struct timeline_moment m = {
		.kind = ends ? MOMENT_CALL_ENDS : MOMENT_CALL_BEGINS,
		.time = r->time,
		.cpu = r->cpu,
	};
	const struct pitrace_sysexit *x = RECORD_AS(r, struct pitrace_sysexit);
	struct open_call *open;
	char room[64];
	int rc;

	/* An exit record starts with the fields of an entry record. */
	if (!x)
		return 0;
	rc = thread_of(t, x->pid, x->tid, r->time, &m.thread);
	if (rc || m.thread == NO_KEY)
		return rc;
	open = call_of(t, x->pid, x->tid);
	if (!open)
		return -ENOMEM;
	if (!ends) {
		open->thread = m.thread;
		open->call = number;
	} else if (!open->open || open->call != number) {
		return 0;
	}
	open->open = !ends;
	m.thread = open->thread;
	m.value = ends ? (uint64_t)x->result : 0;
	m.name = call_name(t->machine, number, room, sizeof(room));
	return emit(t, &m);
}

static int take_fault(struct timeline *t, const struct pirecord *r)
{
	const struct pitrace_fault *f = RECORD_AS(r, struct pitrace_fault);
	struct timeline_moment m = {
		.kind = MOMENT_FAULT,
		.time = r->time,
		.cpu = r->cpu,
		.name = "page fault",
	};
	int rc;

	if (!f)
		return 0;
	rc = thread_of(t, f->pid, f->tid, r->time, &m.thread);
	m.value = f->address;
	return rc || m.thread == NO_KEY ? rc : emit(t, &m);
}

static int take_pair(struct timeline *t, struct timeline_moment *m)
{
	uint32_t *open;

	if (array_reach(t->pairs, t->threads, m->thread))
		return -ENOMEM;
	open = &t->pairs[m->thread];
	if (m->kind == MOMENT_PAIR_ENDS && !*open)
		return 0;
	*open += m->kind == MOMENT_PAIR_ENDS ? -1u : 1;
	return emit(t, m);
}

static int take_span(struct timeline *t, const struct pirecord *r, const struct pifile_user *x,
		     struct timeline_moment *m)
{
	struct span_key key = { .name = spans_name(&t->spans, m->name) };

	if (key.name == NO_KEY)
		return -ENOMEM;
	m->id = key.id = pifile_user_int(x, 0);
	m->shared = key.shared = r->minor & MARK_SHARED;
	key.scope = m->shared ? r->origin : x->pid;
	if (m->kind == MOMENT_SPAN_ENDS) {
		m->place = spans_end(&t->spans, &key);
		return m->place == NO_KEY ? 0 : emit(t, m);
	}
	m->place = spans_begin(&t->spans, &key);
	return m->place == NO_KEY ? -ENOMEM : emit(t, m);
}

static int take_user(struct timeline *t, const struct pirecord *r)
{
	static const enum moment_kind kinds[] = {
		[MARK_OTHER] = MOMENT_MARK,          [MARK_PAIR_BEGINS] = MOMENT_PAIR_BEGINS,
		[MARK_PAIR_ENDS] = MOMENT_PAIR_ENDS, [MARK_SPAN_BEGINS] = MOMENT_SPAN_BEGINS,
		[MARK_SPAN_ENDS] = MOMENT_SPAN_ENDS,
	};
	struct timeline_moment m = { .time = r->time, .cpu = r->cpu };
	char room[PITRACE_USER_MAX];
	struct pifile_user x;
	int rc;

	if (pifile_user_record(r, &x))
		return 0;
	rc = thread_of(t, x.pid, x.tid, r->time, &m.thread);
	if (rc || m.thread == NO_KEY)
		return rc;
	m.event = r->major == PITRACE_NAMED ? named_events_of(&t->job->model->named, r, &x) : NULL;
	if (m.event) {
		m.kind = MOMENT_NAMED;
		m.name = m.event->name;
		m.record = &x;
		return emit(t, &m);
	}
	m.kind = kinds[mark_kind(r, &x)];
	m.value = x.ints ? pifile_user_int(&x, 0) : 0;
	snprintf(room, sizeof(room), "%x/%x", r->major, r->minor);
	m.name = x.strs ? user_string(&x, 0, room) : room;
	switch (m.kind) {
	case MOMENT_PAIR_BEGINS:
	case MOMENT_PAIR_ENDS:
		return take_pair(t, &m);
	case MOMENT_SPAN_BEGINS:
	case MOMENT_SPAN_ENDS:
		return take_span(t, r, &x, &m);
	default:
		return emit(t, &m);
	}
}

static int take_record(void *arg, const struct pirecord *r)
{
	struct timeline *t = arg;

	switch (r->major) {
	case PITRACE_DISPATCH:
		return take_dispatch(t, r);
	case PITRACE_WAKEUP:
		return take_wakeup(t, r);
	case PITRACE_INTERRUPT:
		return take_interrupt(t, r);
	case PITRACE_SYSCALL:
		return take_call(t, r);
	case PITRACE_FAULT:
		return take_fault(t, r);
	default:
		return pifile_user_major(r->major) ? take_user(t, r) : 0;
	}
}

static int read_moments(const struct job *job, bool samples, struct times *times,
			int (*each)(void *arg, const struct timeline_moment *m), void *arg)
{
	struct timeline t = { .job = job, .names = &job->model->names, .each = each, .arg = arg };
	struct profile_reader reader = {
		.sample = samples ? take_sample : NULL,
		.record = take_record,
		.times = times,
		.arg = &t,
	};
	int rc;

	snprintf(t.machine, sizeof(t.machine), "%.*s", (int)sizeof(t.machine) - 1,
		 job->input->header.machine);
	rc = job_samples(job, &reader);
	free(t.irqs);
	free(t.pairs);
	free(t.call);
	spans_free(&t.spans);
	keys_free(&t.by_thread);
	return rc;
}

int timeline_read(const struct job *job, int (*each)(void *arg, const struct timeline_moment *m),
		  void *arg)
{
	return read_moments(job, true, NULL, each, arg);
}

int timeline_events(const struct job *job, struct times *times,
		    int (*each)(void *arg, const struct timeline_moment *m), void *arg)
{
	return read_moments(job, false, times, each, arg);
}
