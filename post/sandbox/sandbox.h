/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sandbox of a process that reads files from others. Allowed: reading files, writing to open
 * descriptors. Refused: opening a file for writing, creating, renaming or removing one, the
 * network, execve, executable memory, signals to other processes, access to other processes.
 * seccomp filters the system calls; Landlock, where the kernel supports it, filters by object. A
 * process cannot leave the sandbox.
 */
#ifndef POST_SANDBOX_H
#define POST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* The reason why the kernel refused a filter; NULL: the filter is in force. */
struct sandbox {
	const char *calls; /* seccomp */
	const char *files; /* Landlock */
};
struct sandbox sandbox_enter(void);

/* Enters the sandbox of a child that already has every descriptor it needs: it cannot open files.
 * The child keeps the descriptors up to `last`, may allocate at most `memory` more bytes, and dies
 * with its parent. Returns false if the kernel refuses the seccomp filter. */
bool sandbox_child(int last, size_t memory);

/* Implemented in landlock.c. */
const char *sandbox_landlock(void);

#endif
