/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moments come in pairs of a begin and an end. What is open when the trace ends is drawn until
 * then, but counted only if a thread ran or was runnable. */
#include "export/html/html_events.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "export/timeline.h"
#include "model/event_words.h"
#include "report/report.h"

/* Limits: a trace may be long, and its contents are not trusted. */
#define MOST_STRETCHES (1u << 17)
#define MOST_MOMENTS   (1u << 16)
#define MOST_TRACKS    (1u << 18)
#define MOST_CELLS     (1u << 19)
#define NAME_ROOM      512 /* bytes; longer names are truncated */
#define DEEPEST        32u /* nested interrupts of a CPU, pairs of a thread: more are ignored */

struct open_one {
	uint64_t from;
	uint32_t track;
};

struct open_stack {
	struct open_one *list;
	uint32_t depth, room;
};

struct busy_thread {
	uint64_t ready_from, call_from;
	uint32_t call;
	bool runs, ready, calls;
	struct open_stack pairs;
};

struct busy_cpu {
	bool seen;
	uint32_t thread; /* its running thread; NO_KEY: none */
	uint64_t since;
	struct open_stack irqs;
};

struct reading_events {
	const struct job *job;
	struct html_events *e;
	struct texts *texts;
	uint64_t first, last; /* times of the trace */
	struct busy_thread *thread;
	uint32_t threads;
	struct busy_cpu *cpu;
	uint32_t cpus;
	struct open_one *span; /* by place */
	uint32_t spans;
};

/* ---- tracks ---------------------------------------------------------------------------------- */

static uint32_t find_track(const struct html_events *e, uint64_t hash, const struct html_track *key)
{
	return keys_find(&e->by_track, hash, e->track, t,
			 t->kind == key->kind && t->thread == key->thread &&
				 t->other == key->other && t->cpu == key->cpu &&
				 t->name == key->name);
}

/* Returns the track's number; NO_KEY: no memory. */
static uint32_t track_of(struct reading_events *r, const struct html_track *wanted,
			 const char *name)
{
	struct html_events *e = r->e;
	struct html_track key = *wanted;
	char text[NAME_ROOM];
	uint64_t hash;
	uint32_t i;

	/* A trace with too many names gets one track for the rest. */
	escape_into(text, sizeof(text), e->tracks < MOST_TRACKS ? name : "(others)");
	key.name = texts_add(r->texts, text);
	if (key.name == NO_KEY)
		return NO_KEY;
	hash = hash_mix((uint64_t)key.kind << 32 | key.name,
			hash_mix((uint64_t)key.thread << 32 | key.other, key.cpu));
	i = find_track(e, hash, &key);
	if (i != NO_KEY)
		return i;
	if (keys_next(&e->by_track, hash, e->track, e->tracks, e->room_track))
		return NO_KEY;
	e->track[e->tracks] = key;
	return e->tracks++;
}

/* ---- stretches and moments ------------------------------------------------------------------- */

/* Removes the shortest ones until there is room again. */
static void thin_stretches(struct html_events *e)
{
	uint32_t i, k;

	while (e->stretches >= MOST_STRETCHES) {
		e->least = e->least ? 2 * e->least : 1;
		for (i = k = 0; i < e->stretches; i++) {
			if (e->stretch[i].ns >= e->least)
				e->stretch[k++] = e->stretch[i];
		}
		e->stretches = k;
	}
}

static int add_stretch(struct reading_events *r, uint32_t track, uint64_t from, uint64_t to,
		       bool counts)
{
	struct html_events *e = r->e;
	uint64_t ns = to > from ? to - from : 0;

	if (track == NO_KEY)
		return -ENOMEM;
	if (counts) {
		e->track[track].count++;
		e->track[track].ns += ns;
		if (ns && slices_add(&e->slices, track, from, from + ns, ns))
			return -ENOMEM;
	}
	thin_stretches(e);
	if (ns < e->least)
		return 0;
	if (array_next(e->stretch, e->stretches, e->room_stretch))
		return -ENOMEM;
	from = from > e->from ? from : e->from;
	e->stretch[e->stretches++] = (struct html_stretch){ from, ns, track };
	return 0;
}

static void thin_moments(struct html_events *e)
{
	uint32_t i;

	if (e->moments < MOST_MOMENTS)
		return;
	for (i = 0; 2 * i < e->moments; i++)
		e->moment[i] = e->moment[2 * i];
	e->moments = i;
	e->step *= 2;
}

static int add_moment(struct reading_events *r, uint32_t track, uint64_t time)
{
	struct html_events *e = r->e;
	uint64_t before;

	if (track == NO_KEY)
		return -ENOMEM;
	before = e->track[track].count++;
	if (slices_add(&e->slices, track, time, time, 1))
		return -ENOMEM;
	/* While there is room, keeps the first moment of each track. */
	if (before % e->step)
		return 0;
	thin_moments(e);
	if (array_next(e->moment, e->moments, e->room_moment))
		return -ENOMEM;
	time = time > e->from ? time : e->from;
	e->moment[e->moments++] = (struct html_moment){ time, track };
	return 0;
}

