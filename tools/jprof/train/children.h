/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that jprof-train starts and waits for. A signal that asks it to end ends the program
 * that runs, and is remembered: what was learnt by then is kept.
 */
#ifndef CHILDREN_H
#define CHILDREN_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/* The signal; 0: none came. */
extern volatile sig_atomic_t run_interrupted;
void run_catch(void);

/* Its standard output and error go to these files (NULL: as they are; the same name: both to it).
 * *status as of waitpid; false, after a message: it cannot be started. */
bool run_program(char *const words[], const char *out, const char *err, int *status, pid_t *pid);
/* How it ended, and the last of its words, which are in this file. */
void run_complain(const char *program, int status, const char *words);

#endif
