/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The jitdump writer, for JITs. A record is one writev, so that a concurrent reader never sees a
 * partial one, and a forked child that keeps writing cannot corrupt its parent's records.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "jitdump.h"
#include "a2n/jit/jitdump_format.h"
#include "base/newfile.h"
#include "base/now.h"
#include "base/own_machine.h"

#define MAX_TABLES (1u << 30) /* larger ones belong to no code: two of them fit into a record */

struct jitdump_writer {
	pthread_mutex_t lock;
	int fd;
	void *marker; /* the executable mapping by which a trace finds the file */
	size_t page;
	uint64_t end; /* end of the last complete record */
	uint64_t index;
	uint64_t late;
	char path[PATH_MAX];
};

/* Fields in native byte order, packed. */
struct fields {
	uint8_t bytes[JITDUMP_MOVE_FIXED];
	size_t used;
};

static void put32(struct fields *f, uint32_t v)
{
	memcpy(f->bytes + f->used, &v, sizeof(v));
	f->used += sizeof(v);
}

static void put64(struct fields *f, uint64_t v)
{
	memcpy(f->bytes + f->used, &v, sizeof(v));
	f->used += sizeof(v);
}

/* Writes everything, or restores the file. */
static int write_all(struct jitdump_writer *w, struct iovec *part, int n)
{
	uint64_t total = 0;
	ssize_t r;
	int err, i;

	for (i = 0; i < n; i++)
		total += part[i].iov_len;
	do
		r = writev(w->fd, part, n);
	while (r < 0 && errno == EINTR);
	if (r >= 0 && (uint64_t)r == total) {
		w->end += total;
		return 0;
	}
	err = r < 0 ? -errno : -ENOSPC;
	if (r > 0 && ftruncate(w->fd, (off_t)w->end))
		err = -errno;
	return err;
}

static int write_header(struct jitdump_writer *w)
{
	struct fields f = { .used = 0 };
	size_t size = w->late ? JITDUMP_HEADER_LATE : JITDUMP_HEADER;
	struct iovec part = { f.bytes, size };

	put32(&f, JITDUMP_MAGIC);
	put32(&f, JITDUMP_VERSION);
	put32(&f, (uint32_t)size);
	put32(&f, OWN_MACHINE);
	put32(&f, 0);
	put32(&f, (uint32_t)getpid());
	put64(&f, now_ns());
	put64(&f, 0);
	put64(&f, JITDUMP_LATE_TAG);
	put64(&f, w->late);
	return write_all(w, &part, 1);
}

int jitdump_create(struct jitdump_writer **out, const char *folder)
{
	return jitdump_create_late(out, folder, 0);
}

int jitdump_create_late(struct jitdump_writer **out, const char *folder, uint64_t late)
{
	struct jitdump_writer *w;
	struct newfile made;
	int err;

	if (!out)
		return -EINVAL;
	*out = NULL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->late = late;
	if (!folder)
		folder = getenv("JITDUMPDIR");
	if (!folder || !*folder)
		folder = ".";
	if (snprintf(w->path, sizeof(w->path), "%s/jit-%d.dump", folder, (int)getpid()) >=
	    (int)sizeof(w->path)) {
		free(w);
		return -ENAMETOOLONG;
	}
	/* Removes the file of an earlier process with this pid. */
	err = newfile_open(&made, w->path, NEWFILE_REPLACE | NEWFILE_READ | NEWFILE_APPEND, 0600);
	if (err) {
		free(w);
		return err;
	}
	w->fd = made.fd;
	pthread_mutex_init(&w->lock, NULL);
	w->page = (size_t)sysconf(_SC_PAGESIZE);
	err = write_header(w);
	if (!err) {
		w->marker = mmap(NULL, w->page, PROT_READ | PROT_EXEC, MAP_PRIVATE, w->fd, 0);
		if (w->marker == MAP_FAILED)
			err = -errno;
	}
	if (err) {
		newfile_undo(&made);
		free(w);
		return err;
	}
	newfile_keep(&made);
	*out = w;
	return 0;
}

