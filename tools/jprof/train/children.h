/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs the child programs of jprof-train. A terminating signal ends the running child and is
 * recorded: the results so far are kept.
 */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* The signal received, 0 if none. */
extern volatile sig_atomic_t run_interrupted;
void run_catch(void);

/* Runs the program with its standard output and error in these files (NULL: inherited; the same
 * name: both in one). Sets *status as waitpid() does; returns false after a message if it cannot be
 * started. */
bool run_program(char *const words[], const char *out, const char *err, int *status, pid_t *pid);
/* Prints how the program ended and the end of its output, which is in the file `words`. */
void run_complain(const char *program, int status, const char *words);

#endif
