/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Java VM that rtdriver speaks to: opened once, so that another process that gets its number is
 * never taken for it; looked at in its own root and by its own number, which in a container are
 * others; and acted on with the rights of its user.
 */
#ifndef RTDRIVER_TARGET_H
#define RTDRIVER_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/rights.h"

struct target {
	pid_t pid;        /* here */
	pid_t inner;      /* in its own namespace */
	int process;      /* a pidfd */
	int root, folder; /* its root, and /tmp there; by O_PATH */
	uid_t uid;        /* it acts as; of its files, too */
	struct rights rights;
	bool java;            /* it has mapped libjvm.so */
	char agent[PATH_MAX]; /* the library it has loaded, in its root; "": none */
};

/* False, after a message. */
bool target_open(struct target *t, pid_t pid);
void target_close(struct target *t);

bool target_is_alive(const struct target *t);
/* By a signal or a debugger. */
bool target_is_stopped(const struct target *t);
/* SIGQUIT does not end it. */
bool target_takes_quit(const struct target *t);

/* Connects to a socket in its /tmp, which must be of its user, and the peer the process itself.
 * A descriptor that does not block, or -errno; -EPERM: somebody else's. */
int target_connect(const struct target *t, const char *name);

#endif
