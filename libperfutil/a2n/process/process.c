/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The timeline of each pid. An epoch is one image of one owner: a fork or another start time begins
 * a new owner, an exec a new epoch. Names belong to the owner, so they outlive its exit.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n.h"
#include "a2n/process/process.h"
#include "base/search.h"

static bool match_pid(const void *item, const void *key)
{
	return *(const uint32_t *)item == *(const uint32_t *)key;
}

/* struct process and struct thread both begin with their id. */
static void *of_id(struct processes *ps, struct item_table *t, uint32_t id, size_t size)
{
	uint32_t *item = table_find(t, hash_u64(id), match_pid, &id);

	if (item)
		return item;
	item = arena_alloc(&ps->arena, size);
	if (!item)
		return NULL;
	*item = id;
	return table_add(t, hash_u64(id), item) ? NULL : item;
}

static struct process *process_of(struct processes *ps, uint32_t pid)
{
	if (ps->last && ps->last->pid == pid)
		return ps->last;
	return ps->last = table_find(&ps->by_pid, hash_u64(pid), match_pid, &pid);
}

static struct epoch *newest(struct process *p)
{
	return p && p->n ? &p->epochs[p->n - 1] : NULL;
}

static struct owner *new_owner(struct processes *ps, uint64_t start_time, bool started)
{
	struct owner *o = arena_alloc(&ps->arena, sizeof(*o));

	if (!o)
		return NULL;
	o->start_time = start_time;
	o->serial = ++ps->serial;
	o->started = started;
	o->next = ps->owners;
	ps->owners = o;
	return o;
}

/* Returns the moment of an event; time never decreases within one pid. */
static struct moment moment_of(struct processes *ps, struct process *p, uint64_t time)
{
	const struct epoch *e = newest(p);

	if (e && e->from.time > time)
		time = e->from.time;
	return (struct moment){ time, ++ps->order };
}

static struct epoch *add_epoch(struct process *p, struct moment from, struct owner *owner)
{
	if (!owner || array_next(p->epochs, p->n, p->room))
		return NULL;
	p->epochs[p->n] = (struct epoch){ .from = from, .owner = owner, .unsure = UINT64_MAX };
	return &p->epochs[p->n++];
}

static struct process *get_process(struct processes *ps, uint32_t pid)
{
	return of_id(ps, &ps->by_pid, pid, sizeof(struct process));
}

/* Returns the current epoch of a pid; an unknown pid gets one that begins now. */
static struct epoch *current(struct processes *ps, struct process *p, struct moment now)
{
	struct epoch *e = newest(p);

	return e ? e : add_epoch(p, now, new_owner(ps, 0, false));
}

static bool other_owner(const struct owner *o, uint64_t start_time)
{
	if (o->start_time && start_time)
		return o->start_time != start_time;
	return o->exited;
}

int process_image(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start_time, bool seen)
{
	struct process *p = get_process(ps, pid);
	struct epoch *e = newest(p);
	struct space *jit = NULL, *map = NULL;
	struct owner *owner;

	if (!p)
		return -ENOMEM;
	/* A walk finds mappings; announced code stays. */
	if (e && seen && !other_owner(e->owner, start_time)) {
		jit = e->jit;
		map = e->map;
	}
	if (!e || other_owner(e->owner, start_time))
		owner = new_owner(ps, start_time, e != NULL);
	else
		owner = e->owner;
	e = add_epoch(p, moment_of(ps, p, time), owner);
	if (!e)
		return -ENOMEM;
	e->seen = seen;
	e->jit = jit;
	e->map = map;
	if (!owner->start_time)
		owner->start_time = start_time;
	return 0;
}

static int add_name(struct owner *o, uint64_t time, const char *name)
{
	struct named *last = o->n_names ? &o->names[o->n_names - 1] : NULL;

	if (last && last->name == name)
		return 0;
	if (array_next(o->names, o->n_names, o->room))
		return -ENOMEM;
	if (last && o->names[o->n_names - 1].from > time)
		time = o->names[o->n_names - 1].from;
	o->names[o->n_names++] = (struct named){ time, name };
	return 0;
}

/* Returns the name at a time: the last one by then, else (early) the first one later. */
static const char *name_at(const struct owner *o, uint64_t time, bool early)
{
	uint32_t low = search_sorted(i, 0, o->n_names, o->names[i].from <= time);

	if (low)
		return o->names[low - 1].name;
	return early && o->n_names ? o->names[0].name : NULL;
}

