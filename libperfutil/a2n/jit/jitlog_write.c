/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The writer of log-jita2n and log-jtnm, for runtimes. A line is one write. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "jitlog.h"
#include "base/newfile.h"
#include "base/now.h"

struct file {
	int fd;
	off_t end; /* end of the last complete line */
};

struct jitlog_writer {
	pthread_mutex_t lock;
	struct file code, threads;
};

/* Writes everything, or restores the file. */
static int put(struct file *f, const char *line, size_t size)
{
	ssize_t n;
	int err;

	do
		n = write(f->fd, line, size);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)size) {
		f->end += n;
		return 0;
	}
	err = n < 0 ? -errno : -ENOSPC;
	return n > 0 && ftruncate(f->fd, f->end) ? -errno : err;
}

static int begin(struct file *f, const char *folder, const char *name, const char *fields)
{
	char path[PATH_MAX], line[128];
	struct newfile made;
	int n, err;

	if (snprintf(path, sizeof(path), "%s/%s_%d", folder, name, (int)getpid()) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	/* Removes the file of an earlier process with this pid. */
	err = newfile_open(&made, path, NEWFILE_REPLACE | NEWFILE_APPEND, 0600);
	if (err)
		return err;
	f->fd = made.fd;
	newfile_keep(&made);
	n = snprintf(line, sizeof(line), "# %s\n", fields);
	return put(f, line, (size_t)n);
}

int jitlog_create_files(struct jitlog_writer **out, const char *folder, unsigned int files)
{
	struct jitlog_writer *w;
	int err = 0;

	if (!out)
		return -EINVAL;
	*out = NULL;
	if (!files || files & ~(unsigned int)(JITLOG_CODE | JITLOG_THREADS))
		return -EINVAL;
	w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	w->code.fd = w->threads.fd = -1;
	pthread_mutex_init(&w->lock, NULL);
	if (!folder || !*folder)
		folder = ".";
	if (files & JITLOG_CODE)
		err = begin(&w->code, folder, "log-jita2n", "time address size flags method code");
	if (!err && files & JITLOG_THREADS)
		err = begin(&w->threads, folder, "log-jtnm", "time tid name START|END");
	if (err)
		jitlog_end(w);
	else
		*out = w;
	return err;
}

int jitlog_create(struct jitlog_writer **out, const char *folder)
{
	return jitlog_create_files(out, folder, JITLOG_CODE | JITLOG_THREADS);
}

static char *escape(char *to, const char *name)
{
	for (; *name; name++) {
		char c = *name == '\t' ? 't' : *name == '\n' ? 'n' : *name == '\\' ? '\\' : 0;

		if (c)
			*to++ = '\\';
		*to++ = c ? c : *name;
	}
	return to;
}

/* Builds a line: TIME, the fields before the name, the name, the fields after it. */
static int line_of(struct jitlog_writer *w, struct file *f, const char *before, const char *name,
		   const char *after, const uint8_t *code, size_t size)
{
	size_t room = strlen(before) + 2 * strlen(name) + strlen(after) + 2 * size + 64;
	char *line, *p;
	int err;

	if (f->fd < 0)
		return -EINVAL;
	line = malloc(room);
	if (!line)
		return -ENOMEM;
	pthread_mutex_lock(&w->lock);
	/* Under the lock: so the file is in the order of time. */
	p = line + sprintf(line, "%" PRIu64 "\t%s\t", now_ns(), before);
	p = escape(p, name);
	p = stpcpy(p, after);
	for (; size; size--)
		p += sprintf(p, "%02x", *code++);
	*p++ = '\n';
	err = put(f, line, (size_t)(p - line));
	pthread_mutex_unlock(&w->lock);
	free(line);
	return err;
}

int jitlog_load(struct jitlog_writer *w, const char *name, uint64_t address, uint64_t size,
		const void *code)
{
	char before[64];

	if (!name)
		return -EINVAL;
	if (size > UINT32_MAX)
		return -EMSGSIZE;
	snprintf(before, sizeof(before), "%" PRIx64 "\t%" PRIx64 "\tLOAD", address, size);
	return line_of(w, &w->code, before, name, code ? "\t" : "", code, code ? size : 0);
}

int jitlog_move(struct jitlog_writer *w, uint64_t from, uint64_t to, uint64_t size)
{
	char before[96];

	snprintf(before, sizeof(before), "%" PRIx64 "\t%" PRIx64 "\tMOVE=%" PRIx64, to, size, from);
	return line_of(w, &w->code, before, "", "", NULL, 0);
}

int jitlog_unload(struct jitlog_writer *w, uint64_t address, uint64_t size)
{
	char before[64];

	snprintf(before, sizeof(before), "%" PRIx64 "\t%" PRIx64 "\tUNLOAD", address, size);
	return line_of(w, &w->code, before, "", "", NULL, 0);
}

int jitlog_thread(struct jitlog_writer *w, uint32_t tid, const char *name, bool start)
{
	char before[16];

	if (!name)
		return -EINVAL;
	snprintf(before, sizeof(before), "%" PRIu32, tid);
	return line_of(w, &w->threads, before, name, start ? "\tSTART" : "\tEND", NULL, 0);
}

int jitlog_end(struct jitlog_writer *w)
{
	int err = 0;

	if (w->code.fd >= 0 && close(w->code.fd))
		err = -errno;
	if (w->threads.fd >= 0 && close(w->threads.fd) && !err)
		err = -errno;
	pthread_mutex_destroy(&w->lock);
	free(w);
	return err;
}
