/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A live process: its memory and threads from /proc, and the code that it has announced in a
 * jitdump or a perf map. Its folder in /proc is opened once, so that all data are of one process,
 * and they are passed to liba2n only when everything was read: a process that ends meanwhile leaves
 * nothing behind. Its files are opened with its own rights, below its own root.
 */
#include <a2n.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jitdump.h>
#include <limits.h>
#include <perfmap.h>
#include <pitrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "a2n/inner.h"
#include "a2n/process/live.h"
#include "base/code_memory.h"
#include "base/keys.h"
#include "base/now.h"
#include "base/proc_text.h"
#include "base/read_all.h"
#include "base/rights.h"
#include "base/text.h"

#define PF_KTHREAD 0x00200000 /* a kernel thread, in the flags of /proc/PID/stat */
#define MAPS_MOST  (256u << 20)
#define STAT_MOST  4096
#define VDSO_MOST  (1u << 20)

struct live_process {
	uint32_t pid, inner; /* inner: pid in its own namespace */
	int folder;          /* in /proc */
	struct proc_task task;
	char *maps;
	size_t size;
	uint64_t time;  /* when it was read */
	uint64_t image; /* differs after an exec */
	bool makes_code;
	struct rights rights;
	int root;
};

/* ---- reading --------------------------------------------------------------------------------- */

static int read_file(int folder, const char *name, size_t most, char **text, size_t *size)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC), rc;

	*text = NULL;
	*size = 0;
	if (fd < 0)
		return -errno;
	rc = read_all(fd, most, text, size);
	close(fd);
	return rc;
}

static int read_task(int folder, struct proc_task *t)
{
	size_t size;
	char *text;
	int rc = read_file(folder, "stat", STAT_MOST, &text, &size);

	if (!rc && !proc_task_parse(text, size, t))
		rc = -ESRCH;
	free(text);
	return rc;
}

static bool next_map(struct bytes *b, struct proc_map *m)
{
	const char *line;
	size_t length;

	while (bytes_line(b, &line, &length))
		if (proc_map_parse(line, length, m))
			return true;
	return false;
}

/* Reads what an exec changes (the program, the address of the vdso), and whether there is memory
 * that may hold generated code. */
static void look_at_maps(struct live_process *p)
{
	struct bytes b = bytes_of(p->maps, p->size);
	struct proc_map m;
	struct stat st;

	if (!fstatat(p->folder, "exe", &st, 0))
		p->image = hash_mix(st.st_ino, st.st_dev);
	while (next_map(&b, &m)) {
		if (m.flags & PITRACE_MAP_VDSO)
			p->image = hash_mix(p->image, m.start);
		if (!(m.flags & PITRACE_MAP_VDSO) &&
		    (m.flags & PITRACE_MAP_ANON || code_memory(m.path, m.path_len)))
			p->makes_code = true;
	}
}

static int read_process(struct live_process *p)
{
	struct proc_task again;
	char path[32];
	int rc;

	snprintf(path, sizeof(path), "/proc/%" PRIu32, p->pid);
	p->folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (p->folder < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	rc = read_task(p->folder, &p->task);
	p->time = now_ns();
	if (!rc)
		rc = read_file(p->folder, "maps", MAPS_MOST, &p->maps, &p->size);
	/* A process that has ended but was not waited for has no memory. */
	if (!rc && !p->size && !(p->task.flags & PF_KTHREAD))
		rc = -ESRCH;
	if (!rc)
		rc = read_task(p->folder, &again);
	if (!rc)
		look_at_maps(p);
	return rc == -ENOENT ? -ESRCH : rc;
}

static const char *reason(int rc)
{
	switch (rc) {
	case -ESRCH:
		return "there is no such process, or it has ended";
	case -EACCES:
	case -EPERM:
		return "another user's process, or one with rights that you lack: root may read it";
	case -EFBIG:
		return "it has too many mappings";
	default:
		return "it cannot be read";
	}
}

/* adding events */

/* The image is the same in all programs of this kind. */
static int feed_vdso(struct a2n *a, struct live *l, const struct proc_map *m)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	uint64_t size = m->end - m->start;
	int rc;

	/* Below 4 GB it is that of 32-bit programs, if this program is not a 32-bit one. */
	if (l->vdso || !image || size > VDSO_MOST || (sizeof(void *) == 8 && m->end >> 32 == 0))
		return 0;
	rc = a2n_vdso(a, image, size);
	l->vdso = !rc;
	return rc;
}