/* Checks for a loss of records of all processes between the epoch's begin and this time. */
static bool all_unsure(const struct losses *l, uint64_t from, uint64_t time)
{
	uint32_t low = search_sorted(i, 0, l->n, l->unsure[i] < from);

	return low < l->n && l->unsure[low] <= time;
}

/* Returns the losses of the pid's machine. */
static struct losses *losses_of(struct processes *ps, uint32_t pid)
{
	uint32_t machine = pid >> A2N_PID_BITS;

	return machine && machine < ps->machines ? &ps->extra[machine - 1] : &ps->losses;
}

int process_child(struct processes *ps, uint64_t time, uint32_t parent, uint32_t child,
		  uint64_t start_time, bool shares)
{
	struct process *p = get_process(ps, parent), *c = get_process(ps, child);
	struct epoch *from, *e;
	struct moment now;
	struct owner *owner;
	const char *name;

	if (!p || !c || p == c)
		return p && c ? 0 : -ENOMEM;
	from = current(ps, p, moment_of(ps, p, time));
	if (!from)
		return -ENOMEM;
	now = moment_of(ps, c, time);
	e = newest(c);
	if (e && !e->owner->exited && start_time && e->owner->start_time == start_time) {
		/* Already seen by a walk, which is newer. */
		if (e->space)
			return 0;
		owner = e->owner;
		owner->started = true;
	} else {
		owner = new_owner(ps, start_time, true);
		e = NULL;
	}
	/* The child must see what a later walk adds to the parent. */
	if (!from->space)
		from->space = space_new(&ps->spaces);
	if (!from->space)
		return -ENOMEM;
	if (!e)
		e = add_epoch(c, now, owner);
	if (!e)
		return -ENOMEM;
	e->copy = true;
	e->space = shares ? from->space : space_fork(&ps->spaces, from->space, now);
	if (!e->space)
		return -ENOMEM;
	if (from->jit || shares) {
		if (!from->jit)
			from->jit = space_new(&ps->spaces);
		e->jit = !from->jit ? NULL :
			 shares     ? from->jit :
				      space_fork(&ps->spaces, from->jit, now);
		if (!e->jit)
			return -ENOMEM;
	}
	/* Maps are added last: the child must see its parent's. */
	if (!from->map)
		from->map = space_new(&ps->spaces);
	if (!from->map)
		return -ENOMEM;
	e->map = shares ? from->map : space_fork(&ps->spaces, from->map, now);
	if (!e->map)
		return -ENOMEM;
	if (from->unsure <= now.time || all_unsure(losses_of(ps, child), from->from.time, now.time))
		e->unsure = now.time;
	name = name_at(from->owner, now.time, true);
	return name && !owner->n_names ? add_name(owner, now.time, name) : 0;
}

static int add_thread(struct processes *ps, uint64_t time, uint32_t tid, const struct owner *owner,
		      const char *name)
{
	struct thread *t = of_id(ps, &ps->by_tid, tid, sizeof(*t));
	const struct thread_fact *last;

	if (!t)
		return -ENOMEM;
	last = t->n ? &t->facts[t->n - 1] : NULL;
	if (last && last->owner == owner && last->name == name)
		return 0;
	if (last && last->from > time)
		time = last->from;
	if (array_next(t->facts, t->n, t->room))
		return -ENOMEM;
	t->facts[t->n++] = (struct thread_fact){ time, owner, name };
	return 0;
}

int process_thread(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct process *p = get_process(ps, pid);
	struct epoch *e = p ? current(ps, p, moment_of(ps, p, time)) : NULL;

	if (!e)
		return -ENOMEM;
	/* A new thread inherits its creator's name. */
	return tid == pid ? 0 : add_thread(ps, time, tid, e->owner, name_at(e->owner, time, false));
}

int process_named(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid, const char *name)
{
	struct process *p = get_process(ps, pid);
	struct moment now = moment_of(ps, p, time);
	struct epoch *e = p ? current(ps, p, now) : NULL;
	const char *copy = strings_intern(ps->strings, name ? name : "", name ? strlen(name) : 0);

	if (!e || !copy)
		return -ENOMEM;
	if (tid == pid)
		return add_name(e->owner, now.time, copy);
	return add_thread(ps, time, tid, e->owner, copy);
}

int process_exit(struct processes *ps, uint64_t time, uint32_t pid, uint32_t tid)
{
	struct epoch *e = newest(process_of(ps, pid));

	(void)time;
	if (e && tid == pid)
		e->owner->exited = true;
	return 0;
}

