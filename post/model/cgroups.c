/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records come in any order (the drain's own come first), and a child's cgroup is its parent's at
 * that moment. So all of them are kept, sorted, and applied in order; what remains is one entry for
 * each change, sorted by process and time.
 */
#include "model/cgroups.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "file/record_kinds.h"
#include "record/record_as.h"

/* Returns a cgroup, or NULL if its path with the NUL does not fit into the record. */
static const struct mte_cgroup *record_cgroup(const struct pirecord *r)
{
	const struct mte_cgroup *g = RECORD_AS(r, struct mte_cgroup);

	if (!g || g->path_len >= r->size - sizeof(*g) || g->path[g->path_len] != '\0')
		return NULL;
	return g;
}

/* At the same time: a fork, then what is known about the child. */
enum event_kind { INHERITS, HAS_ID, IS_IN };

struct cgroup_event {
	uint64_t time, id; /* id: HAS_ID */
	uint32_t pid;
	uint32_t other; /* INHERITS: its parent; IS_IN: an index in the list */
	uint32_t number;
	enum event_kind kind;
};

struct cgroup_stay {
	uint64_t time; /* since then */
	uint32_t pid, cgroup;
};

/* The cgroup of each process, up to the event that is applied. */
struct current {
	struct keys by_pid;
	struct cgroup_stay *of;
	uint32_t count, room;
};

static uint32_t path_index(struct cgroups *c, const char *path, uint64_t id)
{
	struct cgroup g = { .id = id };
	uint64_t hash = 0;
	uint32_t i;

	for (const char *p = path; *p; p++)
		hash = hash_mix(hash, (unsigned char)*p);
	i = keys_find(&c->by_path, hash, c->list, e, !strcmp(e->path, path));
	if (i != NO_KEY) {
		if (id)
			c->list[i].id = id;
		return i;
	}
	g.path = strdup(path);
	g.name = *path ? cgroup_name(path) : strdup("unknown");
	if (!g.path || !g.name || keys_next(&c->by_path, hash, c->list, c->count, c->room)) {
		free(g.path);
		free(g.name);
		return NO_KEY;
	}
	c->list[c->count] = g;
	return c->count++;
}

int cgroups_begin(struct cgroups *c)
{
	*c = (struct cgroups){ 0 };
	return path_index(c, "", 0) == NO_KEY ? -ENOMEM : 0;
}

static int keep(struct cgroups *c, struct cgroup_event e)
{
	if (array_next(c->event, c->nevent, c->room_event))
		return -ENOMEM;
	e.number = c->nevent;
	c->event[c->nevent++] = e;
	return 0;
}

static int task_record(struct cgroups *c, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	struct cgroup_event e = { .time = r->time };
	bool born = r->minor == PITRACE_MTE_FORK || r->minor == PITRACE_MTE_CLONE;
	int rc = 0;

	if (!task)
		return 0;
	e.pid = task->pid;
	if (born) {
		e.kind = INHERITS;
		e.other = task->ppid;
		rc = keep(c, e);
	}
	if (rc || !task->cgroup)
		return rc;
	e.kind = HAS_ID;
	e.id = task->cgroup;
	return keep(c, e);
}

int cgroups_record(struct cgroups *c, const struct pirecord *r)
{
	const struct mte_cgroup *g;
	uint32_t at;

	if (r->major != PITRACE_MTE)
		return 0;
	switch (r->minor) {
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_PROCESS:
		return task_record(c, r);
	case MTE_CGROUP:
		g = record_cgroup(r);
		if (!g)
			return 0;
		at = path_index(c, g->path, g->id);
		if (at == NO_KEY)
			return -ENOMEM;
		return keep(c, (struct cgroup_event){ .time = r->time,
						      .pid = g->pid,
						      .other = at,
						      .kind = IS_IN });
	default:
		return 0;
	}
}

/* ---- the end --------------------------------------------------------------------------------- */

static int by_time(const void *pa, const void *pb)
{
	const struct cgroup_event *a = pa, *b = pb;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return a->number < b->number ? -1 : a->number > b->number;
}

static int by_pid(const void *pa, const void *pb)
{
	const struct cgroup_stay *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return a->time < b->time ? -1 : a->time > b->time;
}

static uint32_t current_of(const struct current *now, uint32_t pid)
{
	uint32_t i = keys_find(&now->by_pid, hash_mix(pid, 1), now->of, e, e->pid == pid);

	return i == NO_KEY ? CGROUP_UNKNOWN : now->of[i].cgroup;
}

static int change(struct cgroups *c, struct current *now, const struct cgroup_event *e,
		  uint32_t cgroup)
{
	struct cgroup_stay stay = { e->time, e->pid, cgroup };
	uint64_t hash = hash_mix(e->pid, 1);
	uint32_t i = keys_find(&now->by_pid, hash, now->of, x, x->pid == e->pid);

	if (i == NO_KEY) {
		i = now->count;
		if (keys_next(&now->by_pid, hash, now->of, now->count, now->room))
			return -ENOMEM;
		now->of[now->count++] = (struct cgroup_stay){ .pid = e->pid };
	}
	if (now->of[i].cgroup == cgroup)
		return 0;
	now->of[i].cgroup = cgroup;
	/* The last one of several at one time is valid. */
	if (c->nstay && c->stay[c->nstay - 1].pid == e->pid &&
	    c->stay[c->nstay - 1].time == e->time) {
		c->stay[c->nstay - 1] = stay;
		return 0;
	}
	if (array_next(c->stay, c->nstay, c->room_stay))
		return -ENOMEM;
	c->stay[c->nstay++] = stay;
	return 0;
}

/* Returns the cgroup with this id; NO_KEY: its path is not known. */
static uint32_t id_index(const struct cgroups *c, const struct keys *by_id, uint64_t id)
{
	return keys_find(by_id, hash_mix(id, 2), c->list, e, e->id == id);
}

static int apply(struct cgroups *c, struct current *now, const struct keys *by_id,
		 const struct cgroup_event *e)
{
	uint32_t cgroup = e->other;

	if (e->kind == INHERITS)
		cgroup = current_of(now, e->other);
	else if (e->kind == HAS_ID)
		cgroup = id_index(c, by_id, e->id);
	return cgroup == NO_KEY ? 0 : change(c, now, e, cgroup);
}

int cgroups_finish(struct cgroups *c)
{
	struct current now = { 0 };
	struct keys by_id = { 0 };
	int rc = 0;

	for (uint32_t i = 0; !rc && i < c->count; i++)
		if (c->list[i].id && id_index(c, &by_id, c->list[i].id) == NO_KEY)
			rc = keys_add(&by_id, hash_mix(c->list[i].id, 2), i);
	/* Without any name all are unknown. */
	if (!rc && c->count > 1) {
		qsort(c->event, c->nevent, sizeof(*c->event), by_time);
		for (uint32_t i = 0; !rc && i < c->nevent; i++)
			rc = apply(c, &now, &by_id, &c->event[i]);
		if (!rc && c->nstay)
			qsort(c->stay, c->nstay, sizeof(*c->stay), by_pid);
	}
	free(c->event);
	c->event = NULL;
	c->nevent = c->room_event = 0;
	free(now.of);
	keys_free(&now.by_pid);
	keys_free(&by_id);
	return rc;
}

uint32_t cgroups_at(const struct cgroups *c, uint32_t pid, uint64_t time)
{
	uint32_t n = search_sorted(i, 0, c->nstay,
				   c->stay[i].pid < pid ||
					   (c->stay[i].pid == pid && c->stay[i].time <= time));

	/* Before the first record about it, a process is where that one finds it. */
	if (n && c->stay[n - 1].pid == pid)
		return c->stay[n - 1].cgroup;
	return n < c->nstay && c->stay[n].pid == pid ? c->stay[n].cgroup : CGROUP_UNKNOWN;
}

void cgroups_free(struct cgroups *c)
{
	for (uint32_t i = 0; i < c->count; i++) {
		free(c->list[i].path);
		free(c->list[i].name);
	}
	free(c->list);
	keys_free(&c->by_path);
	free(c->event);
	free(c->stay);
	*c = (struct cgroups){ 0 };
}
