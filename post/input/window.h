/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A window that moves over a file: a reader requests an offset and a length, so that it keeps no
 * more in memory than the longest item it reads.
 */
#ifndef POST_WINDOW_H
#define POST_WINDOW_H

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/read_all.h"

struct window {
	int fd;
	uint64_t size; /* of the file */
	uint8_t *room;
	size_t bytes; /* size of the room */
	uint64_t at;  /* offset in the file of the bytes in the room */
	size_t have;  /* number of bytes in the room */
};

/* Returns 0 or -errno. */
static inline int window_open(struct window *w, const char *path, size_t bytes)
{
	struct stat st;
	int rc = 0;

	*w = (struct window){ .fd = open(path, O_RDONLY | O_CLOEXEC), .bytes = bytes };
	if (w->fd < 0 || fstat(w->fd, &st) < 0)
		rc = -errno;
	else
		w->size = (uint64_t)st.st_size;
	w->room = rc ? NULL : malloc(bytes);
	if (!rc && !w->room)
		rc = -ENOMEM;
	return rc;
}

static inline void window_close(struct window *w)
{
	if (w->fd >= 0)
		close(w->fd);
	free(w->room);
	*w = (struct window){ .fd = -1 };
}

/* Returns the bytes from `offset` on: *length of them, at least n unless the file ends before.
 * NULL: none. Valid until the next call. n must not exceed the window. */
static inline const uint8_t *window_look(struct window *w, uint64_t offset, size_t n,
					 size_t *length)
{
	if (offset < w->at || offset - w->at > w->have || w->have - (size_t)(offset - w->at) < n) {
		w->at = offset;
		(void)pread_all(w->fd, w->room, w->bytes, offset, &w->have);
	}
	*length = w->have - (size_t)(offset - w->at);
	return *length ? w->room + (offset - w->at) : NULL;
}

#endif
