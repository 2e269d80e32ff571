/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations on names in a folder, with a user's rights. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "base/folder.h"
#include "base/regular.h"

const char *folder_leaf(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Checks whether files can be created here, for the effective ids, which fsuid and fsgid follow. */
static int writable(int fd)
{
#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif
	if (!syscall(SYS_faccessat2, fd, ".", W_OK | X_OK, AT_EACCESS) || errno == ENOSYS)
		return 0;
	return -errno;
}

int folder_open(struct folder *f, const char *path, const struct rights *rights)
{
	char name[PATH_MAX];
	struct rights_saved kept;
	size_t n = (size_t)(folder_leaf(path) - path);
	int err;

	*f = (struct folder){ .fd = -1, .rights = rights };
	if (n >= sizeof(name))
		return -ENAMETOOLONG;
	snprintf(name, sizeof(name), "%.*s", n ? (int)n : 1, n ? path : ".");
	err = rights_take(rights, &kept);
	if (err)
		return err;
	f->fd = open(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	err = f->fd < 0 ? -errno : writable(f->fd);
	rights_restore(&kept);
	if (err)
		folder_close(f);
	return err;
}

void folder_close(struct folder *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

int folder_stat(const struct folder *f, const char *leaf, struct stat *st)
{
	struct rights_saved kept;
	int err = rights_take(f->rights, &kept);

	if (err)
		return err;
	err = fstatat(f->fd, leaf, st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
	rights_restore(&kept);
	return err;
}

int folder_rename(const struct folder *f, const char *from, const char *to)
{
	struct rights_saved kept;
	int err = rights_take(f->rights, &kept);

	if (err)
		return err;
	err = renameat(f->fd, from, f->fd, to) ? -errno : 0;
	rights_restore(&kept);
	return err;
}

int folder_remove(const struct folder *f, const char *leaf)
{
	struct rights_saved kept;
	int err = rights_take(f->rights, &kept);

	if (err)
		return err;
	err = unlinkat(f->fd, leaf, 0) ? -errno : 0;
	rights_restore(&kept);
	return err;
}

int folder_read(const struct folder *f, const char *leaf, struct stat *st)
{
	struct rights_saved kept;
	int fd, err = rights_take(f->rights, &kept);

	if (err)
		return err;
	fd = regular_reopen(openat(f->fd, leaf, REGULAR_HOLD | O_NOFOLLOW), st);
	if (fd < 0)
		fd = -errno;
	rights_restore(&kept);
	return fd;
}
