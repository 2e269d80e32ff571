/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies a pipe to a file in TMPDIR (default /var/tmp, since it may be large). */
#include "input/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptor.h"
#include "record/input.h"
#include "sandbox/opener.h"

bool is_pipe(const char *path)
{
	int fd = own_descriptor(path);
	struct stat st;

	if (!strcmp(path, "-"))
		return true;
	return fd >= 0 && !fstat(fd, &st) &&
	       (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

static int copy(int from, int to)
{
	static char buffer[1 << 18];
	ssize_t n, put;

	while ((n = read(from, buffer, sizeof(buffer))) != 0) {
		if (n < 0 && errno != EINTR)
			return -errno;
		for (ssize_t at = 0; at < n; at += put) {
			put = write(to, buffer + at, (size_t)(n - at));
			if (put < 0)
				return -errno;
		}
	}
	return 0;
}

int spool_open(const char *path, struct pifile_fault *fault)
{
	const char *folder = getenv("TMPDIR");
	int fd = strcmp(path, "-") ? own_descriptor(path) : STDIN_FILENO;
	int from = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int to = from < 0 ? -errno : opener_spool();
	int rc = to < 0 ? to : copy(from, to);

	fault->offset = NO_OFFSET;
	if (rc)
		snprintf(fault->what, sizeof(fault->what),
			 "a copy of it in %s: %s (TMPDIR chooses another folder)",
			 folder && *folder ? folder : "/var/tmp", strerror(-rc));
	if (from >= 0)
		close(from);
	if (rc && to >= 0)
		close(to);
	return rc ? rc : to;
}
