/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads files of /proc line by line. */
#ifndef PITRACE_PROC_LINES_H
#define PITRACE_PROC_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Calls back for each line until the callback returns false. 0, or -errno if the file cannot be
 * opened or a line does not fit in memory. */
typedef bool (*proc_line)(void *arg, const char *text, size_t length);
int proc_lines(const char *path, proc_line line, void *arg);

/* Call after getline() returned no line: -ENOMEM if it ran out of memory. 0: the end of the file,
 * or a read error (the process has ended). */
int getline_error(FILE *f);

/* Lists the online CPUs in ascending order. Returns their number, at most `room`, or -errno. */
int proc_online(unsigned int *cpus, uint32_t room);

#endif