const char *jitdump_path(const struct jitdump_writer *w)
{
	return w->path;
}

static void prefix(struct fields *f, uint32_t id, uint64_t size, uint64_t time)
{
	put32(f, id);
	put32(f, (uint32_t)size);
	put64(f, time);
}

/* Builds the line table: the fixed part in *f, entries in a buffer that the caller frees. */
static int make_table(struct fields *f, uint64_t time, uint64_t address,
		      const struct jitdump_line *lines, uint32_t n, uint8_t **entries, size_t *size)
{
	const char *before = NULL;
	struct fields e;
	size_t room = 0, at = 0;
	uint32_t i;

	for (i = 0; i < n; i++)
		room += JITDUMP_DEBUG_ENTRY + (lines[i].file ? strlen(lines[i].file) : 0) + 2;
	if (room > UINT32_MAX - JITDUMP_DEBUG_FIXED)
		return -EMSGSIZE;
	*entries = malloc(room);
	if (!*entries)
		return -ENOMEM;
	for (i = 0; i < n; i++) {
		const char *file = lines[i].file ? lines[i].file : "";
		/* A repeated file name is written once. */
		const char *text = before && !strcmp(before, file) ? "\xff" : file;

		e.used = 0;
		put64(&e, lines[i].address);
		put32(&e, lines[i].line);
		put32(&e, lines[i].discriminator);
		memcpy(*entries + at, e.bytes, e.used);
		at += e.used;
		memcpy(*entries + at, text, strlen(text) + 1);
		at += strlen(text) + 1;
		before = file;
	}
	prefix(f, JITDUMP_ID_DEBUG, JITDUMP_DEBUG_FIXED + at, time);
	put64(f, address);
	put64(f, n);
	*size = at;
	return 0;
}

int jitdump_load(struct jitdump_writer *w, const char *name, uint64_t address, uint64_t size,
		 const void *code, const struct jitdump_line *lines, uint32_t n_lines,
		 uint64_t *index)
{
	return jitdump_load_late(w, 0, name, address, size, code, lines, n_lines, index);
}

int jitdump_load_late(struct jitdump_writer *w, uint64_t since, const char *name, uint64_t address,
		      uint64_t size, const void *code, const struct jitdump_line *lines,
		      uint32_t n_lines, uint64_t *index)
{
	return jitdump_load_unwind(w, since, name, address, size, code, lines, n_lines, NULL,
				   index);
}

/* Builds the fixed part; the tables follow, .eh_frame first, as other writers do. */
static void make_unwind(struct fields *f, uint64_t time, const struct jitdump_unwind *u)
{
	uint64_t all = u->eh_frame_size + u->eh_frame_hdr_size;

	prefix(f, JITDUMP_ID_UNWIND, JITDUMP_UNWIND_FIXED + all, time);
	put64(f, all);
	put64(f, u->eh_frame_hdr_size);
	put64(f, all); /* as if they were in memory: otherwise readers ignore them */
}

