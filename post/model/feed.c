/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps records to liba2n's events: one case for each kind of MTE record. */
#include "model/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_same.h"
#include "record/record_as.h"
#include "record/user_record.h"
#include "base/read_all.h"
#include "base/regular.h"
#include "base/text.h"

#define MAX_MAP_FILE (1ull << 30)

/* The record's name, terminated: the kernel guarantees that, a damaged file does not. */
static const char *comm_of(const struct pitrace_mte_task *task, char name[17])
{
	memcpy(name, task->comm, 16);
	name[16] = '\0';
	return name;
}

static int feed_task(struct a2n *a, const struct pirecord *r, const struct pitrace_mte_task *task)
{
	char name[17];
	int rc = 0;

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
	return a2n_name(a, r->time, task->pid, task->tid, comm_of(task, name));
}

static int feed_map(struct a2n *a, const struct pirecord *r, const struct pitrace_mte_map *map)
{
	struct a2n_map m = {
		.start = map->start,
		.length = map->length,
		.offset = map->offset,
		.inode = map->inode,
		.dev_major = map->dev_major,
		.dev_minor = map->dev_minor,
		.generation = map->generation,
		.flags = (map->flags & PITRACE_MAP_ANON ? A2N_MAP_ANON : 0) |
			 (map->flags & PITRACE_MAP_VDSO ? A2N_MAP_VDSO : 0) |
			 (map->flags & PITRACE_MAP_DELETED ? A2N_MAP_DELETED : 0) |
			 (map->flags & PITRACE_MAP_WALK ? A2N_MAP_WALK : 0),
		.path = map->path,
	};

	if (map->flags & PITRACE_MAP_KERNEL && map->flags & PITRACE_MAP_SYMBOL)
		return a2n_kernel_code(a, r->time, map->path, map->start, map->length);
	if (map->flags & PITRACE_MAP_KERNEL)
		return a2n_kernel_load(a, r->time, map->path, map->start, map->length);
	return a2n_add_map(a, r->time, map->pid, &m);
}

static int feed_build_id(struct a2n *a, const struct pitrace_mte_buildid *b)
{
	struct file_content c;
	int rc = a2n_build_id(a, b->dev_major, b->dev_minor, b->inode, b->generation, b->id,
			      b->length);

	if (rc || b->length || !file_content_get(b->id, &c))
		return rc;
	return a2n_content(a, b->dev_major, b->dev_minor, b->inode, b->generation, c.size,
			   c.touched, c.sum);
}

/* Feeds a record of code that a program made. The kernel has filled in which process wrote it. */
static int feed_jit(struct a2n *a, const struct pirecord *r, struct pifile_user *x)
{
	char name[PITRACE_USER_MAX];
	uint64_t address, size;

	if (x->ints < 4)
		return 0; /* a program's own idea of such a record */
	address = pifile_user_int(x, 1);
	size = pifile_user_int(x, 2);
	switch (pifile_user_int(x, 0)) {
	case PITRACE_JIT_LOAD:
		if (!x->strs)
			return 0;
		user_string(x, 0, name);
		return a2n_jit_load(a, r->time, x->pid, address, size, name, strlen(name));
	case PITRACE_JIT_MOVE:
		return a2n_jit_move(a, r->time, x->pid, pifile_user_int(x, 3), address, size);
	case PITRACE_JIT_UNLOAD:
		return a2n_jit_unload(a, r->time, x->pid, address, size);
	default:
		return 0;
	}
}

/* A main thread's name is its process's name, which comes from the kernel. */
static int feed_thread_name(struct a2n *a, const struct pirecord *r, struct pifile_user *x)
{
	char name[PITRACE_USER_MAX];

	if (!x->strs || x->tid == x->pid)
		return 0;
	return a2n_name(a, r->time, x->pid, x->tid, user_string(x, 0, name));
}

static int feed_mte(struct a2n *a, struct trace *t, const struct pirecord *r)
{
	const struct pitrace_mte_task *task;
	const struct pitrace_mte_map *map;
	const struct pitrace_mte_unmap *unmap;
	const struct pitrace_mte_buildid *id;
	struct pifile_user x;

	a2n_machine(a, r->origin);
	switch (r->minor) {
	case PITRACE_MTE_JIT:
	case PITRACE_MTE_JAVA_THREAD:
		if (!pifile_user_record(r, &x))
			return r->minor == PITRACE_MTE_JIT ? feed_jit(a, r, &x) :
							     feed_thread_name(a, r, &x);
		break;
	case PITRACE_MTE_NAME:
	case PITRACE_MTE_CLONE:
	case PITRACE_MTE_PROCESS:
	case PITRACE_MTE_PROCESS_EXIT:
	case PITRACE_MTE_THREAD:
	case PITRACE_MTE_THREAD_EXIT:
	case PITRACE_MTE_FORK:
		task = RECORD_AS(r, struct pitrace_mte_task);
		if (task)
			return feed_task(a, r, task);
		break;
	case PITRACE_MTE_MODULE:
		map = record_map(r);
		if (map)
			return feed_map(a, r, map);
		break;
	case PITRACE_MTE_UNLOAD:
		map = record_map(r);
		if (map && map->flags & PITRACE_MAP_SYMBOL)
			return a2n_kernel_code_gone(a, r->time, map->path, map->start, map->length);
		if (map)
			return a2n_kernel_unload(a, r->time, map->path);
		break;
	case PITRACE_MTE_UNMAP:
		unmap = RECORD_AS(r, struct pitrace_mte_unmap);
		if (unmap)
			return a2n_unmap(a, r->time, unmap->pid, unmap->start, unmap->length);
		break;
	case PITRACE_MTE_BUILDID:
		id = RECORD_AS(r, struct pitrace_mte_buildid);
		if (id && id->length <= sizeof(id->id))
			return feed_build_id(a, id);
		break;
	default:
		return 0; /* a newer writer's: not ours to judge */
	}
	trace_malformed(t, r, "too short, or its text has no end");
	return 0;
}

