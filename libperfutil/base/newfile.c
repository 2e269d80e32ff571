/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * O_EXCL creates a file that is certainly new; the other steps are needed only if the name exists.
 * Other users with write access to the folder can change what the name refers to between two steps.
 * Each step is designed so that the worst result is a rename that they could have made themselves.
 */
#include "base/newfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define TRIES  16 /* retries while others create and remove the name */
#define MEMORY 1  /* major numbers: /dev/null and similar devices */
#define TTY    5
#define PTS    136 /* … to 143 */

static int set_name(struct newfile *f, const char *name)
{
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return -EISDIR;
	if (strlen(name) >= sizeof(f->name))
		return -ENAMETOOLONG;
	strcpy(f->name, name);
	return 0;
}

/* Opens the folder of a path and finds the name in it. */
static int split(struct newfile *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	int err = *path ? set_name(f, slash ? slash + 1 : path) : -ENOENT;
	char *folder;

	if (err)
		return err;
	folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	if (!folder)
		return -ENOMEM;
	f->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return f->folder < 0 ? -errno : 0;
}

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns the user as whom this thread creates files. */
static uid_t us(void)
{
	return (uid_t)setfsuid((uid_t)-1);
}

/* The owner of a folder can do anything to the files in it. */
static bool ours(const struct newfile *f, const struct stat *st)
{
	struct stat folder;

	return st->st_uid == us() || (!fstat(f->folder, &folder) && st->st_uid == folder.st_uid);
}

static int old_name(const struct newfile *f, char old[NAME_MAX + 1])
{
	return snprintf(old, NAME_MAX + 1, "%s.old", f->name) > NAME_MAX ? -ENAMETOOLONG : 0;
}

