/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rename() moves a link itself, not what it points to, and O_EXCL creates only what is not there:
 * so an output in a folder that others may write to lands in a new file of ours.
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (256 * 1024)

static int set_old_aside(const char *path)
{
	char *old;
	int rc = 0;

	if (asprintf(&old, "%s.old", path) < 0)
		return -ENOMEM;
	if (rename(path, old) < 0)
		rc = -errno;
	free(old);
	return rc;
}

/* The links to what the process has open already, by which shells' users name it; -1: none of
 * them. They are not files that an output could take the place of. */
static int own_descriptor(const char *path)
{
	static const char *const links[] = { "/dev/fd/", "/proc/self/fd/" };
	unsigned long n;
	char *end;
	size_t i;

	if (!strcmp(path, "/dev/stdout"))
		return STDOUT_FILENO;
	if (!strcmp(path, "/dev/stderr"))
		return STDERR_FILENO;
	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (strncmp(path, links[i], strlen(links[i])) != 0)
			continue;
		n = strtoul(path + strlen(links[i]), &end, 10);
		return *end || n > INT_MAX ? -1 : (int)n;
	}
	return -1;
}

int output_open(struct output *o, const char *path, mode_t mode)
{
	struct stat st;
	int fd, rc;

	*o = (struct output){ .path = path };
	if (strcmp(path, "-") == 0) {
		o->file = stdout;
		return 0;
	}
	fd = own_descriptor(path);
	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		goto opened;
	}
	if (lstat(path, &st) == 0) {
		if (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)) {	/* /dev/null, a pipe */
			fd = open(path, O_WRONLY | O_CLOEXEC);
			goto opened;
		}
		if (S_ISDIR(st.st_mode))
			return -EISDIR;
		if (!S_ISREG(st.st_mode) && !S_ISLNK(st.st_mode))
			return -EOPNOTSUPP;
		rc = set_old_aside(path);
		if (rc)
			return rc;
		o->renamed = true;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
opened:
	if (fd < 0)
		return -errno;
	o->file = fdopen(fd, "w");
	if (!o->file) {
		rc = -errno;
		close(fd);
		return rc;
	}
	setvbuf(o->file, NULL, _IOFBF, BUFFER);
	__fsetlocking(o->file, FSETLOCKING_BYCALLER);	/* one thread writes it */
	return 0;
}

int output_close(struct output *o)
{
	int rc = 0;

	if (!o->file)
		return 0;
	errno = 0;
	if (fflush(o->file) != 0 || ferror(o->file))
		rc = errno ? -errno : -EIO;
	if (o->file != stdout && fclose(o->file) != 0 && !rc)
		rc = -errno;
	o->file = NULL;
	return rc;
}
