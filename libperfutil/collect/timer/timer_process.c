/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes, threads and mappings of the timer collector. Reports of a process about itself are not
 * trusted: texts are bounded, numbers are checked. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/proc_text.h"
#include "collect/timer/timer_process.h"

#define MAPS_MAX    65536 /* limit per process */
#define IDS_MAX     16384
#define THREADS_MAX 65536
#define IMAGES_MAX  65536 /* limit in total */
#define NAME_STEPS  4096  /* cost of reading a thread's name, in steps */

/* ---- the table ------------------------------------------------------------------------------- */

static struct timer_process **slot(struct timer_processes *all, uint32_t pid)
{
	return &all->by_pid[pid % (sizeof(all->by_pid) / sizeof(*all->by_pid))];
}

struct timer_process *timer_process_get(struct timer_processes *all, uint32_t pid, uint64_t image)
{
	struct timer_process **first = slot(all, pid), *p;

	for (p = *first; p; p = p->next)
		if (p->pid == pid && p->image == image)
			return p;
	p = all->n < IMAGES_MAX ? calloc(1, sizeof(*p)) : NULL;
	if (!p)
		return NULL;
	p->pid = pid;
	p->image = image;
	p->next = *first;
	*first = p;
	all->n++;
	return p;
}

struct timer_process *timer_process_newest(struct timer_processes *all, uint32_t pid,
					   uint64_t image)
{
	struct timer_process *best = NULL;

	for (struct timer_process *p = *slot(all, pid); p; p = p->next)
		if (p->pid == pid && p->image <= image && (!best || p->image > best->image))
			best = p;
	return best;
}

static void maps_clear(struct timer_maps *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		free(m->list[i].path);
	m->n = 0;
}

void timer_process_free(struct timer_processes *all, struct timer_process *p)
{
	struct timer_process **at = slot(all, p->pid);

	while (*at != p)
		at = &(*at)->next;
	*at = p->next;
	all->n--;
	maps_clear(&p->maps);
	maps_clear(&p->seen);
	free(p->maps.list);
	free(p->seen.list);
	free(p->id);
	free(p->source);
	free(p->thread);
	free(p);
}

void timer_processes_free(struct timer_processes *all)
{
	for (size_t i = 0; i < sizeof(all->by_pid) / sizeof(*all->by_pid); i++)
		while (all->by_pid[i])
			timer_process_free(all, all->by_pid[i]);
}

struct timer_source *timer_process_source(struct timer_process *p, uint32_t number)
{
	if (array_reach(p->source, p->nsource, number))
		return NULL;
	p->source[number].known = true;
	return &p->source[number];
}

/* ---- mappings -------------------------------------------------------------------------------- */

bool timer_map_parse(const char *line, size_t length, struct timer_map *map)
{
	struct proc_map m;

	*map = (struct timer_map){ 0 };
	if (!proc_map_parse(line, length, &m) || m.path_len > PATH_MAX)
		return false;
	*map = (struct timer_map){
		.start = m.start,
		.end = m.end,
		.offset = m.offset,
		.inode = m.inode,
		.dev_major = m.dev_major,
		.dev_minor = m.dev_minor,
		.flags = m.flags,
		.path = strndup(m.path, m.path_len),
	};
	return map->path != NULL;
}

bool timer_maps_have(const struct timer_maps *maps, uint64_t address)
{
	for (uint32_t i = 0; i < maps->n; i++)
		if (address >= maps->list[i].start && address < maps->list[i].end)
			return true;
	return false;
}

static bool same_map(const struct timer_map *a, const struct timer_map *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->flags == b->flags && !strcmp(a->path, b->path);
}

static bool has_map(const struct timer_maps *maps, const struct timer_map *map)
{
	for (uint32_t i = 0; i < maps->n; i++)
		if (same_map(&maps->list[i], map))
			return true;
	return false;
}

