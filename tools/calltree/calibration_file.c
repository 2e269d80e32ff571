/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "calibration_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/read_all.h"
#include "calibration_text.h"

static __attribute__((format(printf, 2, 3))) bool fail(struct calibration_file *f,
						       const char *format, ...)
{
	int n = snprintf(f->why, sizeof(f->why), "%s: ", f->path);
	va_list args;

	va_start(args, format);
	if (n > 0 && (size_t)n < sizeof(f->why))
		vsnprintf(f->why + n, sizeof(f->why) - (size_t)n, format, args);
	va_end(args);
	return false;
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Returns the hash that is the name of the key's file in the cache. */
static uint64_t number_of(const char *key)
{
	uint64_t n = 0xcbf29ce484222325;

	while (*key)
		n = (n ^ (uint8_t)*key++) * 0x100000001b3;
	return n;
}

static bool take_path(struct calibration_file *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static bool take_path(struct calibration_file *f, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(f->path, sizeof(f->path), format, args);
	va_end(args);
	return n > 0 && (size_t)n < sizeof(f->path);
}

static bool find_cache(struct calibration_file *f)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	const struct passwd *me;

	if (cache && *cache == '/')
		return take_path(f, "%s", cache);
	if (!home || *home != '/') {
		me = getpwuid(geteuid());
		home = me ? me->pw_dir : NULL;
	}
	return home && *home == '/' && take_path(f, "%s/.cache", home);
}

/* Creates missing folders, with access only for the user. */
static bool make_cache(struct calibration_file *f, const char *key)
{
	size_t n;

	if (!find_cache(f)) {
		strcpy(f->path, "the user's cache");
		return fail(f, "the folder cannot be determined");
	}
	mkdir(f->path, 0700);
	n = strlen(f->path);
	snprintf(f->path + n, sizeof(f->path) - n, "/pitrace");
	mkdir(f->path, 0700);
	n = strlen(f->path);
	if (n + 40 > sizeof(f->path))
		return fail(f, "%s", strerror(ENAMETOOLONG));
	snprintf(f->path + n, sizeof(f->path) - n, "/jprof-%016" PRIx64 ".calibration",
		 number_of(key));
	return true;
}

/* Checks that only this user and root can replace the file or folder. */
static bool is_ours(struct calibration_file *f, const struct stat *st, const char *what)
{
	if (st->st_uid != geteuid() && st->st_uid)
		return fail(f, "%s belongs to another user", what);
	if (st->st_mode & 022 && !(S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX))
		return fail(f, "%s can be written by other users", what);
	return true;
}

bool calibration_file_open(struct calibration_file *f, const char *path, const char *key)
{
	char folder[PATH_MAX] = ".", *slash;
	struct stat st;

	f->folder = -1;
	if (path ? !take_path(f, "%s", path) : !make_cache(f, key))
		return path ? fail(f, "%s", strerror(ENAMETOOLONG)) : false;
	slash = strrchr(f->path, '/');
	f->name = slash ? slash + 1 : f->path;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - f->path + 1), f->path);
	if (!*f->name)
		return fail(f, "it is a folder");
	f->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->folder < 0 || fstat(f->folder, &st))
		return fail(f, "%s", strerror(errno));
	if (is_ours(f, &st, "its folder"))
		return true;
	calibration_file_close(f);
	return false;
}