int jitdump_load_unwind(struct jitdump_writer *w, uint64_t since, const char *name,
			uint64_t address, uint64_t size, const void *code,
			const struct jitdump_line *lines, uint32_t n_lines,
			const struct jitdump_unwind *unwind, uint64_t *index)
{
	struct fields table = { .used = 0 }, tables = { .used = 0 }, f = { .used = 0 };
	uint8_t *entries = NULL;
	size_t length = name ? strlen(name) + 1 : 0, bytes = code ? size : 0, entries_size = 0;
	size_t word = w->late ? JITDUMP_SINCE : 0;
	struct iovec part[9];
	int n = 0, err = 0;
	uint64_t time;

	if (!name || (!lines && n_lines) ||
	    (unwind && ((!unwind->eh_frame && unwind->eh_frame_size) ||
			(!unwind->eh_frame_hdr && unwind->eh_frame_hdr_size))))
		return -EINVAL;
	if (size > UINT32_MAX || length > UINT32_MAX - JITDUMP_LOAD_FIXED - word - bytes)
		return -EMSGSIZE;
	if (unwind &&
	    (unwind->eh_frame_size > MAX_TABLES || unwind->eh_frame_hdr_size > MAX_TABLES))
		return -EMSGSIZE;
	pthread_mutex_lock(&w->lock);
	/* Under the lock: so the file is in the order of time. */
	time = now_ns();
	if (n_lines) {
		err = make_table(&table, time, address, lines, n_lines, &entries, &entries_size);
		part[n++] = (struct iovec){ table.bytes, table.used };
		part[n++] = (struct iovec){ entries, entries_size };
	}
	if (unwind && unwind->eh_frame_size) {
		make_unwind(&tables, time, unwind);
		part[n++] = (struct iovec){ tables.bytes, tables.used };
		part[n++] = (struct iovec){ (void *)unwind->eh_frame, unwind->eh_frame_size };
		part[n++] = (struct iovec){ (void *)unwind->eh_frame_hdr,
					    unwind->eh_frame_hdr_size };
	}
	prefix(&f, JITDUMP_ID_LOAD, JITDUMP_LOAD_FIXED + length + word + bytes, time);
	put32(&f, (uint32_t)getpid());
	put32(&f, (uint32_t)syscall(SYS_gettid));
	put64(&f, address);
	put64(&f, address);
	put64(&f, size);
	put64(&f, w->index);
	part[n++] = (struct iovec){ f.bytes, f.used };
	part[n++] = (struct iovec){ (void *)name, length };
	part[n++] = (struct iovec){ &since, word };
	part[n++] = (struct iovec){ (void *)code, bytes };
	if (!err)
		err = write_all(w, part, n);
	if (!err) {
		if (index)
			*index = w->index;
		w->index++;
	}
	pthread_mutex_unlock(&w->lock);
	free(entries);
	return err;
}

int jitdump_unload(struct jitdump_writer *w, uint64_t address, uint64_t size)
{
	struct fields f = { .used = 0 };
	struct iovec part = { f.bytes, JITDUMP_UNLOAD_FIXED };
	int err;

	pthread_mutex_lock(&w->lock);
	prefix(&f, JITDUMP_ID_UNLOAD, JITDUMP_UNLOAD_FIXED, now_ns());
	put32(&f, (uint32_t)getpid());
	put32(&f, (uint32_t)syscall(SYS_gettid));
	put64(&f, address);
	put64(&f, size);
	err = write_all(w, &part, 1);
	pthread_mutex_unlock(&w->lock);
	return err;
}

int jitdump_move(struct jitdump_writer *w, uint64_t index, uint64_t from, uint64_t to,
		 uint64_t size)
{
	struct fields f = { .used = 0 };
	struct iovec part = { f.bytes, JITDUMP_MOVE_FIXED };
	int err;

	pthread_mutex_lock(&w->lock);
	prefix(&f, JITDUMP_ID_MOVE, JITDUMP_MOVE_FIXED, now_ns());
	put32(&f, (uint32_t)getpid());
	put32(&f, (uint32_t)syscall(SYS_gettid));
	put64(&f, to);
	put64(&f, from);
	put64(&f, to);
	put64(&f, size);
	put64(&f, index);
	err = write_all(w, &part, 1);
	pthread_mutex_unlock(&w->lock);
	return err;
}

int jitdump_end(struct jitdump_writer *w)
{
	struct fields f = { .used = 0 };
	struct iovec part = { f.bytes, JITDUMP_PREFIX };
	int err;

	prefix(&f, JITDUMP_ID_CLOSE, JITDUMP_PREFIX, now_ns());
	err = write_all(w, &part, 1);
	munmap(w->marker, w->page);
	if (close(w->fd) && !err)
		err = -errno;
	pthread_mutex_destroy(&w->lock);
	free(w);
	return err;
}