/* The path is copied. */
static bool maps_add(struct timer_maps *maps, const struct timer_map *map)
{
	char *path;

	if (maps->n == MAPS_MAX || array_next(maps->list, maps->n, maps->room))
		return false;
	path = strdup(map->path);
	if (!path)
		return false;
	maps->list[maps->n] = *map;
	maps->list[maps->n++].path = path;
	return true;
}

static void maps_drop(struct timer_maps *maps, uint32_t i)
{
	free(maps->list[i].path);
	maps->list[i] = maps->list[--maps->n];
}

bool timer_process_scan_id(struct timer_process *p, const struct timer_build_id *id)
{
	if (!id->size || id->size > PITRACE_BUILDID_MAX)
		return true;
	if (p->nids == IDS_MAX || array_next(p->id, p->nids, p->room_ids))
		return false;
	p->id[p->nids++] = *id;
	return true;
}

static void put_map(struct timer_process *p, struct user_rings *o, const struct timer_map *map,
		    uint64_t stamp)
{
	const struct timer_build_id *id = NULL;

	if (user_rings_steps(o, p->nids))
		for (uint32_t i = p->nids; i-- && !id;)
			if (p->id[i].address >= map->start && p->id[i].address < map->end)
				id = &p->id[i];
	user_rings_map(o, p->pid, map, id ? id->id : NULL, id ? id->size : 0, stamp);
}

void timer_process_map(struct timer_process *p, struct user_rings *o, const struct timer_map *map,
		       uint64_t stamp)
{
	if (!user_rings_steps(o, p->maps.n)) {
		user_rings_lost(o, 0, PITRACE_LOST_MTE, 1, stamp);
		return;
	}
	if (has_map(&p->maps, map))
		return;
	/* Removes the mappings that it covers. */
	for (uint32_t i = 0; i < p->maps.n;) {
		const struct timer_map *old = &p->maps.list[i];

		if (old->start < map->end && map->start < old->end) {
			user_rings_unmap(o, p->pid, old, stamp);
			maps_drop(&p->maps, i);
		} else {
			i++;
		}
	}
	if (maps_add(&p->maps, map))
		put_map(p, o, map, stamp);
	else
		user_rings_lost(o, 0, PITRACE_LOST_MTE, 1, stamp);
}

void timer_process_scan_done(struct timer_process *p, struct user_rings *o, uint64_t stamp)
{
	if (!user_rings_steps(o, (uint64_t)p->maps.n * p->seen.n)) {
		user_rings_lost(o, 0, PITRACE_LOST_MTE, p->seen.n, stamp);
		maps_clear(&p->seen);
		return;
	}
	for (uint32_t i = 0; i < p->maps.n;) {
		if (has_map(&p->seen, &p->maps.list[i])) {
			i++;
			continue;
		}
		user_rings_unmap(o, p->pid, &p->maps.list[i], stamp);
		maps_drop(&p->maps, i);
	}
	for (uint32_t i = 0; i < p->seen.n; i++)
		timer_process_map(p, o, &p->seen.list[i], stamp);
	maps_clear(&p->seen);
	p->nids = 0;
	p->missed = 0;
}

bool timer_process_scan_map(struct timer_process *p, const struct timer_map *map)
{
	return maps_add(&p->seen, map);
}

void timer_process_scan_abort(struct timer_process *p)
{
	maps_clear(&p->seen);
	p->nids = 0;
}

/* ---- processes and threads ------------------------------------------------------------------- */

static void task(const struct timer_process *p, struct user_rings *o, enum pitrace_mte_minor minor,
		 uint32_t tid, const char comm[16], uint64_t stamp)
{
	struct pitrace_mte_task t = {
		.pid = p->pid,
		.tid = tid,
		.ppid = p->ppid,
		.start = p->start,
	};

	memcpy(t.comm, comm, sizeof(t.comm));
	user_rings_task(o, minor, &t, stamp);
}

static struct timer_thread *find_thread(struct timer_process *p, uint32_t tid)
{
	for (uint32_t i = 0; i < p->nthread; i++)
		if (p->thread[i].tid == tid)
			return &p->thread[i];
	return NULL;
}

