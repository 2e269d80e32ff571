/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A window over the file, filled by pread(), or by the thread that decompresses it. */
#include "dump_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read_all.h"
#include "base/regular.h"

#define WINDOW (256u << 10)

/* Records a fault, at `behind` bytes after the end of the window. */
static void report(struct dump_file *f, size_t behind, const char *what)
{
	if (!*f->fault.what) {
		f->fault.offset = f->at + f->have + behind;
		snprintf(f->fault.what, sizeof(f->fault.what), "%s", what);
	}
	f->over = true;
}

static size_t more_unpacked(struct dump_file *f, uint8_t *to, size_t room)
{
	const char *fault = NULL;
	size_t got = 0, n;

	while (got < room && !f->over) {
		n = unpack_take(f->unpacker, to + got, room - got, &f->read, &fault);
		got += n;
		if (!n && fault)
			report(f, got, fault);
		else if (!n)
			f->over = true;
	}
	return got;
}

static size_t more_plain(struct dump_file *f, uint8_t *to, size_t room)
{
	size_t got = 0;
	int rc = pread_all(f->fd, to, room, f->at + f->have, &got);

	if (rc)
		report(f, got, strerror(-rc));
	if (got < room)
		f->over = true;
	f->read = f->at + f->have + got;
	return got;
}

static int make_room(struct dump_file *f, size_t n)
{
	uint8_t *more;

	if (f->begin) {
		memmove(f->window, f->window + f->begin, f->have);
		f->begin = 0;
	}
	if (n <= f->room)
		return 0;
	more = realloc(f->window, n);
	if (!more)
		return -ENOMEM;
	f->window = more;
	f->room = n;
	return 0;
}

const uint8_t *dump_fill(struct dump_file *f, size_t n, size_t *have)
{
	size_t ask;

	if (!f->over && make_room(f, n)) {
		report(f, 0, strerror(ENOMEM));
	} else if (!f->over) {
		ask = f->room - f->have;
		if (ask > f->end - f->at - f->have)
			ask = (size_t)(f->end - f->at - f->have);
		if (ask)
			f->have += f->packed ? more_unpacked(f, f->window + f->have, ask) :
					       more_plain(f, f->window + f->have, ask);
		if (f->at + f->have == f->end)
			f->over = true;
		if (f->progress)
			f->progress(f->progress_arg, f);
	}
	*have = f->have;
	return f->window + f->begin;
}

bool dump_skip_far(struct dump_file *f, uint64_t n)
{
	size_t have, part;

	while (n) {
		if (!f->have && !f->packed && !f->over && n < f->size && f->at < f->size &&
		    n < f->size - f->at && n < f->end - f->at) {
			f->at += n;
			return true;
		}
		if (!f->have)
			dump_fill(f, 1, &have);
		if (!f->have)
			return false;
		part = n < f->have ? (size_t)n : f->have;
		f->begin += part;
		f->have -= part;
		f->at += part;
		n -= part;
	}
	return true;
}

int dump_rewind(struct dump_file *f)
{
	f->at = f->read = 0;
	f->begin = f->have = 0;
	f->over = false;
	f->fault.what[0] = 0;
	return f->packed ? unpack_rewind(f->unpacker) : 0;
}

bool dump_changed(const struct dump_file *f)
{
	struct stat st;

	return !fstat(f->fd, &st) &&
	       ((uint64_t)st.st_size != f->size || st.st_mtim.tv_sec != f->written.tv_sec ||
		st.st_mtim.tv_nsec != f->written.tv_nsec);
}

int dump_open(struct dump_file *f, const char *path)
{
	uint8_t head[2] = { 0 };
	struct stat st;
	size_t got;

	*f = (struct dump_file){ .path = path, .end = UINT64_MAX };
	f->fd = regular_open(path, 0, &st);
	if (f->fd < 0)
		return -errno;
	f->size = (uint64_t)st.st_size;
	f->written = st.st_mtim;
	f->window = malloc(WINDOW);
	f->room = WINDOW;
	if (!f->window)
		return -ENOMEM;
	pread_all(f->fd, head, sizeof(head), 0, &got);
	if (got < sizeof(head) || head[0] != 0x1f || head[1] != 0x8b)
		return 0;
	f->unpacker = malloc(sizeof(*f->unpacker));
	if (!f->unpacker)
		return -ENOMEM;
	f->packed = true;
	return unpack_open(f->unpacker, f->fd);
}

void dump_close(struct dump_file *f)
{
	if (f->packed)
		unpack_close(f->unpacker);
	free(f->unpacker);
	free(f->window);
	if (f->fd >= 0)
		close(f->fd);
	f->window = NULL;
	f->unpacker = NULL;
	f->packed = false;
	f->fd = -1;
}
