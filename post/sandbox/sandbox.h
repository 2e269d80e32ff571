/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sandbox of a process that reads files of others. Allowed: reading files, writing to what is
 * open. Refused: opening a file for writing, creating, renaming or removing one, the network,
 * execve, executable memory, signals to others, access to other processes. seccomp filters the
 * calls; Landlock, if the kernel has it, filters by the object. A sandbox cannot be left.
 */
#ifndef POST_SANDBOX_H
#define POST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Why the kernel refused; NULL: in force. */
struct sandbox {
	const char *calls; /* seccomp */
	const char *files; /* Landlock */
};
struct sandbox sandbox_enter(void);

/* Enters the sandbox of a child that has everything open that it needs: no file can be opened at
 * all. The child keeps the descriptors up to `last`, gets at most `memory` bytes more than it has,
 * and dies with its parent. False: the kernel refuses its seccomp filter. */
bool sandbox_child(int last, size_t memory);

/* landlock.c */
const char *sandbox_landlock(void);

#endif
