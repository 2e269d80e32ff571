/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of /proc, line by line. */
#ifndef PITRACE_PROC_LINES_H
#define PITRACE_PROC_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Until one says that no more is wanted (false). 0, or -errno: the file cannot be opened. */
typedef bool (*proc_line)(void *arg, const char *text, size_t length);
int proc_lines(const char *path, proc_line line, void *arg);

/* The CPUs that are on line, by rising numbers: how many, at most `room`; or -errno. */
int proc_online(unsigned int *cpus, uint32_t room);

#endif