/* Renames without replacing, also where the file system has no RENAME_NOREPLACE. */
static int move(int folder, const char *from, const char *to)
{
	if (!renameat2(folder, from, folder, to, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL || !faccessat(folder, to, F_OK, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return renameat(folder, from, folder, to) ? -errno : 0;
}

/* NAME.old is removed only if it is also such a file. */
static int set_aside(struct newfile *f, const struct stat *seen)
{
	char old[NAME_MAX + 1];
	struct stat st;
	int err = old_name(f, old);

	if (err)
		return err;
	if (fstatat(f->folder, old, &st, AT_SYMLINK_NOFOLLOW)) {
		if (errno != ENOENT)
			return -errno;
		err = move(f->folder, f->name, old);
		if (err)
			return err == -EEXIST ? -EAGAIN : err;
	} else {
		if (S_ISDIR(st.st_mode) != S_ISDIR(seen->st_mode))
			return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTDIR;
		if ((!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) || !ours(f, &st))
			return -EEXIST;
		if (renameat(f->folder, f->name, f->folder, old))
			return -errno;
	}
	/* Checks that the moved file is the one examined before. */
	if (fstatat(f->folder, old, &st, AT_SYMLINK_NOFOLLOW) || !same(&st, seen)) {
		move(f->folder, old, f->name);
		return -EAGAIN;
	}
	f->moved = true;
	return 0;
}

/* Is it a terminal of this user, possibly one that is not a pseudo terminal? */
static bool own_terminal(dev_t device)
{
	struct stat st;

	for (int fd = 0; fd < 3; fd++)
		if (!fstat(fd, &st) && S_ISCHR(st.st_mode) && st.st_rdev == device && isatty(fd))
			return true;
	return false;
}

static bool harmless(dev_t device)
{
	unsigned int major = major(device), minor = minor(device);

	return (major == MEMORY && (minor == 3 || minor == 7)) || (major == TTY && minor == 0) ||
	       (major >= PTS && major < PTS + 8) || own_terminal(device);
}

/* Opens for writing the file that path_fd refers to. */
static int open_stream(struct newfile *f, int path_fd, const struct stat *st)
{
	char path[64];
	int flags;

	if (S_ISFIFO(st->st_mode) ? !ours(f, st) : !harmless(st->st_rdev))
		return S_ISFIFO(st->st_mode) ? -EPERM : -EOPNOTSUPP;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", path_fd);
	/* Opening a FIFO must not wait for a reader. */
	f->fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (f->fd < 0)
		return -errno;
	flags = fcntl(f->fd, F_GETFL);
	if (flags < 0 || fcntl(f->fd, F_SETFL, flags & ~O_NONBLOCK))
		return -errno;
	return 0;
}

/* The name exists. 0: the file was opened, or moved out of the way; -EAGAIN: the name refers to
 * something else by now. */
static int resolve_existing(struct newfile *f, unsigned int how)
{
	int path_fd = openat(f->folder, f->name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err;
	struct stat st;

	if (path_fd < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (fstat(path_fd, &st))
		err = -errno;
	else if (S_ISLNK(st.st_mode))
		err = -ELOOP;
	else if (S_ISDIR(st.st_mode))
		err = -EISDIR;
	else if ((S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) && how & NEWFILE_STREAM)
		err = open_stream(f, path_fd, &st);
	else if (!S_ISREG(st.st_mode))
		err = -EOPNOTSUPP;
	else if (!ours(f, &st))
		err = -EPERM;
	else if (how & NEWFILE_REPLACE)
		err = unlinkat(f->folder, f->name, 0) ? -errno : 0;
	else
		err = set_aside(f, &st);
	close(path_fd);
	return err;
}

/* Moves the old file back, unless the name has been reused by now. */
static void put_back(struct newfile *f)
{
	char old[NAME_MAX + 1];

	if (f->moved && !old_name(f, old))
		move(f->folder, old, f->name);
	f->moved = false;
}

static int make(struct newfile *f, unsigned int how, mode_t mode)
{
	int flags = O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
		    (how & NEWFILE_READ ? O_RDWR : O_WRONLY) |
		    (how & NEWFILE_APPEND ? O_APPEND : 0);
	int err = 0;

	for (int n = 0; n < TRIES; n++) {
		f->fd = openat(f->folder, f->name, flags, mode);
		if (f->fd >= 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
		if (f->moved)
			return -EBUSY;
		err = resolve_existing(f, how);
		if ((err && err != -EAGAIN) || f->fd >= 0)
			return err;
	}
	return -EBUSY;
}

/* err: the error of the previous step. */
static int make_or_release(struct newfile *f, int err, unsigned int how, mode_t mode)
{
	if (!err)
		err = make(f, how, mode);
	if (err) {
		if (f->fd >= 0)
			close(f->fd);
		put_back(f);
		newfile_keep(f);
	}
	return err;
}

int newfile_open(struct newfile *f, const char *path, unsigned int how, mode_t mode)
{
	*f = (struct newfile){ .fd = -1, .folder = -1 };
	return make_or_release(f, split(f, path), how, mode);
}

/* Opens a name in an open folder. newfile_keep() releases what this allocates. */
static int begin_in(struct newfile *f, const struct folder *folder, const char *name)
{
	int err;

	*f = (struct newfile){ .fd = -1, .folder = -1, .rights = folder->rights };
	err = set_name(f, name);
	if (!err) {
		f->folder = fcntl(folder->fd, F_DUPFD_CLOEXEC, 0);
		err = f->folder < 0 ? -errno : 0;
	}
	return err;
}

int newfile_open_in(struct newfile *f, const struct folder *folder, const char *name,
		    unsigned int how, mode_t mode)
{
	struct rights_saved kept;
	int err = begin_in(f, folder, name);

	if (!err)
		err = rights_take(f->rights, &kept);
	if (err)
		return make_or_release(f, err, how, mode);
	err = make_or_release(f, 0, how, mode);
	rights_restore(&kept);
	return err;
}

/* Retries while the name keeps changing. */
static int make_way(struct newfile *f)
{
	struct stat st;
	int err = -EAGAIN;

	for (int n = 0; n < TRIES && err == -EAGAIN; n++) {
		if (fstatat(f->folder, f->name, &st, AT_SYMLINK_NOFOLLOW))
			return errno == ENOENT ? 0 : -errno;
		err = set_aside(f, &st);
	}
	return err == -EAGAIN ? -EBUSY : err;
}

int newfile_aside(const struct folder *folder, const char *name)
{
	struct rights_saved kept;
	struct newfile f;
	int err = begin_in(&f, folder, name);

	if (!err)
		err = rights_take(f.rights, &kept);
	if (!err) {
		err = make_way(&f);
		rights_restore(&kept);
	}
	newfile_keep(&f);
	return err;
}

static void undo(struct newfile *f)
{
	struct stat made, named;

	if (!fstat(f->fd, &made) && S_ISREG(made.st_mode) &&
	    !fstatat(f->folder, f->name, &named, AT_SYMLINK_NOFOLLOW) && same(&made, &named))
		unlinkat(f->folder, f->name, 0);
	put_back(f);
}

void newfile_undo(struct newfile *f)
{
	struct rights_saved kept;

	if (!rights_take(f->rights, &kept)) {
		undo(f);
		rights_restore(&kept);
	}
	close(f->fd);
	newfile_keep(f);
}

void newfile_keep(struct newfile *f)
{
	if (f->folder >= 0)
		close(f->folder);
	f->folder = f->fd = -1;
}

static int make_folder(struct newfile *f, mode_t mode)
{
	struct stat st;
	int err;

	if (mkdirat(f->folder, f->name, mode)) {
		if (errno != EEXIST)
			return -errno;
		if (fstatat(f->folder, f->name, &st, AT_SYMLINK_NOFOLLOW))
			return -errno;
		if (!S_ISDIR(st.st_mode))
			return S_ISLNK(st.st_mode) ? -ELOOP : -ENOTDIR;
		err = ours(f, &st) ? set_aside(f, &st) : -EPERM;
		if (err)
			return err == -EAGAIN ? -EBUSY : err;
		if (mkdirat(f->folder, f->name, mode))
			return errno == EEXIST ? -EBUSY : -errno;
	}
	f->fd = openat(f->folder, f->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (f->fd < 0 || fstat(f->fd, &st))
		return -errno;
	return st.st_uid == us() ? 0 : -EPERM; /* not the file that was created */
}

int newfile_folder(const char *path, mode_t mode, bool *moved)
{
	struct newfile f = { .fd = -1, .folder = -1 };
	size_t n = strlen(path);
	char *name;
	int err, fd;

	*moved = false;
	while (n > 1 && path[n - 1] == '/')
		n--;
	name = strndup(path, n);
	if (!name)
		return -ENOMEM;
	err = split(&f, name);
	free(name);
	if (!err)
		err = make_folder(&f, mode);
	fd = f.fd;
	if (err && fd >= 0)
		close(fd);
	*moved = f.moved;
	newfile_keep(&f);
	return err ? err : fd;
}
