/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records come in any order (the drain's own come first), and a child's cgroup is its parent's at
 * that moment. So all of them are kept, sorted, and applied in order; what remains is one entry for
 * each change, sorted by process and time.
 */
#include "model/cgroups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "cgroup_name.h"
#include "file/record_kinds.h"
#include "record/origin.h"
#include "record/record_as.h"

/* Returns a cgroup, or NULL if its path with the NUL does not fit into the record. */
static const struct mte_cgroup *record_cgroup(const struct pirecord *r)
{
	const struct mte_cgroup *g = RECORD_AS(r, struct mte_cgroup);

	if (!g || g->path_len >= r->size - sizeof(*g) || g->path[g->path_len] != '\0')
		return NULL;
	return g;
}

/*
 * At the same time: a fork, then what is known about the child. HAS_ID: the id of the default
 * hierarchy in a task's record; where containers are in other hierarchies, the path that the drain
 * read says more. IN_ID: the id of a sample that perf took.
 */
enum event_kind { INHERITS, HAS_ID, IN_ID, IS_IN };

struct cgroup_event {
	uint64_t time, id; /* id: HAS_ID, IN_ID */
	uint32_t pid;
	uint32_t other; /* INHERITS: its parent; IS_IN: an index in the list */
	uint32_t number;
	enum event_kind kind;
};

/* Each kernel numbers its cgroups by itself; one path can have several ids in turn. */
struct cgroup_id {
	uint64_t id;
	uint32_t origin; /* of the pids, as in origin.h */
	uint32_t cgroup;
};

struct cgroup_stay {
	uint64_t time; /* since then */
	uint32_t pid, cgroup;
};

/* The cgroup of each process, up to the event that is applied. */
struct current {
	struct keys by_pid;
	struct current_of {
		uint32_t pid, cgroup;
		uint32_t stay; /* the last one; NO_KEY: none */
	} * of;
	uint32_t count, room;
};

/* Takes over path and name. */
static uint32_t add_cgroup(struct cgroups *c, uint64_t hash, char *path, char *name)
{
	if (!path || !name || keys_next(&c->by_path, hash, c->list, c->count, c->room)) {
		free(path);
		free(name);
		return NO_KEY;
	}
	c->list[c->count] = (struct cgroup){ .path = path, .name = name };
	return c->count++;
}

static uint32_t path_index(struct cgroups *c, const char *path)
{
	uint64_t hash = 0;
	uint32_t i;

	for (const char *p = path; *p; p++)
		hash = hash_mix(hash, (unsigned char)*p);
	i = keys_find(&c->by_path, hash, c->list, e, !strcmp(e->path, path));
	if (i != NO_KEY)
		return i;
	return add_cgroup(c, hash, strdup(path), *path ? cgroup_name(path) : strdup("unknown"));
}

static uint64_t id_hash(uint32_t origin, uint64_t id)
{
	return hash_mix(id, 2 + (uint64_t)origin);
}

/* Returns the cgroup with this id; NO_KEY: its path is not known. */
static uint32_t id_index(const struct cgroups *c, uint32_t origin, uint64_t id)
{
	uint32_t i = keys_find(&c->by_id, id_hash(origin, id), c->id, e,
			       e->id == id && e->origin == origin);

	return i == NO_KEY ? NO_KEY : c->id[i].cgroup;
}

/* The first path of an id is valid. */
static int know_id(struct cgroups *c, uint32_t origin, uint64_t id, uint32_t cgroup)
{
	if (!id || id_index(c, origin, id) != NO_KEY)
		return 0;
	if (keys_next(&c->by_id, id_hash(origin, id), c->id, c->nid, c->room_id))
		return -ENOMEM;
	c->id[c->nid++] = (struct cgroup_id){ id, origin, cgroup };
	return 0;
}

/* Returns a cgroup without a path. */
static uint32_t numbered(struct cgroups *c, uint32_t origin, uint64_t id)
{
	uint32_t i = id_index(c, origin, id);
	char *name;

	if (i != NO_KEY)
		return i;
	if (asprintf(&name, "number %" PRIu64, id) < 0)
		return NO_KEY;
	/* Under this hash it is not found as a path. */
	i = add_cgroup(c, id_hash(origin, id), strdup(""), name);
	return i == NO_KEY || know_id(c, origin, id, i) ? NO_KEY : i;
}

int cgroups_begin(struct cgroups *c)
{
	*c = (struct cgroups){ 0 };
	return path_index(c, "") == NO_KEY ? -ENOMEM : 0;
}

static int keep(struct cgroups *c, struct cgroup_event e)
{
	if (array_next(c->event, c->nevent, c->room_event))
		return -ENOMEM;
	e.number = c->nevent;
	c->event[c->nevent++] = e;
	c->named |= e.kind != INHERITS;
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

static int cgroup_record(struct cgroups *c, const struct pirecord *r)
{
	const struct mte_cgroup *g = record_cgroup(r);
	struct cgroup_event e = { .time = r->time, .kind = IS_IN };

	if (!g || (!g->path_len && !g->id))
		return 0;
	e.pid = g->pid;
	if (!g->path_len) {
		e.kind = IN_ID;
		e.id = g->id;
		return keep(c, e);
	}
	e.other = path_index(c, g->path);
	if (e.other == NO_KEY || know_id(c, origin_of(g->pid), g->id, e.other))
		return -ENOMEM;
	return keep(c, e);
}

int cgroups_record(struct cgroups *c, const struct pirecord *r)
{
	if (r->major != PITRACE_MTE)
		return 0;
	switch (r->minor) {
	case PITRACE_MTE_FORK:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_PROCESS:
		return task_record(c, r);
	case MTE_CGROUP:
		return cgroup_record(c, r);
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
	struct current_of *of;

	if (i == NO_KEY) {
		i = now->count;
		if (keys_next(&now->by_pid, hash, now->of, now->count, now->room))
			return -ENOMEM;
		now->of[now->count++] = (struct current_of){ .pid = e->pid, .stay = NO_KEY };
	}
	of = &now->of[i];
	if (of->cgroup == cgroup)
		return 0;
	of->cgroup = cgroup;
	/* The last one of several at one time is valid. */
	if (of->stay != NO_KEY && c->stay[of->stay].time == e->time) {
		c->stay[of->stay] = stay;
		return 0;
	}
	if (array_next(c->stay, c->nstay, c->room_stay))
		return -ENOMEM;
	of->stay = c->nstay;
	c->stay[c->nstay++] = stay;
	return 0;
}

/* Returns the cgroup of an event's id; NO_KEY: no memory. */
static uint32_t id_applies(struct cgroups *c, const struct current *now,
			   const struct cgroup_event *e)
{
	uint32_t i = id_index(c, origin_of(e->pid), e->id), had = current_of(now, e->pid);

	/* An id alone says less than the path of the parent. */
	if (e->kind == HAS_ID && *c->list[had].path && (i == NO_KEY || !*c->list[i].path))
		return had;
	return i == NO_KEY ? numbered(c, origin_of(e->pid), e->id) : i;
}

static int apply(struct cgroups *c, struct current *now, const struct cgroup_event *e)
{
	uint32_t cgroup = e->kind == IS_IN    ? e->other :
			  e->kind == INHERITS ? current_of(now, e->other) :
						id_applies(c, now, e);

	return cgroup == NO_KEY ? -ENOMEM : change(c, now, e, cgroup);
}

int cgroups_finish(struct cgroups *c)
{
	struct current now = { 0 };
	int rc = 0;

	/* If all events are forks, all cgroups are unknown. */
	if (c->named) {
		qsort(c->event, c->nevent, sizeof(*c->event), by_time);
		for (uint32_t i = 0; !rc && i < c->nevent; i++)
			rc = apply(c, &now, &c->event[i]);
		if (!rc && c->nstay)
			qsort(c->stay, c->nstay, sizeof(*c->stay), by_pid);
	}
	free(c->event);
	c->event = NULL;
	c->nevent = c->room_event = 0;
	free(now.of);
	keys_free(&now.by_pid);
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
	free(c->id);
	keys_free(&c->by_id);
	free(c->event);
	free(c->stay);
	*c = (struct cgroups){ 0 };
}
