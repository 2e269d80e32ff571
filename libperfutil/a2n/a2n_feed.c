/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Converts a trace's records and sections to events: one case for each kind of MTE record. Calls
 * only public functions of liba2n, and no other library: records have the structs of pifile.h.
 */
#include <a2n.h>
#include <errno.h>
#include <perfmap.h>
#include <pifile.h>
#include <string.h>

#include "a2n/inner.h"
#include "base/file_same.h"

/* The data as this struct, or NULL if it is shorter: records in a file may be truncated or
 * malformed. */
#define RECORD_AS(r, as)                                                                        \
	((const as *)((r)->type == PITRACE_TYPE_STRUCT && (r)->size >= sizeof(as) ? (r)->data : \
										    NULL))

/* A mapping, if its path with the NUL fits into the record. */
static const struct pitrace_mte_map *map_of(const struct pirecord *r)
{
	const struct pitrace_mte_map *m = RECORD_AS(r, struct pitrace_mte_map);

	if (!m || m->path_len >= r->size - sizeof(*m) || m->path[m->path_len] != '\0')
		return NULL;
	return m;
}

#define COMM_LENGTH 15

/* Writes a name as Java VMs encode it (modified UTF-8): each character beyond U+FFFF as two
 * surrogates of three bytes. Returns false if there is none, or no room. */
static bool as_surrogates(const char *name, char *to, size_t room)
{
	const unsigned char *p = (const unsigned char *)name;
	size_t n = 0;
	bool any = false;
	uint32_t code;

	for (; *p; p++) {
		if (n + 7 > room)
			return false;
		if (p[0] >> 3 != 0x1e || p[1] >> 6 != 2 || p[2] >> 6 != 2 || p[3] >> 6 != 2) {
			to[n++] = (char)*p;
			continue;
		}
		code = ((p[0] & 7u) << 18 | (p[1] & 63u) << 12 | (p[2] & 63u) << 6 | (p[3] & 63)) -
		       0x10000;
		for (unsigned int half = 0; half < 2; half++) {
			const uint32_t bits = half ? code & 1023 : code >> 10 & 1023;

			to[n++] = (char)0xed;
			to[n++] = (char)((half ? 0xb0 : 0xa0) | bits >> 6);
			to[n++] = (char)(0x80 | (bits & 63));
		}
		any = true;
		p += 3;
	}
	to[n] = 0;
	return any;
}

/* A Java VM also sets its threads' names in the kernel, which keeps 15 bytes: the first ones, or
 * with newer VMs the first 7, two dots and the last 6. The program's own record has the complete
 * name. */
static bool is_cut_name(const char *whole, const char *name)
{
	char java[2 * PITRACE_USER_MAX];
	size_t length, n = strlen(name);

	if (as_surrogates(whole, java, sizeof(java))) {
		whole = java;
		if (!strcmp(java, name))
			return true;
	}
	length = strlen(whole);
	if (length <= n || n != COMM_LENGTH)
		return false;
	return !memcmp(whole, name, n) || (!memcmp(whole, name, 7) && !memcmp(name + 7, "..", 2) &&
					   !memcmp(whole + length - 6, name + 9, 6));
}

static int feed_task(struct a2n *a, const struct pirecord *r)
{
	const struct pitrace_mte_task *task = RECORD_AS(r, struct pitrace_mte_task);
	char name[sizeof(task->comm) + 1];
	const char *before = "";
	int rc = 0;

	if (!task)
		return -EBADMSG;
	/* A polling collector may see a thread after its own name record. */
	if (task->tid != task->pid &&
	    (r->minor == PITRACE_MTE_NAME || r->minor == PITRACE_MTE_THREAD))
		before = a2n_thread_name(a, task->pid, task->tid, r->time);
	switch (r->minor) {
	case PITRACE_MTE_PROCESS:
		if (task->flags & PITRACE_TASK_WALK)
			rc = a2n_seen(a, r->time, task->pid, task->start);
		else
			rc = a2n_process(a, r->time, task->pid, task->start);
		break;
	case PITRACE_MTE_FORK:
		rc = a2n_fork(a, r->time, task->ppid, task->pid, task->start);
		break;
	case PITRACE_MTE_CLONE:
		rc = a2n_clone(a, r->time, task->ppid, task->pid, task->start);
		break;
	case PITRACE_MTE_THREAD:
		rc = a2n_thread(a, r->time, task->pid, task->tid);
		break;
	case PITRACE_MTE_NAME:
		break;
	case PITRACE_MTE_PROCESS_EXIT:
		return a2n_exit(a, r->time, task->pid, task->pid);
	case PITRACE_MTE_THREAD_EXIT:
		return a2n_exit(a, r->time, task->pid, task->tid);
	}
	if (rc || !task->comm[0])
		return rc;
	/* The kernel terminates it with a NUL, a damaged file does not. */
	memcpy(name, task->comm, sizeof(task->comm));
	name[sizeof(task->comm)] = '\0';
	return a2n_name(a, r->time, task->pid, task->tid,
			is_cut_name(before, name) ? before : name);
}