void calibration_file_close(struct calibration_file *f)
{
	if (f->folder >= 0)
		close(f->folder);
	f->folder = -1;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Returns -1 if there is no file or, with *bad set, if it was refused. */
static int open_it(struct calibration_file *f, bool *bad)
{
	int fd = openat(f->folder, f->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	*bad = fd < 0 && errno != ENOENT;
	if (*bad)
		fail(f, "%s", errno == ELOOP ? "it is a link" : strerror(errno));
	if (fd < 0)
		return -1;
	if (fstat(fd, &st))
		*bad = !fail(f, "%s", strerror(errno));
	else if (!S_ISREG(st.st_mode))
		*bad = !fail(f, "it is not a regular file");
	else
		*bad = !is_ours(f, &st, "it");
	if (!*bad)
		return fd;
	close(fd);
	return -1;
}

bool calibration_file_load(struct calibration_file *f, struct calibration *c, const char *key)
{
	struct calibration there = { 0 };
	struct calibration_fault fault;
	char *text = NULL;
	size_t size;
	bool bad;
	int fd = open_it(f, &bad), rc;

	if (fd < 0)
		return !bad;
	rc = read_all(fd, CALIBRATION_SIZE_MOST, &text, &size);
	close(fd);
	if (rc)
		return fail(f, "%s", strerror(-rc));
	rc = calibration_init(&there, c->metrics);
	if (rc)
		fail(f, "%s", strerror(-rc));
	if (!rc) {
		rc = calibration_read(&there, key, text, size, &fault);
		if (rc)
			fail(f, "line %" PRIu32 ", byte %zu: %s", fault.line, fault.offset,
			     fault.what);
	}
	free(text);
	if (!rc)
		calibration_merge(c, &there);
	calibration_free(&there);
	return !rc;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Returns whether the file has changed since the last call. */
static bool was_written(const struct calibration_file *f, struct stat *last)
{
	struct stat now = { 0 };
	bool other;

	if (fstatat(f->folder, f->name, &now, AT_SYMLINK_NOFOLLOW))
		now = (struct stat){ 0 };
	other = now.st_ino != last->st_ino || now.st_mtim.tv_sec != last->st_mtim.tv_sec ||
		now.st_mtim.tv_nsec != last->st_mtim.tv_nsec;
	*last = now;
	return other;
}

#define HELD 150  /* attempts */
#define MOST 1500 /* attempts while other processes write */

/* Waits as long as other processes write; gives up if the lock is only held. */
static bool lock(struct calibration_file *f)
{
	const struct timespec moment = { .tv_nsec = 20000000 };
	struct stat last = { 0 };

	(void)was_written(f, &last);
	for (int i = 0, held = 0; i < MOST && held < HELD; i++, held++) {
		if (!flock(f->folder, LOCK_EX | LOCK_NB))
			return true;
		if (errno != EWOULDBLOCK && errno != EINTR)
			break;
		nanosleep(&moment, NULL);
		if (was_written(f, &last))
			held = 0;
		errno = EWOULDBLOCK;
	}
	return fail(f, "its folder cannot be locked: %s", strerror(errno));
}

static bool write_it(struct calibration_file *f, const struct calibration *c, const char *key)
{
	char other[NAME_MAX + 1];
	int fd, err = 0;
	FILE *out;

	snprintf(other, sizeof(other), ".jprof-%d.new", (int)getpid());
	unlinkat(f->folder, other, 0);
	fd = openat(f->folder, other, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		err = errno;
		if (fd >= 0)
			close(fd);
	} else {
		err = -calibration_write(out, c, key);
		if (!err && fsync(fd))
			err = errno;
		if (fclose(out) && !err)
			err = errno;
	}
	if (!err && renameat(f->folder, other, f->folder, f->name))
		err = errno;
	if (err && fd >= 0)
		unlinkat(f->folder, other, 0);
	return err ? fail(f, "%s", strerror(err)) : true;
}

bool calibration_file_merge(struct calibration_file *f, const struct calibration *learnt,
			    const char *key, uint32_t *changed)
{
	struct calibration all = { 0 };
	bool good;

	*changed = 0;
	if (calibration_init(&all, learnt->metrics))
		return fail(f, "%s", strerror(ENOMEM));
	good = lock(f);
	if (good) {
		good = calibration_file_load(f, &all, key);
		if (good) {
			*changed = calibration_merge(&all, learnt);
			good = write_it(f, &all, key);
		}
		flock(f->folder, LOCK_UN);
	}
	calibration_free(&all);
	return good;
}
