/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * perf maps belong to the traced programs: they are opened with the process's own rights below its
 * own root, links are not followed, the owner is checked, and the content is copied unparsed but
 * for line ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/code_memory.h"
#include "base/now.h"
#include "base/proc_text.h"
#include "base/read_all.h"
#include "image/perfmaps.h"
#include "file/record_walk.h"
#include "base/rights.h"
#include "base/text.h"

#define SCAN_NS       1000000000ull
#define PROCESSES_MAX 256            /* one or two descriptors each */
#define PART_MAX      (4u << 20)     /* bytes of a map per scan */
#define TEXT_MAX      (256ull << 20) /* bytes of all maps in a trace file */
#define FLUSH_MAX     (16u << 20)    /* bytes of all maps per scan: the rest waits */
#define HEAD_MAX      256
#define TAIL          64

struct one {
	uint32_t pid, inner; /* inner: its pid in its own namespace */
	struct rights rights;
	bool tried, known, exited;
	bool left;          /* exited before it was identified */
	int root, fd;       /* -1: not accessible or not created yet */
	uint64_t read;      /* bytes written to the trace */
	uint64_t scanned;   /* ns, before the last scan; 0: none */
	uint8_t tail[TAIL]; /* last bytes written, to detect a replaced file */
	size_t ntail;
};

struct perfmaps {
	struct one one[PROCESSES_MAX];
	size_t n;
	uint64_t scanned, written;
	uint64_t until; /* bytes written by this scan */
	const struct rights *user;
	struct timespec begun; /* on the clock of file times */
	char *part;
};

struct perfmaps *perfmaps_new(const struct rights *user)
{
	struct perfmaps *m = calloc(1, sizeof(*m));

	if (m) {
		m->user = user;
		clock_gettime(CLOCK_REALTIME_COARSE, &m->begun);
	}
	return m;
}

static void close_one(struct one *o)
{
	if (o->root >= 0)
		close(o->root);
	if (o->fd >= 0)
		close(o->fd);
}

void perfmaps_free(struct perfmaps *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->n; i++)
		close_one(&m->one[i]);
	free(m->part);
	free(m);
}

static struct one *find(struct perfmaps *m, uint32_t pid)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->one[i].pid == pid && !m->one[i].exited)
			return &m->one[i];
	return NULL;
}

static bool holds_code(const struct record *r, const struct pitrace_mte_map *map)
{
	if (r->size < sizeof(*map) || !(map->flags & PITRACE_MAP_EXEC) ||
	    map->flags & (PITRACE_MAP_KERNEL | PITRACE_MAP_VDSO))
		return false;
	return map->flags & PITRACE_MAP_ANON || code_memory(map->path, r->size - sizeof(*map));
}

void perfmaps_scan(struct perfmaps *m, const void *segment, size_t size)
{
	struct pitrace_segment s;
	struct record_walk w;
	struct record r;

	if (record_walk_begin(&w, segment, size, &s) || s.ring != PITRACE_RING_MTE)
		return;
	while (record_next(&w, &r) == 1) {
		const struct pitrace_mte_task *task = r.data;
		const struct pitrace_mte_map *map = r.data;
		struct one *o;

		if (r.major != PITRACE_MTE)
			continue;
		if (r.minor == PITRACE_MTE_PROCESS_EXIT && r.size >= sizeof(*task)) {
			o = find(m, task->pid);
			if (o)
				o->exited = true;
		} else if (r.minor == PITRACE_MTE_MODULE && holds_code(&r, map) &&
			   m->n < PROCESSES_MAX && !find(m, map->pid)) {
			m->one[m->n++] = (struct one){ .pid = map->pid, .root = -1, .fd = -1 };
		}
	}
}

/* ---- a process's file ------------------------------------------------------------------------ */

/* Identifies the process while it lives; false: try again later. */
static bool identify(struct one *o)
{
	char name[64], text[4096];
	uint64_t inner = 0;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/%u/status", o->pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? read(fd, text, sizeof(text)) : -1;
	if (fd >= 0)
		close(fd);
	if (n <= 0 || rights_of_process((pid_t)o->pid, &o->rights))
		return false;
	/* Nested pid namespaces, the innermost last. */
	if (!proc_numbers(text, (size_t)n, "NSpid:", &inner))
		inner = o->pid;
	o->inner = (uint32_t)inner;
	o->root = rights_root((pid_t)o->pid);
	/* The pid belongs to a namespace whose files are not visible. */
	return o->known = o->root >= 0 || o->inner == o->pid;
}

/* Identifies the map of a process that exited before it was identified: a map in our own /tmp is
 * used if it belongs to the tracing user and was written since. */
static bool know(const struct perfmaps *m, struct one *o)
{
	if (identify(o))
		return true;
	if (!o->exited)
		return false;
	o->left = true;
	o->inner = o->pid;
	if (m->user)
		o->rights = *m->user;
	else
		o->rights.uid = geteuid();
	return o->known = true;
}

static bool owned_by_process(const struct perfmaps *m, const struct one *o, const struct stat *st)
{
	return (st->st_uid == o->rights.uid || !st->st_uid) &&
	       (!o->left || st->st_mtim.tv_sec > m->begun.tv_sec ||
		(st->st_mtim.tv_sec == m->begun.tv_sec && st->st_mtim.tv_nsec >= m->begun.tv_nsec));
}

