/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pipes long output through a pager if stdout is a terminal. */
#ifndef PITRACE_PAGER_H
#define PITRACE_PAGER_H

/* Returns the pager's command line: PITRACE_PAGER, PAGER, or less. Returns NULL if stdout is not a
 * terminal, or if the pager does not exist or is cat. */
const char *pager_command(void);

/* Runs the program with its stdout connected to the pager, and its stderr if that is a terminal,
 * and waits for both. Returns the program's exit code, 128 plus the signal that ended it, or -errno
 * if nothing was run. */
int pager_run(const char *pager, const char *path, char **argv);

#endif
