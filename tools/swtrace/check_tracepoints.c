/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries what collectors do: opens the format of a tracepoint that every kernel has, in tracefs. */
#include "check_tracepoints.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const folders[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/* Returns 0 or -errno. */
static int try_format(const char *folder)
{
	char path[128], byte;
	ssize_t n;
	int fd, err;

	snprintf(path, sizeof(path), "%s/events/sched/sched_switch/format", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, &byte, 1);
	err = n < 0 ? -errno : n ? 0 : -EIO;
	close(fd);
	return err;
}

void check_tracepoints(struct trace_check *c)
{
	const char *folder = folders[0];
	int err = try_format(folder);

	if (err == -ENOENT) {
		int other = try_format(folders[1]);

		if (other != -ENOENT) {
			folder = folders[1];
			err = other;
		}
	}
	*c = (struct trace_check){ .state = TRACE_CHECK_ABSENT };
	if (!err) {
		c->state = TRACE_CHECK_WORKS;
		snprintf(c->why, sizeof(c->why), "this user can read their formats");
	} else if (err == -EACCES || err == -EPERM) {
		c->state = TRACE_CHECK_REFUSED;
		snprintf(c->why, sizeof(c->why), "this user may not read %s", folder);
		snprintf(c->cure, sizeof(c->cure), "run it as root (sudo)");
	} else if (err == -ENOENT && access(folders[0], F_OK) && errno == ENOENT) {
		snprintf(c->why, sizeof(c->why), "this kernel has no %s (CONFIG_TRACING)",
			 folders[0]);
	} else if (err == -ENOENT) {
		snprintf(c->why, sizeof(c->why), "nothing is mounted at %s", folders[0]);
		snprintf(c->cure, sizeof(c->cure), "sudo mount -t tracefs nodev %s", folders[0]);
	} else {
		snprintf(c->why, sizeof(c->why), "%s/events/sched/sched_switch/format: %s", folder,
			 strerror(-err));
	}
}
