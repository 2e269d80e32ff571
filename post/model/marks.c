/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A begin opens a pair, the end of the same name closes it and all pairs left open inside. */
#include "model/marks.h"

#include <string.h>

#include "record/record_as.h"
#include "record/user_record.h"

#define NAME_MAX_BYTES 256 /* of a name as a report shows it */

/* ---- rows and names -------------------------------------------------------------------------- */

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

static uint32_t get_name(struct marks *m, const char *name)
{
	uint64_t hash = 0;
	const char *p;
	uint32_t i;

	for (p = name; *p; p++)
		hash = hash_mix(hash, (unsigned char)*p);
	i = keys_find(&m->by_name, hash, m->name, e, !strcmp(*e, name));
	if (i != NO_KEY)
		return i;
	if (array_next(m->name, m->nname, m->room_name))
		return NO_KEY;
	m->name[m->nname] = strdup(name);
	if (!m->name[m->nname])
		return NO_KEY;
	if (!keys_add(&m->by_name, hash, m->nname))
		return m->nname++;
	free(m->name[m->nname]);
	return NO_KEY;
}

/* ---- threads --------------------------------------------------------------------------------- */

static struct mark_thread *find_thread(struct marks *m, uint32_t tid)
{
	uint32_t i = keys_find(&m->by_tid, hash_mix(tid, 7), m->thread, e, e->tid == tid);

	return i == NO_KEY ? NULL : &m->thread[i];
}

static void leave_open(struct marks *m, struct mark_thread *t)
{
	while (t->depth)
		m->row[t->open[--t->depth].row].open++;
}

/* A tid with a new owner starts without open pairs. */
static struct mark_thread *get_thread(struct marks *m, uint32_t pid, uint32_t tid)
{
	struct mark_thread *t = find_thread(m, tid);

	if (t) {
		if (t->pid != pid)
			leave_open(m, t);
		t->pid = pid;
		return t;
	}
	if (keys_next(&m->by_tid, hash_mix(tid, 7), m->thread, m->nthread, m->room_thread))
		return NULL;
	t = &m->thread[m->nthread++];
	t->pid = pid;
	t->tid = tid;
	t->depth = 0;
	return t;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static void begin(struct marks *m, struct mark_thread *t, uint32_t row, uint64_t time)
{
	if (t->depth == MARK_DEPTH) {
		m->row[t->open[0].row].open++;
		memmove(t->open, t->open + 1, (MARK_DEPTH - 1) * sizeof(t->open[0]));
		t->depth--;
	}
	t->open[t->depth++] = (struct mark_open){ .row = row, .since = time };
}

/* An end without a name closes the innermost pair. */
static int end(struct marks *m, struct mark_thread *t, const char *name, uint64_t time)
{
	uint32_t depth = t->depth;
	struct mark_open o;
	struct mark_row *row;

	while (depth && *name && strcmp(m->name[m->row[t->open[depth - 1].row].name], name) != 0)
		depth--;
	if (!depth) {
		m->stray++;
		return 0;
	}
	while (t->depth > depth)
		m->row[t->open[--t->depth].row].cut++;
	o = t->open[--t->depth];
	row = &m->row[o.row];
	if (o.since < m->gap) {
		row->cut++;
		return 0;
	}
	row->self += time - o.since - o.inner;
	if (t->depth)
		t->open[t->depth - 1].inner += time - o.since;
	return spread_add(&row->time, time - o.since);
}

static int take(struct marks *m, const struct pirecord *r, struct user_record *x)
{
	bool pair = r->major == PITRACE_HOOKIT && (r->minor == MARK_BEGIN || r->minor == MARK_END);
	struct mark_row key = { .minor = r->minor, .name = NO_KEY, .major = r->major };
	char room[PITRACE_USER_MAX] = "";
	struct mark_thread *t = NULL;
	uint32_t i;

	if (pair) {
		if (x->u.strs)
			user_record_string(x, 0, room);
		room[NAME_MAX_BYTES] = '\0';
		t = get_thread(m, x->u.pid, x->u.tid);
		if (!t)
			return -ENOMEM;
		if (r->minor == MARK_END)
			return end(m, t, room, r->time);
		key.name = get_name(m, room);
		if (key.name == NO_KEY)
			return -ENOMEM;
	}
	if (names_thread(m->names, x->u.pid, x->u.tid, r->time, &key.thread))
		return -ENOMEM;
	i = get_row(m, &key);
	if (i == NO_KEY)
		return -ENOMEM;
	m->row[i].records++;
	if (pair)
		begin(m, t, i, r->time);
	return 0;
}

/* ---- records --------------------------------------------------------------------------------- */

static void task_record(struct marks *m, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	bool exits = r->minor == PITRACE_MTE_PROCESS_EXIT || r->minor == PITRACE_MTE_THREAD_EXIT;
	struct mark_thread *t = task && exits ? find_thread(m, task->tid) : NULL;

	if (t)
		leave_open(m, t);
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
	struct user_record x;

	if (r->major == PITRACE_MTE)
		task_record(m, r);
	else if (is_gap(r))
		m->gap = r->time;
	if (!is_user_major(r->major))
		return 0;
	if (user_record(r, &x))
		return take(m, r, &x);
	trace_malformed(t, r, "not a program's record");
	return 0;
}

void marks_end(struct marks *m)
{
	uint32_t i;

	for (i = 0; i < m->nthread; i++)
		leave_open(m, &m->thread[i]);
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
	for (i = 0; i < m->nname; i++)
		free(m->name[i]);
	free(m->row);
	free(m->name);
	free(m->thread);
	keys_free(&m->by_key);
	keys_free(&m->by_name);
	keys_free(&m->by_tid);
	*m = (struct marks){ .names = NULL };
}
