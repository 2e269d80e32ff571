/* SPDX-License-Identifier: GPL-3.0-or-later */
/* swtrace: what its sub-commands share. Each sub-command is one function. */
#ifndef SWTRACE_H
#define SWTRACE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <perfutil.h>
#include <tracer.h>
#include "caller.h"
#include "option_table.h"

#define EXIT_SWTRACE   125 /* swtrace failed; codes not listed here are the command's own */
#define EXIT_CANNOT    126 /* the command cannot be executed */
#define EXIT_NOT_FOUND 127

#define USAGE -1 /* a sub-command was misused: main prints its usage */

/* argv[0] is the sub-command's name. Each returns the exit code, or USAGE. */
int cmd_init(int argc, char **argv);
int cmd_on(int argc, char **argv);
int cmd_off(int argc, char **argv);
int cmd_suspend(int argc, char **argv);
int cmd_resume(int argc, char **argv);
int cmd_discard(int argc, char **argv);
int cmd_get(int argc, char **argv);
int cmd_free(int argc, char **argv);
int cmd_enable(int argc, char **argv);
int cmd_disable(int argc, char **argv);
int cmd_maj(int argc, char **argv);
int cmd_setrate(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_mark(int argc, char **argv);
int cmd_event(int argc, char **argv);
int cmd_ai(int argc, char **argv);
int cmd_ptt_int(int argc, char **argv);
int cmd_it_install(int argc, char **argv);
int cmd_it_remove(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_calls(int argc, char **argv);
int cmd_top(int argc, char **argv);
extern const struct option_table cmd_init_table, cmd_event_table, cmd_ai_table, cmd_run_table;
extern const struct option_table cmd_calls_table, cmd_top_table, cmd_it_install_table,
	cmd_check_table, cmd_mark_table;

/* Stores the sub-command's options. Returns false if the sub-command must return *code at once. */
bool take_options(const struct option_table *t, void *base, int argc, char **argv,
		  struct option_rest *rest, int *code);
/* Returns whether this is the name by which -e and `event` call the timer. */
bool is_timer(const char *event);
/* Returns the names of all majors, separated by commas. */
const char *majors_names(void);

/* Prints the program's name and a message to stderr; returns EXIT_SWTRACE. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Does the same with the message of the last library call that failed. */
int fail_rc(int rc);
/* Adds majors (comma-separated names and numbers) to the set. Returns false after a message. */
bool majors_of(const char *list, uint64_t set[PITRACE_MAJORS / 64]);
/* Prints losses as "names 3, samples 7" and returns their sum; prints nothing if it is 0. */
uint64_t print_lost(FILE *out, const struct trace_info *info);
/* Prints `before`, then which programs of other users could not record, and why, if any. */
void print_refused(FILE *out, const char *before, const struct trace_info *info);
const char *mode_name(int mode);
/* Writes why a session stopped itself: "the trace buffer of CPU 0 filled". */
void stop_reason(const struct trace_info *i, char *out, size_t room);

#endif