static int feed_map(struct a2n *a, const struct live_process *p, const struct proc_map *m)
{
	char path[PATH_MAX];
	struct a2n_map map = {
		.start = m->start,
		.length = m->end - m->start,
		.offset = m->offset,
		.inode = m->inode,
		.dev_major = m->dev_major,
		.dev_minor = m->dev_minor,
		.flags = A2N_MAP_WALK | inner_map_flags(m->flags),
		.path = path,
	};
	size_t length = m->path_len < sizeof(path) ? m->path_len : sizeof(path) - 1;

	memcpy(path, m->path, length);
	path[length] = '\0';
	return a2n_add_map(a, p->time, p->pid, &map);
}

static int feed_maps(struct a2n *a, struct live *l, const struct live_process *p)
{
	struct bytes b = bytes_of(p->maps, p->size);
	struct proc_map m;
	int rc = 0;

	inner_mapped_now(a, clock_ns(CLOCK_REALTIME));
	while (!rc && next_map(&b, &m)) {
		rc = feed_map(a, p, &m);
		if (!rc && m.flags & PITRACE_MAP_VDSO)
			rc = feed_vdso(a, l, &m);
	}
	return rc;
}

static int feed_thread(struct a2n *a, const struct live_process *p, const char *name)
{
	struct proc_task t;
	char path[32 + NAME_MAX];
	int folder, rc;

	snprintf(path, sizeof(path), "task/%s", name);
	folder = openat(p->folder, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return 0;
	rc = read_task(folder, &t);
	close(folder);
	if (rc)
		return rc == -ENOMEM ? rc : 0; /* the thread has ended */
	rc = a2n_thread(a, p->time, p->pid, t.pid);
	return rc ? rc : a2n_name(a, p->time, p->pid, t.pid, t.comm);
}

static int feed_threads(struct a2n *a, const struct live_process *p)
{
	int fd = openat(p->folder, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *e;

	if (fd >= 0 && !d)
		close(fd);
	while (d && !rc && (e = readdir(d)))
		if (e->d_name[0] != '.' && strtoul(e->d_name, NULL, 10) != p->task.pid)
			rc = feed_thread(a, p, e->d_name);
	if (d)
		closedir(d);
	return rc;
}

/* generated code */

/* The last number of NSpid in status is the pid in its own namespace. */
static int read_inner(struct live_process *p)
{
	uint64_t inner = p->pid;
	size_t size;
	char *text;
	int rc = read_file(p->folder, "status", 1u << 16, &text, &size);

	if (!rc)
		(void)proc_numbers(text, size, "NSpid:", &inner);
	p->inner = (uint32_t)inner;
	free(text);
	return rc;
}

static int open_own(const struct live_process *p, const char *path, struct stat *st)
{
	int fd;

	/* The process is in a namespace whose files are not visible. */
	if (p->root < 0 && p->inner != p->pid)
		return -1;
	fd = rights_open_below(&p->rights, p->root, path, st);
	if (fd >= 0 && st->st_uid && st->st_uid != p->rights.uid) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int feed_perfmap(struct a2n *a, struct live *l, const struct live_process *p)
{
	struct live_file *f;
	struct perfmap_entry e;
	struct perfmap *m;
	const char *why;
	struct stat st;
	char path[64];
	int fd, rc;

	snprintf(path, sizeof(path), "/tmp/perf-%" PRIu32 ".map", p->inner);
	fd = open_own(p, path, &st);
	if (fd < 0)
		return 0;
	f = live_file(l, p->pid, p->task.start, LIVE_PERFMAP);
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	rc = perfmap_open_fd(&m, fd, &why);
	while (!rc && perfmap_next(m, &e) > 0)
		rc = a2n_jit_map(a, f->reached, p->time, p->pid, e.address, e.size, e.name,
				 e.name_length);
	if (!rc)
		f->reached = p->time;
	perfmap_close(m);
	return rc == -ENOMEM ? rc : 0;
}

static int feed_event(struct a2n *a, const struct live_process *p, const struct jitdump_info *info,
		      const struct jitdump_event *e)
{
	uint64_t time = info->raw_time ? p->time : e->time;

	if (e->pid != info->pid)
		return 0;
	switch (e->kind) {
	case JITDUMP_LOAD:
		return a2n_jit_load_late(a, info->raw_time ? time : e->earliest, time, p->pid,
					 e->address, e->size, e->name, e->name_length);
	case JITDUMP_MOVE:
		return a2n_jit_move(a, time, p->pid, e->from, e->address, e->size);
	default:
		return a2n_jit_unload(a, time, p->pid, e->address, e->size);
	}
}

static int feed_jitdump(struct a2n *a, struct live *l, const struct live_process *p,
			const struct proc_map *m)
{
	struct jitdump_event e;
	struct live_file *f;
	struct jitdump *d;
	const char *why;
	char path[PATH_MAX];
	struct stat st;
	int fd, rc;

	snprintf(path, sizeof(path), "%.*s", (int)m->path_len, m->path);
	fd = open_own(p, path, &st);
	if (fd < 0)
		return 0;
	/* Another file has this name by now. */
	f = st.st_ino == m->inode ? live_file(l, p->pid, p->task.start, m->inode) : NULL;
	if (!f) {
		close(fd);
		return st.st_ino == m->inode ? -ENOMEM : 0;
	}
	rc = jitdump_open(&d, fd, &why);
	while (!rc && jitdump_next(d, &e) > 0) {
		/* Already added. */
		if (f->reached > e.offset)
			continue;
		rc = feed_event(a, p, jitdump_info(d), &e);
		f->reached = e.offset + 1;
	}
	jitdump_close(d);
	return rc == -ENOMEM ? rc : 0;
}

/* …/jit-NUMBER.dump */
static bool is_jitdump(const struct proc_map *m)
{
	const char *slash = m->path_len ? memrchr(m->path, '/', m->path_len) : NULL;
	struct bytes b = slash ? bytes_of(slash, m->path_len - (size_t)(slash - m->path)) :
				 bytes_of(NULL, 0);
	uint64_t number;

	return bytes_left(&b) < 64 && text_char(&b, '/') && text_char(&b, 'j') &&
	       text_char(&b, 'i') && text_char(&b, 't') && text_char(&b, '-') &&
	       text_number(&b, 10, &number) && bytes_left(&b) == 5 &&
	       !memcmp(b.base + b.at, ".dump", 5) && m->path_len < PATH_MAX;
}

static int feed_code(struct a2n *a, struct live *l, struct live_process *p)
{
	struct bytes b = bytes_of(p->maps, p->size);
	uint64_t last = 0;
	struct proc_map m;
	int rc = 0;

	if (read_inner(p) || rights_of_process((pid_t)p->pid, &p->rights))
		return 0;
	p->root = rights_root((pid_t)p->pid);
	while (!rc && next_map(&b, &m)) {
		if (!is_jitdump(&m) || m.inode == last)
			continue;
		last = m.inode;
		rc = feed_jitdump(a, l, p, &m);
	}
	if (!rc && p->makes_code)
		rc = feed_perfmap(a, l, p);
	return rc;
}

/* the whole process */

static int feed_process(struct a2n *a, struct live_process *p)
{
	struct live *l = inner_live(a);
	struct live_file *image = live_file(l, p->pid, p->task.start, LIVE_IMAGE);
	int rc;

	if (!image)
		return -ENOMEM;
	/* It has executed another program since the last call. */
	if (image->reached && image->reached != p->image) {
		live_forget(l, p->pid);
		image = live_file(l, p->pid, p->task.start, LIVE_IMAGE);
		if (!image)
			return -ENOMEM;
		rc = a2n_process(a, p->time, p->pid, p->task.start);
	} else {
		rc = a2n_seen(a, p->time, p->pid, p->task.start);
	}
	image->reached = p->image;
	if (!rc)
		rc = a2n_name(a, p->time, p->pid, p->pid, p->task.comm);
	if (!rc)
		rc = feed_maps(a, l, p);
	if (!rc)
		rc = feed_threads(a, p);
	return rc ? rc : feed_code(a, l, p);
}

int a2n_add_process(struct a2n *a, uint32_t pid, const char **why)
{
	struct live_process p = { .pid = pid ? pid : (uint32_t)getpid(), .folder = -1, .root = -1 };
	const char *unwanted = NULL;
	int rc;

	why = why ? why : &unwanted;
	*why = NULL;
	rc = read_process(&p);
	if (rc)
		*why = reason(rc);
	else
		rc = feed_process(a, &p);
	free(p.maps);
	if (p.root >= 0)
		close(p.root);
	if (p.folder >= 0)
		close(p.folder);
	return rc;
}
