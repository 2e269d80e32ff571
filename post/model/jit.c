/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Find the jitdumps, merge their events, keep what was wrong with them. */
#include "model/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/format.h"
#include "model/keys.h"

#define NEVER UINT64_MAX

struct jit_source {
	struct jitdump *dump;		/* NULL: read to its end, or not to be had */
	uint32_t pid;			/* who mapped it, as the trace calls it */
	uint64_t inode;
	char *path;			/* the mapping's */
	struct jitdump_event event;	/* the next one */
};

struct jit_change {
	uint64_t time;
	uint32_t pid;
};

void jit_begin(struct jit *j, struct a2n *a, const char *folders)
{
	*j = (struct jit){ .a2n = a, .folders = folders, .next = NEVER,
			    .change_next = NEVER };
}

int jit_note(struct jit *j, const char *path, uint64_t offset, const char *what, uint64_t records)
{
	struct jit_note *n;

	if (keys_grow_array((void **)&j->note, &j->room_note, j->nnote, sizeof(*n)))
		return -ENOMEM;
	n = &j->note[j->nnote];
	*n = (struct jit_note){ strdup(path), offset, what, records };
	if (!n->path)
		return -ENOMEM;
	j->nnote++;
	return 0;
}

/* …/jit-NUMBER.dump */
static bool is_jitdump(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	name = name ? name + 1 : path;
	if (strncmp(name, "jit-", 4))
		return false;
	digits = strspn(name + 4, "0123456789");
	return digits && (!strcmp(name + 4 + digits, ".dump") ||
			  !strcmp(name + 4 + digits, ".dump (deleted)"));
}

/* Another process's file of this name may stand there by now: the inode tells. */
static int try_open(const char *path, const struct pitrace_mte_map *map, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			*why = errno == EACCES ? "no permission to read it" : "cannot be opened";
		return -1;
	}
	if (!fstat(fd, &st) && (!map || !map->inode || st.st_ino == map->inode))
		return fd;
	close(fd);
	*why = "the file of this name is another one than was mapped";
	return -1;
}

static int open_dump(const struct jit *j, const struct pitrace_mte_map *map, const char **why)
{
	const char *p = j->folders, *end, *name = strrchr(map->path, '/');
	char path[PATH_MAX];
	int fd;

	*why = "it is not there any more";
	name = name ? name + 1 : map->path;
	/* A folder of the user's choice holds copies: they have inodes of their own. */
	for (; p && *p; p = *end ? end + 1 : end) {
		end = strchrnul(p, ':');
		if (snprintf(path, sizeof(path), "%.*s/%s", (int)(end - p), p, name) >=
		    (int)sizeof(path))
			continue;
		fd = try_open(path, NULL, why);
		if (fd >= 0)
			return fd;
	}
	fd = try_open(map->path, map, why);
	if (fd >= 0)
		return fd;
	/* In a container, if it still runs. */
	if (snprintf(path, sizeof(path), "/proc/%u/root%s", map->pid, map->path) >=
	    (int)sizeof(path))
		return -1;
	return try_open(path, map, why);
}

static void look_ahead(struct jit *j)
{
	uint32_t i;

	j->next = NEVER;
	for (i = 0; i < j->nsource; i++) {
		const struct jit_source *s = &j->source[i];

		if (s->dump && s->event.time < j->next)
			j->next = s->event.time;
	}
}

/* The source's next event, or its end with what was wrong. */
static int advance(struct jit *j, struct jit_source *s)
{
	struct jitdump_fault fault;
	int r = jitdump_next(s->dump, &s->event), rc = 0;

	if (r > 0)
		return 0;
	if (r < 0)
		rc = jit_note(j, s->path, NO_OFFSET, "cannot be read", 0);
	jitdump_fault(s->dump, &fault);
	if (!rc && fault.what)
		rc = jit_note(j, s->path, fault.offset, fault.what, fault.records);
	if (!rc && fault.unfinished)
		rc = jit_note(j, s->path, fault.unfinished, "the file ends inside a record", 0);
	jitdump_close(s->dump);
	s->dump = NULL;
	return rc;
}