int processes_machines(struct processes *ps, uint32_t count)
{
	ps->extra = calloc(count, sizeof(*ps->extra));
	ps->machines = ps->extra ? count : 0;
	return ps->extra ? 0 : -ENOMEM;
}

int process_unsure(struct processes *ps, uint64_t time, uint32_t pid)
{
	struct losses *l = losses_of(ps, pid);
	struct process *p;
	struct epoch *e;

	/* Pid 0: all processes of its machine. */
	if (pid && !(ps->machines && pid << (32 - A2N_PID_BITS) == 0)) {
		struct moment now;

		p = get_process(ps, pid);
		if (!p)
			return -ENOMEM;
		now = moment_of(ps, p, time);
		e = current(ps, p, now);
		if (!e)
			return -ENOMEM;
		if (now.time < e->unsure)
			e->unsure = now.time;
		return 0;
	}
	/* A second loss without an event in between adds nothing. */
	if (l->n && l->order == ps->order)
		return 0;
	if (l->n && l->unsure[l->n - 1] > time)
		time = l->unsure[l->n - 1];
	if (array_next(l->unsure, l->n, l->room))
		return -ENOMEM;
	l->unsure[l->n++] = time;
	l->order = ps->order;
	return 0;
}

int process_map(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start, uint64_t last,
		const struct mapping *mapping, bool walk, bool anonymous)
{
	struct process *p = get_process(ps, pid);
	struct moment now = moment_of(ps, p, time);
	struct epoch *e = p ? current(ps, p, now) : NULL;

	if (!e)
		return -ENOMEM;
	if (!e->space)
		e->space = space_new(&ps->spaces);
	if (!e->space)
		return -ENOMEM;
	/* Generated code is in anonymous memory, whose protection may change at any time. */
	if (e->jit && !anonymous && !space_has(e->space, start, last, mapping) &&
	    space_unmap(&ps->spaces, e->jit, now, start, last))
		return -ENOMEM;
	return space_map(&ps->spaces, e->space, now, start, last, mapping, walk);
}

int process_unmap(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start, uint64_t last)
{
	struct process *p = process_of(ps, pid);
	struct epoch *e = newest(p);
	struct moment now;

	if (!e || !e->space)
		return 0;
	now = moment_of(ps, p, time);
	if (e->jit && space_unmap(&ps->spaces, e->jit, now, start, last))
		return -ENOMEM;
	return space_unmap(&ps->spaces, e->space, now, start, last);
}

int process_jit(struct processes *ps, uint64_t time, uint32_t pid, uint64_t start, uint64_t last,
		const struct mapping *code)
{
	struct process *p = get_process(ps, pid);
	struct moment now = moment_of(ps, p, time);
	struct epoch *e = p ? current(ps, p, now) : NULL;

	if (!e)
		return -ENOMEM;
	if (!e->jit)
		e->jit = space_new(&ps->spaces);
	if (!e->jit)
		return -ENOMEM;
	return code->module ? space_map(&ps->spaces, e->jit, now, start, last, code, false) :
			      space_clear(&ps->spaces, e->jit, now, start, last, code->delta);
}

struct mapping process_jit_now(struct processes *ps, uint32_t pid, uint64_t address)
{
	struct epoch *e = newest(process_of(ps, pid));

	return e && e->jit ? space_find(&ps->spaces, e->jit, MOMENT_AT(UINT64_MAX), address) :
			     (struct mapping){ NULL, 0 };
}

/* Finds the epoch at a time; NULL before the first. */
static struct epoch *epoch_at(struct process *p, uint64_t time)
{
	uint32_t low;

	if (p->hit < p->n && p->epochs[p->hit].from.time <= time &&
	    (p->hit + 1 == p->n || p->epochs[p->hit + 1].from.time > time))
		return &p->epochs[p->hit];
	low = search_sorted(i, 0, p->n, p->epochs[i].from.time <= time);
	if (!low)
		return NULL;
	p->hit = low - 1;
	return &p->epochs[p->hit];
}

/* Returns the epoch after e (NULL: the first) if it is the same image of the same owner, found
 * alive by a walk. */
static struct epoch *next_seen(struct process *p, struct epoch *e, const struct owner *owner)
{
	bool blank = !e || !e->space || space_blank(e->space);