int feed_record(struct a2n *a, struct trace *t, const struct pirecord *r)
{
	if (r->major == PITRACE_MTE)
		return feed_mte(a, t, r);
	if (r->major == PITRACE_LOST && r->minor == PITRACE_LOST_MTE)
		return a2n_unsure(a, r->time, origin_pid(r->origin, 0));
	return 0;
}

int feed_section(struct a2n *a, const struct input_section *s, bool kernel_map)
{
	if (!s->data)
		return 0; /* damaged: the format noted the fault */
	a2n_machine(a, s->origin);
	switch ((unsigned int)s->type) {
	case PIFILE_SEC_KALLSYMS:
		return kernel_map ? 0 : a2n_kallsyms(a, s->data, s->size);
	case PIFILE_SEC_MODULES:
		return a2n_modules(a, s->data, s->size);
	case INPUT_SEC_SYMBOLS:
		return a2n_symbols(a, s->data, s->size);
	case PIFILE_SEC_VDSO:
		return a2n_vdso(a, s->data, s->size);
	default:
		return 0;
	}
}

/* Reads all of a file or pipe, since /proc/kallsyms reports no size. Freed by the caller. */
static int read_text(const char *path, char **text, size_t *size)
{
	struct stat st = { 0 };
	int fd = regular_or_pipe_open(path, &st), rc;

	*text = NULL;
	*size = 0;
	if (fd < 0)
		return S_ISDIR(st.st_mode) ? -EISDIR : -errno;
	rc = read_all(fd, MAX_MAP_FILE, text, size);
	close(fd);
	return rc;
}

enum kernel_file { KERNEL_OTHER, KERNEL_ELF, KERNEL_TEXT, KERNEL_HIDDEN };

/* Whether the lines are "address type name", and whether any address is not 0. */
static enum kernel_file kind_of(const char *text, size_t size)
{
	enum kernel_file kind = KERNEL_OTHER;
	struct bytes b = bytes_of(text, size);
	const char *line, *word;
	size_t length;

	if (size >= 4 && !memcmp(text, "\177ELF", 4))
		return KERNEL_ELF;
	while (kind != KERNEL_TEXT && bytes_line(&b, &line, &length)) {
		struct bytes l = bytes_of(line, length);
		uint64_t address;

		if (!text_number(&l, 16, &address) || !text_word(&l, &word, &length) ||
		    length != 1 || !text_word(&l, &word, &length)) {
			/* Other files may have such lines, but not as the first one. */
			if (kind == KERNEL_OTHER)
				break;
			continue;
		}
		kind = address ? KERNEL_TEXT : KERNEL_HIDDEN;
	}
	return kind;
}

const char *feed_kernel_map(struct a2n *a, uint32_t machines, const char *path)
{
	const char *why = NULL;
	char *text;
	size_t size;
	uint32_t i;
	int rc = read_text(path, &text, &size);

	if (!rc) {
		switch (kind_of(text, size)) {
		case KERNEL_ELF:
			why = "an ELF file, not a copy of /proc/kallsyms: -k takes a vmlinux";
			break;
		case KERNEL_OTHER:
			why = "not a copy of /proc/kallsyms";
			break;
		case KERNEL_HIDDEN:
			why = "all its addresses are 0: it was copied without CAP_SYSLOG";
			break;
		case KERNEL_TEXT:
			break;
		}
	}
	for (i = 0; !rc && !why && (!i || i < machines); i++) {
		a2n_machine(a, i);
		rc = a2n_kallsyms(a, text, size);
	}
	free(text);
	return why           ? why :
	       rc == -EINVAL ? "neither a regular file nor a pipe" :
	       rc            ? strerror(-rc) :
			       NULL;
}

/* Why the file is no kernel image, from its first bytes. */
static const char *no_image(int fd)
{
	char head[4096];
	ssize_t n = pread(fd, head, sizeof(head), 0);

	if (n >= 0x206 && !memcmp(head + 0x202, "HdrS", 4))
		return "a packed kernel: -k takes the vmlinux that is in it";
	/* The last line may be cut. */
	if (n > 0 && kind_of(head, (size_t)n) != KERNEL_OTHER)
		return "not a vmlinux: -kmap takes a copy of /proc/kallsyms";
	return "not a vmlinux: no ELF file";
}

const char *feed_kernel_image(struct a2n *a, uint32_t machines, const char *path)
{
	const char *why = NULL;
	struct stat st = { 0 };
	int fd = regular_open(path, 0, &st), rc = 0;
	uint32_t i;

	if (fd < 0)
		return S_ISDIR(st.st_mode) ? strerror(EISDIR) :
		       errno == EINVAL     ? "no regular file" :
					     strerror(errno);
	for (i = 0; !rc && (!i || i < machines); i++) {
		int own = dup(fd);

		a2n_machine(a, i);
		rc = own < 0 ? -errno : a2n_kernel_image(a, own);
	}
	if (rc)
		why = rc == -EBADMSG ? no_image(fd) :
		      rc == -ENODATA ? "not a vmlinux with symbols" :
				       strerror(-rc);
	close(fd);
	return why;
}