static int feed_map(struct a2n *a, const struct pirecord *r)
{
	const struct pitrace_mte_map *map = map_of(r);
	struct a2n_map m;

	if (!map)
		return -EBADMSG;
	if (map->flags & PITRACE_MAP_KERNEL && map->flags & PITRACE_MAP_SYMBOL)
		return a2n_kernel_code(a, r->time, map->path, map->start, map->length);
	if (map->flags & PITRACE_MAP_KERNEL)
		return a2n_kernel_load(a, r->time, map->path, map->start, map->length);
	m = (struct a2n_map){
		.start = map->start,
		.length = map->length,
		.offset = map->offset,
		.inode = map->inode,
		.dev_major = map->dev_major,
		.dev_minor = map->dev_minor,
		.generation = map->generation,
		.flags = inner_map_flags(map->flags),
		.path = map->path,
	};
	inner_mapped_at(a, r->time);
	return a2n_add_map(a, r->time, map->pid, &m);
}

static int feed_unload(struct a2n *a, const struct pirecord *r)
{
	const struct pitrace_mte_map *map = map_of(r);

	if (!map)
		return -EBADMSG;
	if (map->flags & PITRACE_MAP_SYMBOL)
		return a2n_kernel_code_gone(a, r->time, map->path, map->start, map->length);
	return a2n_kernel_unload(a, r->time, map->path);
}

static int feed_unmap(struct a2n *a, const struct pirecord *r)
{
	const struct pitrace_mte_unmap *unmap = RECORD_AS(r, struct pitrace_mte_unmap);

	return unmap ? a2n_unmap(a, r->time, unmap->pid, unmap->start, unmap->length) : -EBADMSG;
}

static int feed_build_id(struct a2n *a, const struct pirecord *r)
{
	const struct pitrace_mte_buildid *b = RECORD_AS(r, struct pitrace_mte_buildid);
	struct file_content c;
	int rc;

	if (!b || b->length > sizeof(b->id))
		return -EBADMSG;
	rc = a2n_build_id(a, b->dev_major, b->dev_minor, b->inode, b->generation, b->id, b->length);
	if (rc || b->length || !file_content_get(b->id, &c))
		return rc;
	return a2n_content(a, b->dev_major, b->dev_minor, b->inode, b->generation, c.size,
			   c.touched, c.sum);
}

/* Returns its first string, up to a NUL. */
static const char *first_string(struct pifile_user *u, size_t *length)
{
	const char *text = pifile_user_string(u, 0, length);

	if (text)
		*length = strnlen(text, *length);
	return text;
}

/* Feeds a record of code that a program generated. The kernel has filled in the writing process. */
static int feed_jit(struct a2n *a, const struct pirecord *r, struct pifile_user *u)
{
	uint64_t address, size;
	const char *name;
	size_t length;

	if (u->ints < 4)
		return 0; /* an invalid record of a program */
	address = pifile_user_int(u, 1);
	size = pifile_user_int(u, 2);
	switch (pifile_user_int(u, 0)) {
	case PITRACE_JIT_LOAD:
		name = first_string(u, &length);
		return name ? a2n_jit_load(a, r->time, u->pid, address, size, name, length) : 0;
	case PITRACE_JIT_MOVE:
		return a2n_jit_move(a, r->time, u->pid, pifile_user_int(u, 3), address, size);
	case PITRACE_JIT_UNLOAD:
		return a2n_jit_unload(a, r->time, u->pid, address, size);
	default:
		return 0;
	}
}

