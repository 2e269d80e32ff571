/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens regular files whose names are untrusted. Opening a device can already have an effect
 * (/dev/watchdog starts to count). So the name is first opened by O_PATH, which has no effect; the
 * file is examined, and that very file is reopened. */
#ifndef PITRACE_REGULAR_H
#define PITRACE_REGULAR_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define REGULAR_HOLD (O_PATH | O_CLOEXEC)

/* Reopens the file of an O_PATH descriptor (-1: the open failed, errno says why) if it is of this
 * kind (S_IFREG etc.) or of `other`. Closes path_fd. -1 with errno; EINVAL: another kind, ELOOP: a
 * link. */
static inline int kind_reopen(int path_fd, mode_t kind, mode_t other, int flags, struct stat *st)
{
	struct stat own;
	char name[32];
	int fd = -1, err = 0;

	if (path_fd < 0)
		return -1;
	st = st ? st : &own;
	if (fstat(path_fd, st)) {
		err = errno;
	} else if ((st->st_mode & S_IFMT) != kind && (st->st_mode & S_IFMT) != other) {
		err = S_ISLNK(st->st_mode) ? ELOOP : EINVAL;
	} else {
		snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
		fd = open(name, flags | O_CLOEXEC | O_NOCTTY);
		err = errno;
	}
	close(path_fd);
	errno = err;
	return fd;
}

/* access: O_RDONLY or O_RDWR */
static inline int regular_reopen_for(int path_fd, int access, struct stat *st)
{
	return kind_reopen(path_fd, S_IFREG, S_IFREG, access | O_NONBLOCK, st);
}

static inline int regular_reopen(int path_fd, struct stat *st)
{
	return regular_reopen_for(path_fd, O_RDONLY, st);
}

/* flags: 0, or O_NOFOLLOW: a link is refused. st may be NULL. */
static inline int regular_open(const char *path, int flags, struct stat *st)
{
	return regular_reopen(open(path, REGULAR_HOLD | flags), st);
}

/* Also opens pipes: reads wait for writers that have it open, the open itself does not wait for
 * one. */
static inline int regular_or_pipe_open(const char *path, struct stat *st)
{
	int fd = kind_reopen(open(path, REGULAR_HOLD), S_IFREG, S_IFIFO, O_RDONLY | O_NONBLOCK, st);

	if (fd >= 0)
		fcntl(fd, F_SETFL, 0);
	return fd;
}

#endif
