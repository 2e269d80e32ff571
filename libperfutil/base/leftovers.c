/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Each program that creates such files removes leftovers once, before it begins. */
#include "base/leftovers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Limit for a shared folder, and for one leftover: further names are left to the next program. */
#define NAMES_MAX 65536

#define PLACES "XXXXXX" /* for mkdtemp's letters */
#define TRIES  100      /* to create a folder that others take for a leftover */

bool leftovers_claim(int folder)
{
	struct stat st;

	if (flock(folder, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		return false;
	return !fstat(folder, &st) && st.st_nlink;
}

int leftovers_make_folder(char *path)
{
	char *end = path + strlen(path) - strlen(PLACES);
	int folder, err = 0;

	for (int tries = 0; tries < TRIES; tries++) {
		memcpy(end, PLACES, strlen(PLACES));
		if (!mkdtemp(path))
			return -errno;
		folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		err = folder < 0 ? -errno : -EBUSY;
		if (folder >= 0 && leftovers_claim(folder))
			return folder;
		if (folder >= 0)
			close(folder);
		if (err != -ENOENT && err != -EBUSY)
			break;
	}
	return err;
}

static bool is_ours(const struct stat *st, uid_t also)
{
	return st->st_uid == geteuid() || (also != (uid_t)-1 && st->st_uid == also);
}

static void remove_files(int folder)
{
	DIR *d = fdopendir(folder);
	struct dirent *e;
	unsigned int left = NAMES_MAX;

	if (!d) {
		close(folder);
		return;
	}
	while (left-- && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	closedir(d);
}

static void remove_folder(int base, const char *name, uid_t also)
{
	int folder = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st, named;
	int again;

	if (folder < 0)
		return;
	/* (C): the creator's claim, if it comes after this lock, finds the folder removed. */
	if (fstat(folder, &st) || !is_ours(&st, also) || flock(folder, LOCK_EX | LOCK_NB) ||
	    fstatat(base, name, &named, AT_SYMLINK_NOFOLLOW) || named.st_dev != st.st_dev ||
	    named.st_ino != st.st_ino) {
		close(folder);
		return;
	}
	/* Keeps the lock until the folder is removed. */
	again = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	remove_files(folder);
	unlinkat(base, name, AT_REMOVEDIR);
	if (again >= 0)
		close(again);
}

/* Opens the folder `base` for listing; NULL: it cannot be opened. */
static DIR *open_list(const char *base)
{
	int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

void leftovers_remove_folders(const char *base, const char *prefix, uid_t also)
{
	DIR *d = open_list(base);
	unsigned int left = NAMES_MAX;
	struct dirent *e;

	while (d && left-- && (e = readdir(d)))
		if (!strncmp(e->d_name, prefix, strlen(prefix)) &&
		    (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN))
			remove_folder(dirfd(d), e->d_name, also);
	if (d)
		closedir(d);
}

/* Returns the pid in a socket name "PREFIXpid.sock", or in that of its page,
 * "PREFIXpid.sock.listen"; 0: another name. *socket: the socket's name. */
static pid_t pid_of(const char *name, const char *prefix, char socket[64])
{
	size_t n;
	long pid;

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return 0;
	pid = strtol(name + strlen(prefix), NULL, 10);
	n = (size_t)snprintf(socket, 64, "%s%ld.sock", prefix, pid);
	if (pid <= 0 || pid > 1 << 30 || strncmp(name, socket, n) || (name[n] && name[n] != '.'))
		return 0;
	return (pid_t)pid;
}

/* A process in another pid namespace is invisible, but accepts connections. */
static bool nobody_listens(const char *folder, const char *name)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd, n = snprintf(a.sun_path, sizeof(a.sun_path), "%s/%s", folder, name);
	bool nobody;

	if (n < 0 || n >= (int)sizeof(a.sun_path))
		return false;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	nobody = connect(fd, (const struct sockaddr *)&a, sizeof(a)) &&
		 (errno == ECONNREFUSED || errno == ENOENT);
	close(fd);
	return nobody;
}

void leftovers_remove_sockets(const char *folder, const char *prefix, uid_t also)
{
	DIR *d = open_list(folder);
	unsigned int left = NAMES_MAX;
	struct dirent *e;
	struct stat st;

	while (d && left-- && (e = readdir(d))) {
		char name[64];
		pid_t pid = pid_of(e->d_name, prefix, name);

		if (!pid || !kill(pid, 0) || errno != ESRCH)
			continue;
		if (!fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    (strcmp(e->d_name, name) ? S_ISREG(st.st_mode) : S_ISSOCK(st.st_mode)) &&
		    is_ours(&st, also) && nobody_listens(folder, name))
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}
