/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs: a begin opens one; the end of the same name closes it and all that are still open inside.
 * Spans: an end closes the span of its name and id. Ticks, calls and times off the CPU inside are
 * the difference of the thread's or process's counters between end and begin.
 */
#include "model/marks.h"

#include <string.h>

#include "record/record_as.h"

#define NAME_MAX_BYTES 256 /* maximum bytes of a name in reports */

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t get_row(struct marks *m, const struct mark_row *key)
{
	uint64_t hash = hash_mix(hash_mix((uint64_t)key->thread << 32 | key->name, key->minor),
				 key->major);
	uint32_t i = keys_find(&m->by_key, hash, m->row, e,
			       e->thread == key->thread && e->minor == key->minor &&
				       e->name == key->name && e->major == key->major);

	if (i != NO_KEY)
		return i;
	if (keys_next(&m->by_key, hash, m->row, m->nrow, m->room))
		return NO_KEY;
	m->row[m->nrow] = (struct mark_row){
		.thread = key->thread,
		.minor = key->minor,
		.name = key->name,
		.major = key->major,
	};
	return m->nrow++;
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct mark_thread *find_thread(struct marks *m, uint32_t tid)
{
	uint32_t i = keys_find(&m->by_tid, hash_mix(tid, 7), m->thread, e, e->tid == tid);

	return i == NO_KEY ? NULL : &m->thread[i];
}

static void drop_words(struct span_begun *b)
{
	free(b->words);
	b->words = NULL;
}

/* Counts all pairs that are still open as open. */
static void leave_open(struct marks *m, struct mark_thread *t)
{
	while (t->depth) {
		drop_words(&t->open[--t->depth]);
		m->row[t->open[t->depth].row].open++;
	}
}

static void thread_ends(struct marks *m, struct mark_thread *t)
{
	leave_open(m, t);
	t->life++;
}

/* A tid with a new owner starts without open pairs. */
static struct mark_thread *get_thread(struct marks *m, uint32_t pid, uint32_t tid)
{
	struct mark_thread *t = find_thread(m, tid);

	if (t) {
		if (t->pid != pid)
			thread_ends(m, t);
		t->pid = pid;
		return t;
	}
	if (keys_next(&m->by_tid, hash_mix(tid, 7), m->thread, m->nthread, m->room_thread))
		return NULL;
	t = &m->thread[m->nthread++];
	*t = (struct mark_thread){ .pid = pid, .tid = tid };
	return t;
}

static void process_ends(struct marks *m, uint32_t pid)
{
	uint32_t process = spans_process_of(&m->spans, pid), at;

	while (process != NO_KEY && (at = spans_drop(&m->spans, process)) != NO_KEY) {
		struct span_begun *b = &m->spans.open[at].begun;

		drop_words(b);
		m->row[b->row].open++;
	}
}

/* ---- activity inside ------------------------------------------------------------------------- */

/* Reads a thread's counters, after accounting its time up to now if it is off its CPU. */
static int did_by_now(struct marks *m, const struct mark_thread *t, uint64_t time,
		      struct inside *did)
{
	struct sched_thread *s = m->sched ? sched_find(m->sched, t->tid) : NULL;
	int rc = 0;

	*did = t->did;
	if (!s || s->pid != t->pid)
		return 0;
	if (s->state == SCHED_OFF || s->state == SCHED_WAITING)
		rc = sched_settle(m->sched, s, time);
	did->off = s->off_total;
	did->wait = s->wait_total;
	return rc;
}

/* sched resets its totals when a tid has a new owner. */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static struct inside between(const struct inside *now, const struct inside *before)
{
	return (struct inside){
		.ticks = more(now->ticks, before->ticks),
		.calls = more(now->calls, before->calls),
		.off = more(now->off, before->off),
		.wait = more(now->wait, before->wait),
	};
}

static void count_in(struct marks *m, uint32_t pid, uint32_t tid, uint64_t ticks, uint64_t calls)
{
	struct mark_thread *t = m->nthread ? find_thread(m, tid) : NULL;
	uint32_t process = m->spans.nprocess ? spans_process_of(&m->spans, pid) : NO_KEY;

	if (t && t->pid == pid) {
		t->did.ticks += ticks;
		t->did.calls += calls;
	}
	if (process != NO_KEY) {
		m->spans.process[process].did.ticks += ticks;
		m->spans.process[process].did.calls += calls;
	}
}

void marks_sample(struct marks *m, uint32_t pid, uint32_t tid, uint64_t ticks)
{
	count_in(m, pid, tid, ticks, 0);
}

/* ---- ends ------------------------------------------------------------------------------------ */

/* A begin or end, from its record. */
struct mark_event {
	const struct pirecord *r;
	const struct pifile_user *x;
	const char *name;
	enum mark_kind kind;
};

static int words_of(const struct mark_event *mark_event, struct span_words **words)
{
	return span_words(mark_event->x, mark_event->kind >= MARK_SPAN_BEGINS,
			  mark_event->x->strs != 0, words);
}

static int keep_slowest(struct marks *m, const struct mark_event *mark_event, struct span_begun *b,
			struct span_over *over)
{
	int rc = names_thread(m->names, mark_event->x->pid, mark_event->x->tid, mark_event->r->time,
			      &over->last);

	if (!rc)
		rc = words_of(mark_event, &over->ended);
	if (rc)
		return rc;
	over->began = b->words;
	rc = slowest_add(&m->slowest, over);
	if (rc)
		free(over->ended);
	else
		b->words = NULL;
	return rc;
}

/* Ends a pair or span. *took: its duration, if both ends are intact. */
static int is_over(struct marks *m, const struct mark_event *mark_event, struct span_begun *b,
		   uint64_t *took)
{
	struct mark_thread *t = find_thread(m, mark_event->x->tid);
	struct mark_row *row = &m->row[b->row];
	uint32_t process = spans_process_of(&m->spans, b->pid);
	struct span_over over = {
		.since = b->since,
		.until = mark_event->r->time,
		.name = row->name,
		.thread = row->thread,
		.pid = b->pid,
		.tid = b->tid,
		.within = b->pid == mark_event->x->pid ? SPAN_OF_PROCESS : SPAN_OF_PROCESSES,
	};
	struct inside now;
	int rc = 0;

	*took = span_took(&over);
	if (mark_event->kind == MARK_SPAN_ENDS) {
		over.has_id = true;
		over.id = pifile_user_int(mark_event->x, 0);
	}
	if (t && t->pid == b->pid && t->tid == b->tid && t->life == b->life) {
		over.within = SPAN_OF_THREAD;
		rc = did_by_now(m, t, mark_event->r->time, &now);
		over.inside = between(&now, &b->thread);
		row->inside.ticks += over.inside.ticks;
		row->inside.calls += over.inside.calls;
		row->inside.off += over.inside.off;
		row->inside.wait += over.inside.wait;
		if (!rc)
			rc = span_metrics_add(&m->metrics, &m->spans, row->name, b->words,
					      mark_event->x, mark_event->kind == MARK_SPAN_ENDS);
	} else {
		row->crossed++;
		if (over.within == SPAN_OF_PROCESS && process != NO_KEY)
			over.inside = between(&m->spans.process[process].did, &b->process);
	}
	row->self += *took > b->nested ? *took - b->nested : 0;
	if (!rc)
		rc = spread_add(&row->time, *took);
	if (!rc && slowest_wants(&m->slowest, row->name, *took))
		rc = keep_slowest(m, mark_event, b, &over);
	return rc;
}

/* ---- pairs and spans ------------------------------------------------------------------------- */

static int begins(struct marks *m, const struct mark_event *mark_event, uint32_t row,
		  struct span_begun *b)
{
	struct mark_thread *t = get_thread(m, mark_event->x->pid, mark_event->x->tid);
	uint32_t process = spans_process_of(&m->spans, mark_event->x->pid);
	int rc;

	if (!t)
		return -ENOMEM;
	*b = (struct span_begun){
		.row = row,
		.pid = t->pid,
		.tid = t->tid,
		.life = t->life,
		.since = mark_event->r->time,
	};
	if (process != NO_KEY)
		b->process = m->spans.process[process].did;
	rc = did_by_now(m, t, mark_event->r->time, &b->thread);
	return rc ? rc : words_of(mark_event, &b->words);
}

static int pair_begins(struct marks *m, const struct mark_event *mark_event, uint32_t row)
{
	struct mark_thread *t;
	struct span_begun b;
	int rc = begins(m, mark_event, row, &b);

	t = rc ? NULL : find_thread(m, b.tid);
	if (!t)
		return -ENOMEM;
	if (t->depth == MARK_DEPTH) {
		m->row[t->open[0].row].open++;
		drop_words(&t->open[0]);
		memmove(t->open, t->open + 1, (MARK_DEPTH - 1) * sizeof(t->open[0]));
		t->depth--;
	}
	if (array_next(t->open, t->depth, t->room)) {
		drop_words(&b);
		return -ENOMEM;
	}
	t->open[t->depth++] = b;
	return 0;
}

/* An end without a name closes the innermost pair. */
static int pair_ends(struct marks *m, const struct mark_event *mark_event)
{
	struct mark_thread *t = get_thread(m, mark_event->x->pid, mark_event->x->tid);
	const char *name = mark_event->name;
	uint32_t depth = t ? t->depth : 0;
	struct span_begun b;
	uint64_t took;
	int rc;

	if (!t)
		return -ENOMEM;
	while (depth && *name &&
	       strcmp(m->spans.name[m->row[t->open[depth - 1].row].name], name) != 0)
		depth--;
	if (!depth) {
		m->stray++;
		return 0;
	}
	while (t->depth > depth) {
		drop_words(&t->open[--t->depth]);
		m->row[t->open[t->depth].row].cut++;
	}
	b = t->open[--t->depth];
	if (b.since < m->gap) {
		m->row[b.row].cut++;
		drop_words(&b);
		return 0;
	}
	rc = is_over(m, mark_event, &b, &took);
	drop_words(&b);
	t = find_thread(m, mark_event->x->tid);
	if (t && t->depth)
		t->open[t->depth - 1].nested += took;
	return rc;
}

static struct span_key key_of(const struct mark_event *mark_event, uint32_t name)
{
	bool shared = mark_event->r->minor & MARK_SHARED;

	return (struct span_key){
		.id = pifile_user_int(mark_event->x, 0),
		.name = name,
		.scope = shared ? mark_event->r->origin : mark_event->x->pid,
		.shared = shared,
	};
}

static int span_begins(struct marks *m, const struct mark_event *mark_event, uint32_t row)
{
	struct span_key key = key_of(mark_event, m->row[row].name);
	struct span_begun b;
	uint32_t at;
	int rc;

	/* A process's activity is counted from its first span on. */
	if (spans_process(&m->spans, mark_event->x->pid) == NO_KEY)
		return -ENOMEM;
	rc = begins(m, mark_event, row, &b);
	if (rc)
		return rc;
	at = spans_begin(&m->spans, &key);
	if (at == NO_KEY) {
		drop_words(&b);
		return -ENOMEM;
	}
	m->spans.open[at].begun = b;
	return 0;
}

static int span_ends(struct marks *m, const struct mark_event *mark_event)
{
	struct span_key key = key_of(mark_event, spans_named(&m->spans, mark_event->name));
	uint32_t at = key.name == NO_KEY ? NO_KEY : spans_end(&m->spans, &key);
	struct span_begun b;
	uint64_t took;
	int rc = 0;

	if (at == NO_KEY) {
		m->stray++;
		return 0;
	}
	b = m->spans.open[at].begun;
	if (b.since < m->gap)
		m->row[b.row].cut++;
	else
		rc = is_over(m, mark_event, &b, &took);
	drop_words(&b);
	return rc;
}

static int take(struct marks *m, const struct pirecord *r, struct pifile_user *x)
{
	struct mark_row key = { .minor = r->minor, .name = NO_KEY, .major = r->major };
	struct mark_event mark_event = { .r = r, .x = x, .kind = mark_kind(r, x) };
	struct pifile_user copy = *x;
	char room[PITRACE_USER_MAX] = "";
	uint32_t i;

	if (mark_event.kind != MARK_OTHER) {
		if (x->strs)
			user_string(&copy, 0, room);
		room[NAME_MAX_BYTES] = '\0';
		mark_event.name = room;
	}
	if (mark_event.kind == MARK_PAIR_ENDS)
		return pair_ends(m, &mark_event);
	if (mark_event.kind == MARK_SPAN_ENDS)
		return span_ends(m, &mark_event);
	if (mark_event.kind != MARK_OTHER) {
		key.minor = MARK_BEGIN;
		key.name = spans_name(&m->spans, room);
		if (key.name == NO_KEY)
			return -ENOMEM;
	}
	if (names_thread(m->names, x->pid, x->tid, r->time, &key.thread))
		return -ENOMEM;
	i = get_row(m, &key);
	if (i == NO_KEY)
		return -ENOMEM;
	m->row[i].records++;
	if (mark_event.kind == MARK_PAIR_BEGINS)
		return pair_begins(m, &mark_event, i);
	return mark_event.kind == MARK_SPAN_BEGINS ? span_begins(m, &mark_event, i) : 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static int take_named(struct marks *m, const struct pirecord *r, struct pifile_user *x)
{
	const struct named_event *e = named_events_of(m->events, r, x);
	uint32_t thread;

	/* Adds the thread, so that later passes find it even if it was never sampled. */
	if (e && names_thread(m->names, x->pid, x->tid, r->time, &thread))
		return -ENOMEM;
	if (e)
		return named_stats_add(&m->named, e, x);
	m->undeclared++;
	return take(m, r, x);
}

static void task_record(struct marks *m, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	bool exits = r->minor == PITRACE_MTE_PROCESS_EXIT || r->minor == PITRACE_MTE_THREAD_EXIT;
	struct mark_thread *t = task && exits ? find_thread(m, task->tid) : NULL;

	if (t)
		thread_ends(m, t);
	/* A fork shows that the pid's previous owner has ended. */
	if (task && (r->minor == PITRACE_MTE_PROCESS_EXIT || r->minor == PITRACE_MTE_FORK) &&
	    !(task->flags & PITRACE_TASK_WALK))
		process_ends(m, task->pid);
}

static void call_record(struct marks *m, const struct pirecord *r)
{
	const struct pitrace_sysenter *e = RECORD_AS(r, struct pitrace_sysenter);

	if (e && !(r->minor & PITRACE_EXIT))
		count_in(m, e->pid, e->tid, 0, 1);
}

static bool is_gap(const struct pirecord *r)
{
	if (r->major == PITRACE_SYNC)
		return r->minor == PITRACE_SYNC_SUSPEND || r->minor == PITRACE_SYNC_OFF;
	return r->major == PITRACE_LOST && r->minor != PITRACE_LOST_MTE &&
	       r->minor != PITRACE_LOST_OVERRUN && r->minor != PITRACE_LOST_THROTTLED;
}

int marks_record(struct marks *m, struct trace *t, const struct pirecord *r)
{
	struct pifile_user x;

	if (r->major == PITRACE_MTE)
		task_record(m, r);
	else if (r->major == PITRACE_SYSCALL)
		call_record(m, r);
	else if (is_gap(r))
		m->gap = r->time;
	if (!pifile_user_major(r->major))
		return 0;
	if (!pifile_user_record(r, &x))
		return r->major == PITRACE_NAMED ? take_named(m, r, &x) : take(m, r, &x);
	trace_malformed(t, r, "not a program's record");
	return 0;
}

void marks_end(struct marks *m)
{
	uint32_t i;

	for (i = 0; i < m->nthread; i++)
		leave_open(m, &m->thread[i]);
	for (i = 0; i < m->spans.nopen; i++) {
		if (m->spans.open[i].is_open)
			m->row[m->spans.open[i].begun.row].open++;
	}
	slowest_sort(&m->slowest);
}

int marks_group(struct marks *into, const struct marks *from,
		uint32_t (*key)(const struct names *n, uint32_t thread))
{
	struct mark_row *g;
	uint32_t i, at;
	int rc = 0;

	*into = (struct marks){ .names = from->names, .stray = from->stray };
	for (i = 0; i < from->nrow && !rc; i++) {
		struct mark_row wanted = from->row[i];

		wanted.thread = key(from->names, wanted.thread);
		at = get_row(into, &wanted);
		if (at == NO_KEY) {
			rc = -ENOMEM;
			break;
		}
		g = &into->row[at];
		g->records += wanted.records;
		g->self += wanted.self;
		g->open += wanted.open;
		g->cut += wanted.cut;
		g->crossed += wanted.crossed;
		g->inside.ticks += wanted.inside.ticks;
		g->inside.calls += wanted.inside.calls;
		g->inside.off += wanted.inside.off;
		g->inside.wait += wanted.inside.wait;
		rc = spread_merge(&g->time, &wanted.time);
	}
	if (rc)
		marks_free(into);
	return rc;
}

void marks_free(struct marks *m)
{
	uint32_t i;

	for (i = 0; i < m->nrow; i++)
		spread_free(&m->row[i].time);
	for (i = 0; i < m->nthread; i++) {
		while (m->thread[i].depth)
			drop_words(&m->thread[i].open[--m->thread[i].depth]);
		free(m->thread[i].open);
	}
	free(m->row);
	free(m->thread);
	spans_free(&m->spans);
	slowest_free(&m->slowest);
	span_metrics_free(&m->metrics);
	named_stats_free(&m->named);
	keys_free(&m->by_key);
	keys_free(&m->by_tid);
	*m = (struct marks){ .names = NULL };
}