/* ---- running threads ------------------------------------------------------------------------- */

static struct busy_thread *thread_at(struct reading_events *r, uint32_t thread)
{
	return array_reach(r->thread, r->threads, thread) ? NULL : &r->thread[thread];
}

static struct busy_cpu *cpu_at(struct reading_events *r, uint32_t cpu)
{
	return array_reach(r->cpu, r->cpus, cpu) ? NULL : &r->cpu[cpu];
}

static int end_run(struct reading_events *r, uint32_t cpu, uint64_t time)
{
	const struct busy_cpu *c = &r->cpu[cpu];
	const struct html_track key = { HTML_RUNS, c->thread, NO_KEY, cpu, 0, 0, 0 };

	if (c->thread == NO_KEY)
		return 0;
	return add_stretch(r, track_of(r, &key, ""), c->since, time, true);
}

static int end_ready(struct reading_events *r, uint32_t thread, uint64_t time)
{
	const struct html_track key = { HTML_READY, thread, NO_KEY, NO_KEY, 0, 0, 0 };
	struct busy_thread *t = &r->thread[thread];

	if (!t->ready)
		return 0;
	t->ready = false;
	return add_stretch(r, track_of(r, &key, ""), t->ready_from, time, true);
}

static int leave(struct reading_events *r, const struct timeline_moment *m)
{
	struct busy_cpu *c = cpu_at(r, m->cpu);
	struct busy_thread *t;
	int rc = 0;

	if (!c)
		return -ENOMEM;
	/* The first thread to leave has run since the trace began. */
	if (!c->seen) {
		c->thread = m->old;
		c->since = r->first;
	}
	/* If another thread was running, records are missing in between: the time is unknown. */
	if (c->thread == m->old)
		rc = end_run(r, m->cpu, m->time);
	if (rc || m->old == NO_KEY)
		return rc;
	t = thread_at(r, m->old);
	if (!t)
		return -ENOMEM;
	t->runs = false;
	t->ready = m->why == PITRACE_LEFT_RUNNING || m->why == PITRACE_LEFT_PREEMPTED;
	t->ready_from = m->time;
	return 0;
}

static int run(struct reading_events *r, const struct timeline_moment *m)
{
	struct busy_thread *t;
	int rc = leave(r, m);

	if (rc)
		return rc;
	r->cpu[m->cpu].seen = true;
	r->cpu[m->cpu].thread = m->thread;
	r->cpu[m->cpu].since = m->time;
	if (m->thread == NO_KEY)
		return 0;
	t = thread_at(r, m->thread);
	if (!t)
		return -ENOMEM;
	t->runs = true;
	return end_ready(r, m->thread, m->time);
}

