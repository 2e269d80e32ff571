/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "image/drain_cgroups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/keys.h"
#include "base/proc_cgroup.h"
#include "file/record_kinds.h"
#include "file/record_walk.h"

#define PATHS_MAX     65536        /* distinct paths; others are written each time */
#define PROCESSES_MAX (1u << 20)   /* likewise */
#define TEXT_MAX      (16u << 20)  /* bytes of distinct paths */
#define SNAPSHOT_MAX  (256u << 10) /* bytes of records in one snapshot */

struct drained_path {
	char *text;
	uint64_t id;
};

struct drained_process {
	uint32_t pid, path; /* path: index + 1; 0: not known */
};

/* A record to be written; its text is `size` bytes at `at`. */
struct drained_record {
	uint64_t stamp;
	size_t at, size;
};

struct drain_cgroups {
	struct drained_path *path;
	uint32_t npath, path_room;
	struct keys by_path;
	size_t text;
	struct drained_process *process;
	uint32_t nprocess, process_room;
	struct keys by_pid;
	struct drained_record *record;
	uint32_t nrecord, record_room;
	uint8_t *bytes;
	size_t nbytes, bytes_room;
	bool no_memory;
};

struct drain_cgroups *drain_cgroups_new(void)
{
	return calloc(1, sizeof(struct drain_cgroups));
}

void drain_cgroups_free(struct drain_cgroups *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->npath; i++)
		free(d->path[i].text);
	free(d->path);
	keys_free(&d->by_path);
	free(d->process);
	keys_free(&d->by_pid);
	free(d->record);
	free(d->bytes);
	free(d);
}

/* ---- what is known --------------------------------------------------------------------------- */

static uint64_t hash_text(const char *text, size_t length)
{
	uint64_t hash = length;

	for (size_t i = 0; i < length; i++)
		hash = hash_mix(hash, (unsigned char)text[i]);
	return hash;
}

/* Returns the process's entry; NULL: too many processes, or no memory. */
static struct drained_process *process_of(struct drain_cgroups *d, uint32_t pid)
{
	uint64_t hash = hash_mix(pid, 1);
	uint32_t i = keys_find(&d->by_pid, hash, d->process, e, e->pid == pid);

	if (i != NO_KEY)
		return &d->process[i];
	if (d->nprocess >= PROCESSES_MAX)
		return NULL;
	if (keys_next(&d->by_pid, hash, d->process, d->nprocess, d->process_room)) {
		d->no_memory = true;
		return NULL;
	}
	d->process[d->nprocess] = (struct drained_process){ .pid = pid };
	return &d->process[d->nprocess++];
}

/* Returns the path's index + 1; 0: it is not kept. */
static uint32_t path_of(struct drain_cgroups *d, const char *text, size_t length, int unified)
{
	uint64_t hash = hash_text(text, length);
	uint32_t i = keys_find(&d->by_path, hash, d->path, e, !strcmp(e->text, text));
	char *copy;

	if (i != NO_KEY)
		return i + 1;
	if (d->npath >= PATHS_MAX || d->text + length > TEXT_MAX)
		return 0;
	copy = strdup(text);
	if (!copy || keys_next(&d->by_path, hash, d->path, d->npath, d->path_room)) {
		free(copy);
		d->no_memory = true;
		return 0;
	}
	d->text += length;
	d->path[d->npath].text = copy;
	d->path[d->npath].id = unified ? proc_cgroup_id(text) : 0;
	return ++d->npath;
}

/* ---- records --------------------------------------------------------------------------------- */

/* Returns room for `size` bytes at the end, or NULL. */
static uint8_t *take_bytes(struct drain_cgroups *d, size_t size)
{
	if (d->nbytes + size > d->bytes_room) {
		size_t room = 2 * (d->nbytes + size);
		uint8_t *more = realloc(d->bytes, room);

		if (!more)
			return NULL;
		d->bytes = more;
		d->bytes_room = room;
	}
	d->nbytes += size;
	return d->bytes + d->nbytes - size;
}

