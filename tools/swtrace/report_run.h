/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The common part of run.tprof, run.itrace and run.jprof: a run and post's report of it. */
#ifndef SWTRACE_REPORT_RUN_H
#define SWTRACE_REPORT_RUN_H

#include "option_store.h"
#include "run.h"

enum run_what { TRACE_AND_POST, TRACE_ONLY, POST_ONLY };

struct report_run {
	const struct report_program *program;
	struct trace_run run;
	enum run_what what;
	/* run.tprof */
	bool by_time, by_event; /* -m */
	bool delayed;           /* -s was given, possibly 0 */
	bool html;              /* also make the HTML page */
	const char *events, *count;
	/* run.itrace */
	uint32_t lowest; /* pid, 0: not given */
};

struct report_program {
	const char *name;
	const char *post_option; /* the report, NULL: post's default */
	const struct option_table *options;
	void (*begin)(struct report_run *p); /* called before the options are parsed; or NULL */
	bool (*check)(struct report_run *p); /* called after that; false after a message */
};

enum { PART = 1 }; /* group of -a, -t and -p, which exclude one another */
extern const struct option_row report_run_rows[];

/* Without a command and a time, traces until Enter. Returns false after a message if there is no
 * terminal. */
bool report_run_until_enter(struct report_run *p);

/* The whole main function of such a program. */
int report_run_main(const struct report_program *program, int argc, char **argv);

#endif