	if (!owner)
		return NULL;
	e = e ? e + 1 : p->epochs;
	if (e == p->epochs + p->n || e->owner != owner)
		return NULL;
	/* If nothing is known to be mapped, no exec was seen either. */
	return e->seen || blank ? e : NULL;
}

/* ---- perf maps ------------------------------------------------------------------------------- */

/* Returns the first epoch of e's image. */
static struct epoch *image_of(struct process *p, struct epoch *e)
{
	while (e > p->epochs && e->seen && e[-1].owner == e->owner)
		e--;
	return e;
}

/* All epochs of an image have one space of maps. */
static struct space *image_map(struct processes *ps, struct process *p, struct epoch *first)
{
	struct epoch *end = first + 1, *e;
	struct space *map = NULL;

	while (end < p->epochs + p->n && end->seen && end->owner == first->owner)
		end++;
	for (e = first; e < end && !map; e++)
		map = e->map;
	if (!map)
		map = space_new(&ps->spaces);
	for (e = first; map && e < end; e++)
		if (!e->map)
			e->map = map;
	return map;
}

#define PARTS_MAX 1024 /* maximum parts of a blob of code in a perf map */

int process_jit_map(struct processes *ps, uint64_t since, uint64_t time, uint32_t pid,
		    uint64_t start, uint64_t last, const struct mapping *code,
		    const struct mapping *unsure, process_judge judge, void *arg)
{
	struct process *p = get_process(ps, pid);
	struct moment from = { since, ++ps->order };
	struct epoch *e = p ? epoch_at(p, time) : NULL, *first;
	struct space *map;
	uint64_t end, changes;
	unsigned int parts = 0;
	bool reused;
	int rc = 0;

	if (!e)
		e = p ? current(ps, p, (struct moment){ since, ps->order }) : NULL;
	if (!e)
		return -ENOMEM;
	first = image_of(p, e);
	map = image_map(ps, p, first);
	if (!map)
		return -ENOMEM;
	/* The first scan: it is valid from the beginning of this image. */
	if (since && since < first->from.time)
		from.time = first->from.time;
	reused = e->space && space_reused(e->space, start, from.time, time);
	changes = ps->spaces.changes + 1;
	do {
		struct mapping there = space_part(map, start, last, &end);
		struct mapping then = there.module ? judge(arg, &there) : *code;

		/* A blob is split into a limited number of parts; code with more is not split. */
		if (parts++ == PARTS_MAX) {
			end = last;
			then = *unsure;
		}
		if (reused && then.module == code->module && then.delta == code->delta)
			then = *unsure;
		rc = space_map(&ps->spaces, map, from, start, end, &then, false);
		/* From the time of the scan on it is certain. */
		if (!rc && then.delta == unsure->delta && time != UINT64_MAX)
			rc = space_map(&ps->spaces, map, (struct moment){ time, ++ps->order },
				       start, end, code, false);
		start = end + 1;
	} while (!rc && end != last && !ps->spaces.full);
	/* Each code counts once towards the limit, however many parts it has. */
	ps->spaces.changes = changes;
	return rc;
}

struct mapping process_map_at(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address)
{
	struct process *p = process_of(ps, pid);
	struct epoch *e = p ? epoch_at(p, time) : NULL;

	return e && e->map ? space_find(&ps->spaces, e->map, MOMENT_AT(UINT64_MAX), address) :
			     (struct mapping){ NULL, 0 };
}

bool process_jit_next(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address,
		      struct moment *at, struct mapping *code)
{
	struct process *p = process_of(ps, pid);
	struct epoch *e = p ? epoch_at(p, time) : NULL;

	return e && e->jit && space_next(e->jit, address, at, code);
}

struct found process_find(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address)
{
	struct process *p = process_of(ps, pid);
	struct epoch *e = p ? epoch_at(p, time) : NULL;
	const struct losses *losses = losses_of(ps, pid);
	struct found found = { .unsure = false };
	struct owner *owner;
	struct mapping m;

