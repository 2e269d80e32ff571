/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is long goes through a pager, where somebody reads it at a terminal. */
#ifndef PITRACE_PAGER_H
#define PITRACE_PAGER_H

/* The pager's command line: PITRACE_PAGER, PAGER, or less. NULL: stdout is no terminal, or there is
 * no such program, or it is cat. */
const char *pager_command(void);

/* Runs the program with its output, and its messages if they go to a terminal, to the pager; waits
 * for both. Returns the program's exit code, 128 and the signal that ended it, or -errno: nothing
 * was run. */
int pager_run(const char *pager, const char *path, char **argv);

#endif