static void put(struct drain_cgroups *d, uint32_t pid, uint64_t id, const char *path, size_t length,
		uint64_t stamp)
{
	size_t size = sizeof(struct pitrace_rec) + sizeof(struct mte_cgroup) +
		      ((length + 4) & ~(size_t)3);
	struct pitrace_rec rec = { (uint16_t)(size | PITRACE_TYPE_STRUCT), PITRACE_MTE, MTE_CGROUP,
				   (uint32_t)stamp };
	struct mte_cgroup g = { .pid = pid, .path_len = (uint32_t)length, .id = id };
	uint8_t *p;

	if (array_next(d->record, d->nrecord, d->record_room)) {
		d->no_memory = true;
		return;
	}
	p = take_bytes(d, size);
	if (!p) {
		d->no_memory = true;
		return;
	}
	d->record[d->nrecord++] = (struct drained_record){ stamp, d->nbytes - size, size };
	memset(p, 0, size);
	memcpy(p, &rec, sizeof(rec));
	memcpy(p + sizeof(rec), &g, sizeof(g));
	memcpy(p + sizeof(rec) + sizeof(g), path, length);
}

/* Returns the index + 1 of a process's path; 0: not known. */
static uint32_t known_path(const struct drain_cgroups *d, uint32_t pid)
{
	uint32_t i = keys_find(&d->by_pid, hash_mix(pid, 1), d->process, e, e->pid == pid);

	return i == NO_KEY ? 0 : d->process[i].path;
}

/* Handles a process that lives, or that has executed a program. One that has ended by now is where
 * its parent is; no record is needed if its fork was recorded. */
static void read_process(struct drain_cgroups *d, uint32_t pid, uint32_t parent, uint64_t stamp)
{
	char text[PROC_CGROUP_ROOM];
	const char *path = text;
	int unified = 0;
	size_t length = proc_cgroup(pid, text, sizeof(text), &unified);
	uint32_t had = known_path(d, pid), known = 0;
	struct drained_process *p;

	if (!length && had)
		return;
	if (!length && parent)
		known = known_path(d, parent);
	if (!length && parent && !known)
		length = proc_cgroup(parent, text, sizeof(text), &unified);
	if (length)
		known = path_of(d, text, length, unified);
	else if (!known)
		return;
	else
		path = d->path[known - 1].text;
	p = process_of(d, pid);
	if (p)
		p->path = known;
	if (!known || known != had)
		put(d, pid, known ? d->path[known - 1].id : 0, path, strlen(path), stamp);
}

static void inherit(struct drain_cgroups *d, uint32_t parent, uint32_t child)
{
	uint32_t path = known_path(d, parent);
	struct drained_process *p = process_of(d, child);

	if (p)
		p->path = path;
}

void drain_cgroups_scan(struct drain_cgroups *d, const void *segment, size_t size)
{
	struct pitrace_segment s;
	struct record_walk w;
	struct record r;

	if (record_walk_begin(&w, segment, size, &s) || s.ring != PITRACE_RING_MTE)
		return;
	while (record_next(&w, &r) == 1) {
		const struct pitrace_mte_task *task = r.data;

		if (r.major != PITRACE_MTE || r.size < sizeof(*task))
			continue;
		if (r.minor == PITRACE_MTE_FORK || r.minor == PITRACE_MTE_CLONE)
			inherit(d, task->ppid, task->pid);
		else if (r.minor == PITRACE_MTE_PROCESS && task->pid)
			read_process(d, task->pid, task->ppid, r.stamp);
	}
}

static int by_stamp(const void *pa, const void *pb)
{
	const struct drained_record *a = pa, *b = pb;

	if (a->stamp != b->stamp)
		return a->stamp < b->stamp ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* Segments of several CPUs come in any order, but records of a snapshot are in order, and the upper
 * half of their stamps is that of the first one. */
int drain_cgroups_flush(struct drain_cgroups *d, struct pifile_writer *w)
{
	int err = d->no_memory ? -ENOMEM : 0;
	uint32_t i = 0;
	uint8_t *part;

	d->no_memory = false;
	if (!d->nrecord)
		return err;
	part = err ? NULL : malloc(d->nbytes < SNAPSHOT_MAX ? d->nbytes : SNAPSHOT_MAX);
	if (!part)
		err = -ENOMEM;
	else
		qsort(d->record, d->nrecord, sizeof(*d->record), by_stamp);
	while (!err && i < d->nrecord) {
		uint64_t first = d->record[i].stamp;
		size_t n = 0;

		for (; i < d->nrecord; n += d->record[i++].size) {
			const struct drained_record *r = &d->record[i];

			if (n + r->size > SNAPSHOT_MAX || r->stamp >> 32 != first >> 32)
				break;
			memcpy(part + n, d->bytes + r->at, r->size);
		}
		err = pifile_write_snapshot(w, part, n, first);
	}
	free(part);
	d->nrecord = 0;
	d->nbytes = 0;
	return err;
}