/* A main thread's name is its process's name, which the kernel reports. */
static int feed_thread_name(struct a2n *a, const struct pirecord *r, struct pifile_user *u)
{
	char name[PITRACE_USER_MAX];
	const char *text;
	size_t length;

	text = first_string(u, &length);
	if (!text || u->tid == u->pid)
		return 0;
	if (length >= sizeof(name))
		length = sizeof(name) - 1;
	memcpy(name, text, length);
	name[length] = '\0';
	return a2n_name(a, r->time, u->pid, u->tid, name);
}

static int feed_mte(struct a2n *a, const struct pirecord *r)
{
	struct pifile_user u;

	a2n_machine(a, r->origin);
	switch (r->minor) {
	case PITRACE_MTE_JIT:
		return pifile_user_record(r, &u) ? -EBADMSG : feed_jit(a, r, &u);
	case PITRACE_MTE_JAVA_THREAD:
		return pifile_user_record(r, &u) ? -EBADMSG : feed_thread_name(a, r, &u);
	case PITRACE_MTE_NAME:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_PROCESS:
	case PITRACE_MTE_PROCESS_EXIT:
	case PITRACE_MTE_THREAD:
	case PITRACE_MTE_THREAD_EXIT:
	case PITRACE_MTE_FORK:
		return feed_task(a, r);
	case PITRACE_MTE_MODULE:
		return feed_map(a, r);
	case PITRACE_MTE_UNLOAD:
		return feed_unload(a, r);
	case PITRACE_MTE_UNMAP:
		return feed_unmap(a, r);
	case PITRACE_MTE_BUILDID:
		return feed_build_id(a, r);
	default:
		return 0; /* from a newer writer: ignored */
	}
}

int a2n_feed_record(struct a2n *a, const struct pirecord *r)
{
	const struct pitrace_sync *sync;

	if (!r)
		return -EINVAL;
	switch (r->major) {
	case PITRACE_MTE:
		return feed_mte(a, r);
	case PITRACE_SYNC:
		sync = RECORD_AS(r, struct pitrace_sync);
		if (sync && sync->realtime > r->time)
			inner_realtime(a, sync->realtime - r->time);
		return 0;
	case PITRACE_LOST:
		return r->minor == PITRACE_LOST_MTE ?
			       a2n_unsure(a, r->time, r->origin << A2N_PID_BITS) :
			       0;
	default:
		return 0;
	}
}

/* ---- sections -------------------------------------------------------------------------------- */

static int feed_perfmap(struct a2n *a, const void *data, size_t size)
{
	struct perfmap_part part;
	struct perfmap_entry e;
	struct perfmap *m;
	int rc = perfmap_open_part(&m, data, size, &part);

	while (!rc && perfmap_next(m, &e) > 0)
		rc = a2n_jit_map(a, part.since, part.until, part.pid, e.address, e.size, e.name,
				 e.name_length);
	perfmap_close(m);
	return rc;
}

/* A file's identity, and its content. */
static int feed_copy(struct a2n *a, const void *data, size_t size)
{
	struct pitrace_mte_buildid id;
	struct file_key key;

	if (size < sizeof(id))
		return 0; /* not a copy */
	memcpy(&id, data, sizeof(id));
	key = (struct file_key){ id.inode, id.dev_major, id.dev_minor, id.generation, 0 };
	return module_copy(inner_modules(a), &key, (const uint8_t *)data + sizeof(id),
			   size - sizeof(id));
}

int a2n_feed_section(struct a2n *a, uint32_t type, const void *data, size_t size)
{
	if (!data && size)
		return -EINVAL;
	switch (type) {
	case PIFILE_SEC_KALLSYMS:
		return a2n_kallsyms(a, data, size);
	case PIFILE_SEC_MODULES:
		return a2n_modules(a, data, size);
	case PIFILE_SEC_VDSO:
		return a2n_vdso(a, data, size);
	case PIFILE_SEC_FILE:
		return feed_copy(a, data, size);
	case PIFILE_SEC_PERFMAP:
		return feed_perfmap(a, data, size);
	default:
		return 0;
	}
}