static struct timer_thread *add_thread(struct timer_process *p, uint32_t tid)
{
	struct timer_thread *t;

	if (p->nthread == THREADS_MAX || array_next(p->thread, p->nthread, p->thread_room))
		return NULL;
	t = &p->thread[p->nthread++];
	t->tid = tid;
	memcpy(t->comm, p->comm, sizeof(t->comm));
	return t;
}

static void read_stat(struct timer_process *p, const char *stat, size_t length)
{
	struct proc_task t;

	if (!proc_task_parse(stat, length, &t))
		return;
	memcpy(p->comm, t.comm, sizeof(p->comm));
	p->ppid = t.ppid;
	p->start = t.start;
}

void timer_process_begin(struct timer_process *p, struct user_rings *o,
			 const struct timer_process *parent, const char *stat, size_t length,
			 uint64_t stamp)
{
	if (p->begun)
		return;
	p->begun = true;
	read_stat(p, stat, length);
	if (p->parent)
		p->ppid = p->parent;
	task(p, o, parent ? PITRACE_MTE_FORK : PITRACE_MTE_PROCESS, p->pid, p->comm, stamp);
	add_thread(p, p->pid);
	for (uint32_t i = 0; parent && i < parent->maps.n; i++)
		maps_add(&p->maps, &parent->maps.list[i]);
}

static bool read_name(const struct timer_process *p, uint32_t tid, char comm[16])
{
	char path[64], text[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/task/%u/comm", p->pid, tid);
	fd = p->gone ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
	if (fd >= 0)
		close(fd);
	if (n <= 1)
		return false;
	text[n] = 0;
	text[strcspn(text, "\n")] = 0;
	memset(comm, 0, 16);
	memcpy(comm, text, strnlen(text, 15));
	return true;
}

static void name_thread(struct timer_process *p, struct user_rings *o, struct timer_thread *t,
			const char comm[16], uint64_t stamp)
{
	if (!memcmp(t->comm, comm, 16))
		return;
	memcpy(t->comm, comm, 16);
	task(p, o, PITRACE_MTE_NAME, t->tid, comm, stamp);
}

void timer_process_thread(struct timer_process *p, struct user_rings *o, uint32_t tid,
			  uint64_t stamp)
{
	struct timer_thread *t;
	char comm[16];

	if (!user_rings_steps(o, p->nthread) || find_thread(p, tid))
		return;
	t = add_thread(p, tid);
	if (!t) {
		user_rings_lost(o, 0, PITRACE_LOST_MTE, 1, stamp);
		return;
	}
	if (read_name(p, tid, comm))
		memcpy(t->comm, comm, 16);
	task(p, o, PITRACE_MTE_THREAD, tid, t->comm, stamp);
}

void timer_process_thread_exit(struct timer_process *p, struct user_rings *o, uint32_t tid,
			       const char *comm, uint64_t stamp)
{
	struct timer_thread *t = user_rings_steps(o, p->nthread) ? find_thread(p, tid) : NULL;
	char name[16] = "";

	if (!t || tid == p->pid)
		return;
	memcpy(name, comm, strnlen(comm, 15));
	if (*name)
		name_thread(p, o, t, name, stamp);
	task(p, o, PITRACE_MTE_THREAD_EXIT, tid, t->comm, stamp);
	*t = p->thread[--p->nthread];
}

void timer_process_names(struct timer_process *p, struct user_rings *o, uint64_t stamp)
{
	char comm[16];

	for (uint32_t i = 0; i < p->nthread && user_rings_steps(o, NAME_STEPS); i++)
		if (read_name(p, p->thread[i].tid, comm))
			name_thread(p, o, &p->thread[i], comm, stamp);
}

void timer_process_exit(struct timer_process *p, struct user_rings *o, uint64_t stamp)
{
	task(p, o, PITRACE_MTE_PROCESS_EXIT, p->pid, p->comm, stamp);
}