static int wake(struct reading_events *r, const struct timeline_moment *m)
{
	const struct html_track key = { HTML_WAKES, m->thread, m->old, NO_KEY, 0, 0, 0 };
	struct busy_thread *t;

	if (m->thread == NO_KEY)
		return 0;
	t = thread_at(r, m->thread);
	if (!t)
		return -ENOMEM;
	if (!t->runs && !t->ready) {
		t->ready = true;
		t->ready_from = m->time;
	}
	return add_moment(r, track_of(r, &key, ""), m->time);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static int begin(struct open_stack *s, uint64_t time, uint32_t track)
{
	if (track == NO_KEY)
		return -ENOMEM;
	if (s->depth == DEEPEST)
		return 0;
	if (array_next(s->list, s->depth, s->room))
		return -ENOMEM;
	s->list[s->depth++] = (struct open_one){ time, track };
	return 0;
}

/* Ends the innermost open entry of that track; entries within it have lost their ends. */
static int end(struct reading_events *r, struct open_stack *s, uint64_t time, uint32_t track)
{
	uint32_t at = s->depth;

	if (track == NO_KEY)
		return -ENOMEM;
	while (at && s->list[at - 1].track != track)
		at--;
	if (!at)
		return 0;
	s->depth = at - 1;
	return add_stretch(r, track, s->list[at - 1].from, time, true);
}

static int interrupt(struct reading_events *r, const struct timeline_moment *m)
{
	const struct html_track key = { HTML_INTERRUPT, NO_KEY, NO_KEY, m->cpu, 0, 0, 0 };
	struct busy_cpu *c = cpu_at(r, m->cpu);
	uint32_t track = track_of(r, &key, m->name);

	if (!c)
		return -ENOMEM;
	if (m->kind == MOMENT_IRQ_BEGINS)
		return begin(&c->irqs, m->time, track);
	return end(r, &c->irqs, m->time, track);
}

static int pair(struct reading_events *r, const struct timeline_moment *m)
{
	const struct html_track key = { HTML_PAIR, m->thread, NO_KEY, NO_KEY, 0, 0, 0 };
	struct busy_thread *t = thread_at(r, m->thread);
	uint32_t track = track_of(r, &key, m->name);

	if (!t)
		return -ENOMEM;
	if (m->kind == MOMENT_PAIR_BEGINS)
		return begin(&t->pairs, m->time, track);
	return end(r, &t->pairs, m->time, track);
}

static int call(struct reading_events *r, const struct timeline_moment *m)
{
	const struct html_track key = { HTML_CALL, m->thread, NO_KEY, NO_KEY, 0, 0, 0 };
	struct busy_thread *t = thread_at(r, m->thread);
	uint32_t track = track_of(r, &key, m->name);

	if (!t || track == NO_KEY)
		return -ENOMEM;
	if (m->kind == MOMENT_CALL_BEGINS) {
		t->calls = true;
		t->call = track;
		t->call_from = m->time;
		return 0;
	}
	if (!t->calls || t->call != track)
		return 0;
	t->calls = false;
	return add_stretch(r, track, t->call_from, m->time, true);
}

static int span(struct reading_events *r, const struct timeline_moment *m)
{
	const struct html_track key = { HTML_SPAN, m->thread, NO_KEY, NO_KEY, 0, 0, 0 };
	uint32_t track;

	if (array_reach(r->span, r->spans, m->place))
		return -ENOMEM;
	/* A span belongs to the thread in which it began. */
	if (m->kind == MOMENT_SPAN_ENDS)
		return add_stretch(r, r->span[m->place].track, r->span[m->place].from, m->time,
				   true);
	track = track_of(r, &key, m->name);
	r->span[m->place] = (struct open_one){ m->time, track };
	return track == NO_KEY ? -ENOMEM : 0;
}

static int moment(struct reading_events *r, const struct timeline_moment *m,
		  enum html_track_kind kind)
{
	const struct html_track key = { kind, m->thread, NO_KEY, NO_KEY, 0, 0, 0 };

	return add_moment(r, track_of(r, &key, m->name), m->time);
}

static int take(void *arg, const struct timeline_moment *m)
{
	struct reading_events *r = arg;

	r->last = m->time > r->last ? m->time : r->last;
	switch (m->kind) {
	case MOMENT_SAMPLE:
		return 0;
	case MOMENT_RUNS:
		return run(r, m);
	case MOMENT_WAKES:
		return wake(r, m);
	case MOMENT_IRQ_BEGINS:
	case MOMENT_IRQ_ENDS:
		return interrupt(r, m);
	case MOMENT_CALL_BEGINS:
	case MOMENT_CALL_ENDS:
		return call(r, m);
	case MOMENT_PAIR_BEGINS:
	case MOMENT_PAIR_ENDS:
		return pair(r, m);
	case MOMENT_SPAN_BEGINS:
	case MOMENT_SPAN_ENDS:
		return span(r, m);
	case MOMENT_MARK:
		return moment(r, m, HTML_MARK);
	case MOMENT_FAULT:
		return moment(r, m, HTML_FAULT);
	case MOMENT_NAMED:
		return moment(r, m, HTML_NAMED);
	}
	return 0;
}

/* ---- why threads waited ---------------------------------------------------------------------- */

struct reading_blames {
	struct reading_events *r;
	const struct times *times;
};

static void interrupt_name(const struct irq_names *names, const struct irq_row *q, char *text,
			   size_t size)
{
	const char *name = irq_name(names, q->source, q->number);

	if (*name)
		snprintf(text, size, "%s %s", irq_source(q->source), name);
	else
		snprintf(text, size, "%s %" PRIu32, irq_source(q->source), q->number);
}

static int blame_part(void *arg, uint32_t row, const struct blame *b, uint64_t from, uint64_t ns)
{
	const struct reading_blames *x = arg;
	struct html_track key = { HTML_BLAME, row, NO_KEY, NO_KEY, 0, 0, 0 };
	char who[NAME_ROOM / 2] = "", text[NAME_ROOM];

	if (b->kind == BLAME_IRQ)
		interrupt_name(&x->r->job->trace->irqs, &x->times->irqs.row[b->who], who,
			       sizeof(who));
	else if (b->who != BLAME_NOBODY)
		key.other = b->who;
	else if (b->kind == BLAME_UNKNOWN || b->kind == BLAME_OUTSIDE)
		snprintf(who, sizeof(who), "who had the CPU");
	snprintf(text, sizeof(text), "%s%s%s", who, *who ? " " : "", blame_words(b->kind));
	return ns ? add_stretch(x->r, track_of(x->r, &key, text), from, from + ns, true) : 0;
}

/* Reads the trace: moments, and what is to blame for waits if dispatches are recorded. */
static int read_moments(struct reading_events *r, const struct job *job)
{
	struct trace books = *job->trace; /* its counters are not to change */
	struct times *times = malloc(sizeof(*times));
	struct reading_blames x = { r, times };
	bool wanted = job->trace->major[PITRACE_DISPATCH];
	int rc = times ? 0 : -ENOMEM;

	if (!rc && wanted) {
		times_begin(times, &job->model->names, &books, &job->input->header);
		rc = critical_open(&times->critical, &times->sched, &times->irqs,
				   &job->options->filter, &job->input->header);
		times->critical.watch = (struct critical_watch){ blame_part, &x };
	}
	if (!rc)
		rc = timeline_events(job, wanted ? times : NULL, take, r);
	if (!rc && wanted)
		rc = times_finish(times);
	if (times && wanted)
		times_free(times);
	free(times);
	return rc;
}

/* ---- the whole trace ------------------------------------------------------------------------- */

static int end_open(struct reading_events *r, struct open_stack *s)
{
	int rc = 0;

	for (; !rc && s->depth; s->depth--)
		rc = add_stretch(r, s->list[s->depth - 1].track, s->list[s->depth - 1].from,
				 r->last, false);
	return rc;
}

static int end_all(struct reading_events *r)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; i < r->cpus && !rc; i++) {
		rc = r->cpu[i].seen ? end_run(r, i, r->last) : 0;
		if (!rc)
			rc = end_open(r, &r->cpu[i].irqs);
	}
	for (i = 0; i < r->threads && !rc; i++) {
		rc = end_ready(r, i, r->last);
		if (!rc && r->thread[i].calls)
			rc = add_stretch(r, r->thread[i].call, r->thread[i].call_from, r->last,
					 false);
		if (!rc)
			rc = end_open(r, &r->thread[i].pairs);
	}
	return rc;
}