int jit_mapping(struct jit *j, uint64_t time, const struct pitrace_mte_map *map)
{
	struct jit_source *s;
	const char *why;
	uint32_t i;
	int fd, rc;

	if (!is_jitdump(map->path))
		return 0;
	/* A child of fork has its parent's mapping, and its code from it too. */
	for (i = 0; i < j->nsource; i++)
		if (!strcmp(j->source[i].path, map->path) && j->source[i].inode == map->inode)
			return 0;
	if (keys_grow_array((void **)&j->source, &j->room_source, j->nsource, sizeof(*s)))
		return -ENOMEM;
	s = &j->source[j->nsource];
	*s = (struct jit_source){ .pid = map->pid, .inode = map->inode,
				  .path = strdup(map->path) };
	if (!s->path)
		return -ENOMEM;
	j->nsource++;
	fd = open_dump(j, map, &why);
	if (fd < 0)
		return jit_note(j, s->path, NO_OFFSET, why, 0);
	rc = jitdump_open(&s->dump, fd, &why);
	if (rc == -EBADMSG)
		return jit_note(j, s->path, 0, why, 0);
	if (rc)
		return rc;
	if (jitdump_info(s->dump)->raw_time) {
		jitdump_close(s->dump);
		s->dump = NULL;
		return jit_note(j, s->path, 0, "its times are of the processor's own clock", 0);
	}
	rc = advance(j, s);
	look_ahead(j);
	return rc ? rc : jit_until(j, time);
}

int jit_changed(struct jit *j, uint64_t time, uint32_t pid)
{
	/* One change for what happened at one time. */
	if (j->nchange && j->change[j->nchange - 1].time == time &&
	    j->change[j->nchange - 1].pid == pid)
		return 0;
	if (keys_grow_array((void **)&j->change, &j->room_change, j->nchange, sizeof(*j->change)))
		return -ENOMEM;
	j->change[j->nchange++] = (struct jit_change){ time, pid };
	return 0;
}

static int tell(struct jit *j, const struct jit_source *s)
{
	const struct jitdump_event *e = &s->event;
	/* The writer's number of itself is of its own namespace; another one is a child's. */
	uint32_t pid = e->pid == jitdump_info(s->dump)->pid ? s->pid : e->pid;

	if (jit_changed(j, e->time, pid))
		return -ENOMEM;
	if (e->kind == JITDUMP_MOVE)
		return a2n_jit_move(j->a2n, e->time, pid, e->from, e->address, e->size);
	return a2n_jit_load(j->a2n, e->time, pid, e->address, e->size, e->name, e->name_length);
}

int jit_tell(struct jit *j, uint64_t time)
{
	int rc = 0;

	while (!rc && j->next < time) {
		struct jit_source *first = NULL;
		uint64_t second = time;
		uint32_t i;

		for (i = 0; i < j->nsource; i++) {
			struct jit_source *s = &j->source[i];

			if (!s->dump)
				continue;
			if (!first || s->event.time < first->event.time) {
				if (first && first->event.time < second)
					second = first->event.time;
				first = s;
			} else if (s->event.time < second) {
				second = s->event.time;
			}
		}
		/* Its turn until another source's. */
		while (!rc && first && first->dump &&
		       (first->event.time < second || first->event.time == j->next)) {
			rc = tell(j, first);
			if (!rc)
				rc = advance(j, first);
		}
		look_ahead(j);
	}
	return rc;
}

static int by_time(const void *pa, const void *pb)
{
	const struct jit_change *a = pa, *b = pb;

	return a->time < b->time ? -1 : a->time > b->time;
}

void jit_finish(struct jit *j)
{
	/* A jitdump that was found late has told of times before others'. */
	if (j->nchange) {
		qsort(j->change, j->nchange, sizeof(*j->change), by_time);
		j->change_next = j->change[0].time;
	}
}

bool jit_change(struct jit *j, uint64_t time, uint32_t *pid)
{
	if (j->change_next > time || j->seen_change == j->nchange)
		return false;
	*pid = j->change[j->seen_change++].pid;
	j->change_next = j->seen_change < j->nchange ? j->change[j->seen_change].time : NEVER;
	return true;
}

bool jit_damaged(const struct jit *j)
{
	uint32_t i;

	for (i = 0; i < j->nnote; i++)
		if (j->note[i].offset != NO_OFFSET)
			return true;
	return false;
}

void jit_free(struct jit *j)
{
	uint32_t i;

	for (i = 0; i < j->nsource; i++) {
		jitdump_close(j->source[i].dump);
		free(j->source[i].path);
	}
	for (i = 0; i < j->nnote; i++)
		free(j->note[i].path);
	free(j->source);
	free(j->change);
	free(j->note);
	*j = (struct jit){ 0 };
}
