/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Java VM that rtdriver talks to. It is opened once, so that a process that reuses the pid is
 * never mistaken for it. Paths are relative to its own root, and its pid is that of its own
 * namespace, as both differ in a container. Files are accessed with the rights of its user.
 */
#ifndef RTDRIVER_TARGET_H
#define RTDRIVER_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/rights.h"

struct target {
	pid_t pid;        /* in our namespace */
	pid_t inner;      /* in its own namespace */
	int process;      /* a pidfd */
	int root, folder; /* its root, and /tmp there; opened with O_PATH */
	uid_t uid;        /* the effective one, which also owns its files */
	struct rights rights;
	bool java;            /* the process has mapped libjvm.so */
	char agent[PATH_MAX]; /* path of the loaded agent, below its root; "": none */
};

/* Returns false after a message. */
bool target_open(struct target *t, pid_t pid);
void target_close(struct target *t);

bool target_is_alive(const struct target *t);
/* Waits up to `ms` for the process's end: its sockets are closed shortly before. Returns whether it
 * has ended. */
bool target_ends(const struct target *t, int ms);
#define TARGET_ENDS 300 /* ms to wait after it has hung up */
/* Returns whether a signal or a debugger has stopped the process. */
bool target_is_stopped(const struct target *t);
/* Returns whether the process handles SIGQUIT, so that the signal does not kill it. */
bool target_takes_quit(const struct target *t);

/* Returns whether its user may create files in its working folder: 0, or -errno. */
int target_writes(const struct target *t);

/* Connects to a socket in its /tmp, which its user must own; the peer must be the process itself.
 * Returns a non-blocking descriptor or -errno; -EPERM if the socket is not the process's. */
int target_connect(const struct target *t, const char *name);

#endif