static bool has_events(const struct trace *t)
{
	static const unsigned int kinds[] = {
		PITRACE_DISPATCH, PITRACE_WAKEUP, PITRACE_INTERRUPT,
		PITRACE_SYSCALL,  PITRACE_FAULT,  PITRACE_NAMED,
	};
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (t->major[kinds[i]])
			return true;
	}
	for (i = 0; i < PITRACE_MAJORS; i++) {
		if (t->major[i] && pifile_user_major(i))
			return true;
	}
	return false;
}

/* Aligns the slices of events with those of samples: both begin at the earlier first time, a whole
 * number of slices before the samples' own. */
static void align(struct html_events *e, const struct job *job)
{
	const struct slices *s = &job->model->slices;
	uint64_t first = job->trace->first, before = 0;
	unsigned int shift = s->count ? s->shift : SLICES_SHIFT;

	e->from = s->count ? s->from : first;
	if (e->from > first)
		before = ((e->from - first - 1) >> shift) + 1;
	before = before > e->from >> shift ? e->from >> shift : before;
	e->from -= before << shift;
	e->slices = (struct slices){
		.wanted = true,
		.begun = true,
		.from = e->from,
		.shift = shift,
		.most = MOST_CELLS,
	};
}

static int by_from(const void *pa, const void *pb)
{
	const struct html_stretch *a = pa, *b = pb;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->ns > b->ns ? -1 : a->ns < b->ns;
}

static int by_time(const void *pa, const void *pb)
{
	const struct html_moment *a = pa, *b = pb;

	return a->time < b->time ? -1 : a->time > b->time;
}

int html_events_read(struct html_events *e, const struct job *job, struct texts *texts)
{
	struct reading_events r = {
		.job = job,
		.e = e,
		.texts = texts,
		.first = job->trace->first,
		.last = job->trace->last,
	};
	uint32_t i;
	int rc;

	*e = (struct html_events){ .step = 1, .from = job->model->slices.from };
	if (!has_events(job->trace))
		return 0;
	align(e, job);
	rc = read_moments(&r, job);
	if (!rc)
		rc = end_all(&r);
	if (!rc)
		rc = slices_finish(&e->slices);
	if (e->stretches)
		qsort(e->stretch, e->stretches, sizeof(*e->stretch), by_from);
	if (e->moments)
		qsort(e->moment, e->moments, sizeof(*e->moment), by_time);
	for (i = 0; i < r.threads; i++)
		free(r.thread[i].pairs.list);
	for (i = 0; i < r.cpus; i++)
		free(r.cpu[i].irqs.list);
	free(r.thread);
	free(r.cpu);
	free(r.span);
	return rc;
}

void html_events_free(struct html_events *e)
{
	free(e->track);
	keys_free(&e->by_track);
	slices_free(&e->slices);
	free(e->stretch);
	free(e->moment);
}
