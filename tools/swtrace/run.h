/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run of swtrace run or run.tprof: run.c handles the command and the session, run_end.c waits for
 * the end.
 */
#ifndef RUN_H
#define RUN_H

#include <limits.h>
#include <time.h>
#include "option_store.h"
#include "swtrace.h"

struct trace_run {
	struct tracer_options t;
	struct pitrace_event_args events[PITRACE_EVENTS]; /* t.events points here */
	struct tracer_itrace itrace;                      /* with --itrace, t.itrace points here */
	const char *from, *until;                         /* as they were given */
	const char *event_names;                          /* of -e and -c */
	uint64_t event_count;
	bool timer_only; /* an option was given that only the timer supports */
	bool kernel, kernel_only, accesses, no_follow, no_threads;
	struct caller caller;
	const char *named; /* --events: the programs' named events to record, or NULL */
	bool all, quiet;
	bool open;  /* --open: opens the HTML page at the end */
	bool jit;   /* --jit: the command reports its generated code */
	bool calls; /* --calls: Java VMs and instrumented programs log their calls */
	const char *functions, *not_functions; /* with --calls: patterns of functions */
	const char *arguments;                 /* … whose values separate their calls */
	uint64_t levels, least;                /* maximum depth; minimum ns of a call */
	struct timespec begun;                 /* start of the run, with --calls */
	bool no_crash;                         /* wrap: a crash does not end tracing */
	uint64_t delay, duration; /* ns, 0: none; the duration begins after the delay */
	int terminal;             /* on which Enter ends the run, -1: none */
	bool ask;                 /* Enter also begins the run */
	char **command;
	char words[1024];
	struct tracer *tracer;
	pid_t child;
	int gate;    /* the write end of the pipe on which the child waits */
	int control; /* the socket by which the command may turn tracing off, -1: none */
	char control_path[108];
	int status;     /* of the child, -1 while it runs */
	int exec_error; /* errno if it could not be executed */
	bool paused;    /* no samples yet: the delay is not over */
	bool stopped;
	char trigger[128];    /* what stopped the run, if not the end of the command */
	void (*sigpipe)(int); /* the disposition that swtrace inherited, restored for the command */
};

void run_defaults(struct trace_run *r);
/* Samples by these events. Returns false after a message if this machine does not count one of
 * them. */
bool run_events(struct trace_run *r, const char *names, uint64_t count);
/* Runs from begin to end. Returns 0, or the exit code after a message. */
int run_go(struct trace_run *r);
/* Returns the exit code of the command as a shell would; 0 without a command. */
int run_code(const struct trace_run *r);

/* Finds the path of the program that execvp would execute. Returns 0 or errno. */
int run_look_up(const char *name, char *path, size_t room);

/* Waits for Enter or the delay before a run without a command. Returns false if the run must not
 * begin. */
bool run_hold(const struct trace_run *r, int signals);
/* Returns whether the command has exited; sets r->status then. */
bool run_ended(struct trace_run *r);
/* Waits until the run ends, by the exit of the command or process (pidfd `target`), by time, by a
 * signal or by a full buffer; tracing is off then. Returns 0, or a negative rc after a message. */
int run_wait(struct trace_run *r, int signals, int target);
void run_closing_line(struct trace_run *r);
/* Prints the command that reports the trace, if on a terminal. */
void run_next_step(const struct trace_run *r);
/* Prints which processes of the command continue untraced. */
void left_running(const struct trace_run *r);
/* Stores a uint64_t, instructions per thread; with the row's value NO_LIMIT also "all". */
enum { NO_LIMIT = 1 };
option_store option_instructions;
/* --itrace (run_itrace.c): requests it, checks that its options fit together, chooses what is
 * recorded, and finds the locations in the command's file. Return false after a message. */
void run_itrace(struct trace_run *r);
bool run_itrace_agrees(const struct trace_run *r);
bool run_itrace_majors(struct trace_run *r);
bool run_itrace_places(struct trace_run *r, const char *program);
/* Prints progress on a terminal from time to time; erases the line at the end. */
void run_itrace_show(const struct trace_run *r, bool end);
/* --jit, --calls: sets the environment so that the command reports its generated code, and so that
 * Java VMs and instrumented programs log their calls; prints how. Returns false after a message. */
bool run_jit(struct trace_run *r);
/* Does so for calls of compiled code (run_hookit.c). */
bool run_hookit(const struct trace_run *r, const char *folder);
/* Joins patterns of functions to include and to exclude as JPROFOPTS and HOOKITOPTS need them.
 * Returns a new text that the caller frees, or NULL if none were given. */
char *run_patterns(const char *yes, const char *no);
/* Checks the arguments of --calls as the libraries will parse them. Returns false after a
 * message. */
bool run_calls_right(const char *functions, const char *not_functions, const char *arguments);
/* Finds a file of this project beside this program (..., lib/NAME), else where it was installed. */
bool run_find(const char *name, char path[PATH_MAX]);
/* Appends a word to the environment variable's value, after the separator, unless it has it
 * already. false: no memory. */
bool run_append(const char *variable, char separator, const char *word);
/* --calls: prints a message if no process has logged any calls. */
void run_calls_show(const struct trace_run *r);

#endif