static void open_map(const struct perfmaps *m, struct one *o)
{
	const struct rights *rights = o->left ? m->user : &o->rights;
	struct rights now;
	char name[64];
	struct stat st;

	/* It may have dropped rights since it was identified. */
	if (!o->left && !rights_of_process((pid_t)o->pid, &now))
		o->rights = now;
	snprintf(name, sizeof(name), "/tmp/perf-%u.map", o->inner);
	o->fd = rights_open_below(rights, o->root, name, &st);
	if (o->fd < 0 || owned_by_process(m, o, &st))
		return;
	close(o->fd);
	o->fd = -1;
}

/* Checks that the last bytes read are still there. Another program's map, or a rewritten one, is
 * read from 0. */
static bool same_as_before(const struct one *o)
{
	uint8_t tail[TAIL];

	return !o->ntail ||
	       (pread(o->fd, tail, o->ntail, (off_t)(o->read - o->ntail)) == (ssize_t)o->ntail &&
		!memcmp(tail, o->tail, o->ntail));
}

/* Reads whole lines after the part already read, HEAD_MAX bytes into the buffer. */
static size_t read_part(struct perfmaps *m, struct one *o)
{
	char *text = m->part + HEAD_MAX;
	const char *nl;
	size_t n;

	(void)pread_all(o->fd, text, PART_MAX, o->read, &n);
	nl = n ? memrchr(text, '\n', n) : NULL;
	if (nl)
		return (size_t)(nl - text) + 1;
	/* A line too long for a map. */
	return n == PART_MAX ? n : 0;
}

static int put_part(struct perfmaps *m, struct one *o, struct pifile_writer *w, size_t n,
		    uint64_t since)
{
	char head[HEAD_MAX];
	int length;

	length = snprintf(head, sizeof(head),
			  "pid %u since %" PRIu64 " until %" PRIu64 " offset %" PRIu64
			  " path /tmp/perf-%u.map\n",
			  o->pid, since, now_ns(), o->read, o->inner);
	memcpy(m->part + HEAD_MAX - length, head, (size_t)length);
	m->written += n;
	return pifile_write_section(w, PIFILE_SEC_PERFMAP, m->part + HEAD_MAX - length,
				    n + (size_t)length);
}

/* Checks whether another file is at the path (renamed to it, or recreated). Then it is read from
 * 0. */
static bool is_replaced(const struct perfmaps *m, struct one *o)
{
	struct one now = *o;
	struct stat old, new;

	now.fd = -1;
	open_map(m, &now);
	o->rights = now.rights;
	if (now.fd < 0)
		return false;
	if (fstat(o->fd, &old) || fstat(now.fd, &new) ||
	    (old.st_ino == new.st_ino &&old.st_dev == new.st_dev)) {
		close(now.fd);
		return false;
	}
	close(o->fd);
	o->fd = now.fd;
	o->read = 0;
	o->ntail = 0;
	return true;
}

static int read_on(struct perfmaps *m, struct one *o, struct pifile_writer *w, uint64_t before)
{
	size_t n;
	int err;

	do {
		o->scanned = now_ns();
		if (!same_as_before(o)) {
			o->read = 0;
			o->ntail = 0;
		}
		n = m->written < m->until ? read_part(m, o) : 0;
		if (!n)
			return 0;
		err = put_part(m, o, w, n, before);
		o->ntail = n < TAIL ? n : TAIL;
		memcpy(o->tail, m->part + HEAD_MAX + n - o->ntail, o->ntail);
		o->read += n;
	} while (!err && n > PART_MAX / 2);
	return err;
}

static int scan_map(struct perfmaps *m, struct one *o, struct pifile_writer *w)
{
	uint64_t before = o->scanned;
	int err;

	if (!o->known && !know(m, o))
		return 0;
	if (o->fd < 0)
		open_map(m, o);
	if (o->fd < 0)
		return 0;
	if (!m->part) {
		m->part = malloc(HEAD_MAX + PART_MAX);
		if (!m->part)
			return -ENOMEM;
	}
	/* Reads the rest of the old file first. */
	err = read_on(m, o, w, before);
	if (!err && is_replaced(m, o))
		err = read_on(m, o, w, before);
	return err;
}

int perfmaps_flush(struct perfmaps *m, struct pifile_writer *w, bool now)
{
	uint64_t time = now_ns();
	size_t i, kept = 0;
	bool due = now || time - m->scanned >= SCAN_NS;
	int err = 0;

	if (due)
		m->scanned = time;
	m->until = now || m->written + FLUSH_MAX > TEXT_MAX ? TEXT_MAX : m->written + FLUSH_MAX;
	for (i = 0; i < m->n; i++) {
		struct one *o = &m->one[i];

		/* A new process is scanned at once: it may exit soon. */
		if (!err && (due || o->exited || !o->tried))
			err = scan_map(m, o, w);
		o->tried = true;
		if (o->exited)
			close_one(o);
		else
			m->one[kept++] = *o;
	}
	m->n = kept;
	return err;
}
