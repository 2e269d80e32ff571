/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a process that reads others' files may still do: read files, and write to what it has open.
 * Not: open a file for writing, make, rename or remove one, the network, execute anything, map
 * memory as code, send signals to others, look into other processes. seccomp stops the calls;
 * Landlock, where the kernel has it, stops by what a call is about to touch. Nothing leads out.
 */
#ifndef POST_SANDBOX_H
#define POST_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>

/* Why the kernel refuses; NULL: it is in force. */
struct sandbox {
	const char *calls; /* seccomp */
	const char *files; /* Landlock */
};
struct sandbox sandbox_enter(void);

/* In a child that has what it needs: no file can be opened at all. It keeps the descriptors up to
 * `last`, no more than `memory` bytes beyond what it has, and dies with its parent. False: the
 * kernel refuses its seccomp filter. */
bool sandbox_child(int last, size_t memory);

/* landlock.c */
const char *sandbox_landlock(void);

#endif
