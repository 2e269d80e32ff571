/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Breakpoints in the memory of a process, which its threads share. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include "collect/ptrace/ptrace_session.h"

bool ptrace_break_is(const struct ptrace_process *p, uint64_t address)
{
	for (uint32_t i = 0; i < p->nplaces; i++)
		if (p->place[i].address == address)
			return true;
	return false;
}

bool ptrace_break_set(struct ptrace_thread *t, uint64_t address)
{
	struct ptrace_process *p = t->p;
	struct ptrace_place *b = &p->place[p->nplaces];

	if (ptrace_break_is(p, address))
		return true;
	if (p->nplaces == PTRACE_BREAKS ||
	    ptrace_memory_read(t, address, b->was, ptrace_break_bytes) != ptrace_break_bytes ||
	    !ptrace_memory_write(t, address, ptrace_break, ptrace_break_bytes))
		return false;
	b->address = address;
	p->nplaces++;
	return true;
}

void ptrace_break_clear(struct ptrace_thread *t, uint64_t address)
{
	struct ptrace_process *p = t->p;

	for (uint32_t i = 0; i < p->nplaces; i++)
		if (p->place[i].address == address) {
			ptrace_memory_write(t, address, p->place[i].was, ptrace_break_bytes);
			p->place[i] = p->place[--p->nplaces];
			return;
		}
}

void ptrace_break_clear_all(struct ptrace_thread *t)
{
	while (t->p->nplaces)
		ptrace_break_clear(t, t->p->place[0].address);
}

/* The same inode number on another device is another file. If /proc/PID/maps shows another device
 * than stat() (overlayfs, btrfs), the path decides. */
static bool is_of(const struct ptrace_process *p, const struct timer_map *map,
		  const struct stat *file)
{
	char path[PATH_MAX];
	struct stat st;

	if (map->inode != file->st_ino)
		return false;
	if (makedev(map->dev_major, map->dev_minor) == file->st_dev)
		return true;
	return snprintf(path, sizeof(path), "/proc/%d/root%s", (int)p->pid, map->path) <
		       (int)sizeof(path) &&
	       !stat(path, &st) && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* Returns where that byte of that file is mapped executable; 0: nowhere. */
static uint64_t mapped(const struct ptrace_process *p, const char *file, uint64_t offset)
{
	const struct timer_maps *m = &p->image->maps;
	struct stat st;

	if (!*file)
		return offset;
	if (stat(file, &st))
		return 0;
	for (uint32_t i = 0; i < m->n; i++)
		if (is_of(p, &m->list[i], &st) && offset >= m->list[i].offset &&
		    offset - m->list[i].offset < m->list[i].end - m->list[i].start)
			return m->list[i].start + (offset - m->list[i].offset);
	return 0;
}

void ptrace_break_find(struct ptrace_session *s, struct ptrace_thread *t)
{
	const struct tracer_itrace *i = &s->config.itrace;
	struct ptrace_process *p = t->p;

	if (!p->image || s->detaching)
		return;
	if (i->flags & PITRACE_ITRACE_UNTIL && !p->stop)
		p->stop = mapped(p, i->stop_file, i->stop);
	if (i->flags & PITRACE_ITRACE_FROM && !p->start) {
		p->start = mapped(p, i->start_file, i->start);
		/* The memory may not be mapped yet. */
		if (p->start && !ptrace_break_set(t, p->start))
			p->start = 0;
	}
}
