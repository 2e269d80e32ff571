/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run, as swtrace run and run.tprof make it: run.c has the command and the session, run_end.c
 * what the run waits for.
 */
#ifndef RUN_H
#define RUN_H

#include <limits.h>
#include <time.h>
#include "option_store.h"
#include "swtrace.h"

struct trace_run {
	struct tracer_options t;
	struct pitrace_event_args events[PITRACE_EVENTS]; /* t's */
	struct tracer_itrace itrace; /* t's, with --itrace: t.itrace points here */
	const char *from, *until;    /* as they were given */
	const char *event_names;     /* of -e and -c */
	uint64_t event_count;
	bool timer_only; /* an option was given that only the timer supports */
	bool kernel, kernel_only, accesses, no_follow, no_threads;
	struct caller caller;
	const char *named; /* --events: which of the programs' named events, or NULL */
	bool all, quiet;
	bool open;  /* --open: a page of it is shown at the end */
	bool jit;   /* --jit: the command reports the code that it makes */
	bool calls; /* --calls: what is compiled or runs for it writes its calls */
	const char *functions, *not_functions; /* with --calls: patterns of which */
	const char *arguments;                 /* … by which their calls are apart */
	uint64_t levels, least;                /* how deep; ns that a call takes at least */
	struct timespec begun;                 /* with --calls */
	bool no_crash;                         /* wrap: a crash does not end tracing */
	uint64_t delay, duration; /* ns, 0 none; the second begins when the first is over */
	int terminal;             /* where Enter ends the run, -1 none */
	bool ask;                 /* it also begins by Enter */
	char **command;
	char words[1024];
	struct tracer *tracer;
	pid_t child;
	int gate;    /* closed: the child continues */
	int control; /* the socket on which the command may say "off", -1 none */
	char control_path[108];
	int status;     /* of the child, -1 while it lives */
	int exec_error; /* errno, when it could not be executed */
	bool paused;    /* the delay is not over: no samples yet */
	bool stopped;
	char trigger[128];    /* what stopped it, if not the end of the command */
	void (*sigpipe)(int); /* what swtrace was started with: the command's */
};

void run_defaults(struct trace_run *r);
/* Sample by these events. False after a message: this machine does not count one of them. */
bool run_events(struct trace_run *r, const char *names, uint64_t count);
/* Run from begin to end. 0, or the exit code after a message. */
int run_go(struct trace_run *r);
/* The exit code of the command, as a shell has it; 0 if there was none. */
int run_code(const struct trace_run *r);

/* The path of the program that execvp would execute: 0, or errno. */
int run_look_up(const char *name, char *path, size_t room);

/* Wait for Enter or the delay before a run without a command. False: it must not begin. */
bool run_hold(const struct trace_run *r, int signals);
/* Did the command end? Then r->status is set. */
bool run_ended(struct trace_run *r);
/* Wait for the end of the run: of the command, of the process (pidfd `target`), by time, a signal,
 * a full buffer; tracing is off then. 0, or a negative rc after a message. */
int run_wait(struct trace_run *r, int signals, int target);
void run_closing_line(struct trace_run *r);
/* On a terminal: the command that reports the trace. */
void run_next_step(const struct trace_run *r);
/* Says which processes of the command go on untraced. */
void left_running(const struct trace_run *r);
/* A uint64_t, instructions of a thread; with the row's value NO_LIMIT also "all". */
enum { NO_LIMIT = 1 };
option_store option_instructions;
/* --itrace (run_itrace.c): it is wanted; do its options fit together; what is recorded; where the
 * places are, of a command that is this file. False after a message. */
void run_itrace(struct trace_run *r);
bool run_itrace_agrees(const struct trace_run *r);
bool run_itrace_majors(struct trace_run *r);
bool run_itrace_places(struct trace_run *r, const char *program);
/* Print progress on a terminal, at times; at the end the line is removed. */
void run_itrace_show(const struct trace_run *r, bool end);
/* --jit, --calls: set the environment so that the command reports the code that it makes, and what
 * is compiled for it, and Java VMs, their calls; a message says how. False after a message. */
bool run_jit(struct trace_run *r);
/* The calls of compiled code among them (run_hookit.c). */
bool run_hookit(const struct trace_run *r, const char *folder);
/* What JPROFOPTS and HOOKITOPTS have of patterns of functions, and of those that are not wanted: a
 * new text; NULL: none were given. */
char *run_patterns(const char *yes, const char *no);
/* Reads what --calls is given as the libraries will read it. False after a message. */
bool run_calls_right(const char *functions, const char *not_functions, const char *arguments);
/* Looks for a file of ours beside this program (..., lib/NAME), else where it was installed. */
bool run_find(const char *name, char path[PATH_MAX]);
/* Appends a word to what the variable holds already, the separator between. */
bool run_append(const char *variable, char separator, const char *word);
/* --calls: a message if nothing has written any. */
void run_calls_show(const struct trace_run *r);

#endif