	if (e) {
		found.unsure = time >= e->unsure;
		owner = e->owner;
	} else {
		owner = p && p->n && !p->epochs[0].owner->started ? p->epochs[0].owner : NULL;
	}
	if (losses->n && !found.unsure)
		found.unsure = all_unsure(losses, e ? e->from.time : 0, time);
	if (e && e->jit) {
		found.jit = space_at(&ps->spaces, e->jit, time, address);
		if (found.jit.module)
			return found;
	}
	if (e && e->space) {
		m = space_at(&ps->spaces, e->space, time, address);
		if (m.module || m.delta == MAPPING_FREE) {
			found.mapping = m;
			found.first = e->space->hit.low;
			found.last = e->space->hit.last;
			if (e->map)
				found.map = space_at(&ps->spaces, e->map, time, address);
			return found;
		}
	}
	/* A later walk found it alive: its mappings were there before, unless known otherwise. */
	for (e = next_seen(p, e, owner); e; e = next_seen(p, e, owner)) {
		m = e->space ? space_find(&ps->spaces, e->space, MOMENT_START, address) :
			       (struct mapping){ NULL, 0 };
		if (m.module) {
			found.mapping = m;
			if (e->map)
				found.map = space_at(&ps->spaces, e->map, time, address);
			return found;
		}
	}
	return found;
}

#define MOST_GAPS 64 /* neighbours without a module now that had one at another time */

struct mapping process_below(struct processes *ps, uint32_t pid, uint64_t time, uint64_t address,
			     uint64_t *last)
{
	struct process *p = process_of(ps, pid);
	struct epoch *e = p ? epoch_at(p, time) : NULL;
	struct mapping m = { NULL, 0 };
	unsigned int i;

	for (i = 0; i < MOST_GAPS && e && e->space; i++) {
		m = space_at(&ps->spaces, e->space, time, address);
		if (m.module || !e->space->hit.low)
			break;
		address = e->space->hit.low - 1;
	}
	*last = address;
	return m;
}

/* Finds the owner at a time; before the first event, the first owner if it may have lived then. */
static struct owner *owner_at(struct processes *ps, uint32_t pid, uint64_t time, bool *early)
{
	struct process *p = process_of(ps, pid);
	struct epoch *e = p ? epoch_at(p, time) : NULL, *last = e;

	*early = false;
	if (e) {
		struct epoch *next = e;

		/* Its name became known only after a thread or a mapping had created it. */
		while ((next = next_seen(p, next, e->owner)))
			last = next;
		*early = !e->owner->started && e->owner->n_names &&
			 (last + 1 == p->epochs + p->n ||
			  last[1].from.time > e->owner->names[0].from);
		return e->owner;
	}
	if (!p || !p->n || p->epochs[0].owner->started)
		return NULL;
	/* A process first seen at exec had another name before. */
	*early = !p->epochs[0].space || !p->epochs[0].space->event_first;
	return p->epochs[0].owner;
}

const char *process_name(struct processes *ps, uint32_t pid, uint64_t time)
{
	bool early;
	const struct owner *o = owner_at(ps, pid, time, &early);

	return o ? name_at(o, time, early) : NULL;
}

const char *process_thread_name(struct processes *ps, uint32_t pid, uint32_t tid, uint64_t time)
{
	bool early;
	const struct owner *o = owner_at(ps, pid, time, &early);
	const struct thread *t;
	uint32_t low;

	if (!o)
		return NULL;
	if (tid == pid)
		return name_at(o, time, early);
	t = table_find(&ps->by_tid, hash_u64(tid), match_pid, &tid);
	if (!t)
		return NULL;
	low = search_sorted(i, 0, t->n, t->facts[i].from <= time);
	if (low && t->facts[low - 1].owner == o)
		return t->facts[low - 1].name;
	return early && low < t->n && t->facts[low].owner == o ? t->facts[low].name : NULL;
}

uint64_t process_serial(struct processes *ps, uint32_t pid, uint64_t time)
{
	bool early;
	const struct owner *o = owner_at(ps, pid, time, &early);

	return o ? o->serial : 0;
}

const struct process *process_lookup(const struct processes *ps, uint32_t pid)
{
	return table_find(&ps->by_pid, hash_u64(pid), match_pid, &pid);
}

void processes_free(struct processes *ps)
{
	struct owner *o;
	uint32_t i;

	for (o = ps->owners; o; o = o->next)
		free(o->names);
	for (i = 0; i < ps->by_pid.keys.used; i++)
		free(((struct process *)ps->by_pid.item[i])->epochs);
	for (i = 0; i < ps->by_tid.keys.used; i++)
		free(((struct thread *)ps->by_tid.item[i])->facts);
	table_free(&ps->by_pid);
	table_free(&ps->by_tid);
	spaces_free(&ps->spaces);
	arena_free(&ps->arena);
	free(ps->losses.unsure);
	for (i = 0; i < ps->machines; i++)
		free(ps->extra[i].unsure);
	free(ps->extra);
}
