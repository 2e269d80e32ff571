/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "log_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/newfile.h"
#include "escape.h"

#define KEPT_FD 500 /* programs expect their own files at the lowest numbers */

/* ---- the file that stays open ---------------------------------------------------------------- */

static void remember(struct log_file *l, int fd)
{
	struct stat st = { 0 };

	fstat(fd, &st);
	l->dev = st.st_dev;
	l->ino = st.st_ino;
}

static bool is_log(const struct log_file *l, int fd, struct stat *st)
{
	return l->ino && !fstat(fd, st) && st->st_dev == l->dev && st->st_ino == l->ino;
}

static void keep(struct log_file *l, int fd)
{
	remember(l, fd);
	l->fd = l->keeps ? fcntl(fd, F_DUPFD_CLOEXEC, KEPT_FD) : -1;
	l->kept = l->fd >= 0;
}

/* The program may have closed it, and opened another one with this number. */
static bool is_kept(const struct log_file *l, struct stat *st)
{
	return l->kept && is_log(l, l->fd, st);
}

static void drop(struct log_file *l)
{
	struct stat st;

	if (is_kept(l, &st))
		close(l->fd);
	l->kept = false;
}

/* Returns a descriptor to write the file anew; -1: there is none, or the file has been removed. Its
 * text remains if nothing can be written. */
static int open_kept(const struct log_file *l)
{
	struct stat st;
	int fd = is_kept(l, &st) && st.st_nlink ? fcntl(l->fd, F_DUPFD_CLOEXEC, 0) : -1;

	if (fd >= 0 && ((l->whole && ftruncate(fd, 0)) || lseek(fd, 0, SEEK_SET))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Removes what is left of the earlier text. Returns 0 or -errno. */
static int cut(FILE *out)
{
	off_t end = ftello(out);

	return end < 0 || ftruncate(fileno(out), end) ? -errno : 0;
}

/* ---- the log --------------------------------------------------------------------------------- */

/* Replaces the file by a new one. Returns its descriptor or -errno. */
static int open_new(const struct log_file *l)
{
	struct newfile f;
	int err = newfile_open(&f, l->path, NEWFILE_REPLACE, 0666), fd;

	if (err)
		return err;
	fd = f.fd;
	newfile_keep(&f);
	return fd;
}

FILE *log_file_open(struct log_file *l)
{
	int fd = open_kept(l);
	FILE *out;

	if (fd < 0) {
		drop(l);
		fd = open_new(l);
	}
	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	remember(l, fd);
	out = fdopen(fd, "w");
	if (!out)
		close(fd);
	return out;
}

static const char *why_not(int err)
{
	return err == -ELOOP ? "it is a link, which is not followed" : strerror(-err);
}

void log_file_path(char path[LOG_FILE_PATH], const char *folder, const char *prefix,
		   const char *kind, uint32_t number)
{
	const char *name = kind;

	/* Only the name of log-rt is just the prefix. */
	if (*prefix)
		name = strcmp(kind, "log-rt") != 0 ? kind + strlen("log") : "";
	snprintf(path, LOG_FILE_PATH, "%s%s%s%s.%u_%d", folder, *folder ? "/" : "", prefix, name,
		 number ? number : 1, (int)getpid());
}

bool log_file_make(struct log_file *l, const char *folder, const char *prefix, const char *runs)
{
	FILE *out;
	int err = 0;

	log_file_path(l->path, folder, prefix, l->kind, l->number);
	drop(l);
	l->whole = false;
	out = log_file_open(l);
	if (!out ||
	    fprintf(out,
		    "pitrace %s\n"
		    "not whole: the %s runs, or it was killed and all it had counted is lost\n",
		    l->kind, runs) < 0)
		err = -errno;
	if (out && !err && fflush(out))
		err = -errno;
	if (out && !err)
		keep(l, fileno(out));
	if (out && fclose(out) && !err)
		err = -errno;
	if (err)
		escape_printf(stderr, "%s: %s: %s: the log cannot be created\n", l->program,
			      l->path, why_not(err));
	return !err;
}

void log_file_close(struct log_file *l, FILE *out, int err)
{
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	if (!err)
		err = cut(out);
	if (out && fclose(out) && !err)
		err = -errno;
	l->whole = !err;
	if (err)
		escape_printf(stderr, "%s: %s: %s: the log is incomplete\n", l->program, l->path,
			      why_not(err));
}

void log_file_lost(const struct log_file *l, const char *why)
{
	const char *text[] = { "pitrace ", l->kind, "\nnot whole: ", why, "\n" };
	struct iovec part[sizeof(text) / sizeof(text[0])];
	int fd = open_kept(l);
	struct stat st;

	if (fd < 0)
		fd = open(l->path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	/* The name may be another file's by now. */
	if (!is_log(l, fd, &st) || ftruncate(fd, 0)) {
		close(fd);
		return;
	}
	for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++)
		part[i] = (struct iovec){ (void *)(uintptr_t)text[i], strlen(text[i]) };
	/* Another error can be reported to nobody. */
	(void)!writev(fd, part, sizeof(text) / sizeof(text[0]));
	close(fd);
}
