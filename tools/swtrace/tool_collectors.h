/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The collectors as these programs know them: each is a row of the table in tool_collectors.c. */
#ifndef SWTRACE_TOOL_COLLECTORS_H
#define SWTRACE_TOOL_COLLECTORS_H

#include <stdbool.h>

struct tool_collector {
	const char *name;
	unsigned int use;        /* bits: COLLECTS_* */
	bool driver;             /* it is the pitrace module */
	const char *itrace_note; /* printed when it traces instructions; NULL: nothing */
};

enum {
	COLLECTS_SAMPLES = 1, /* in a run */
	COLLECTS_INSTRUCTIONS = 2,
	COLLECTS_SESSION = 4, /* of swtrace init, which outlives that program */
};

/* NULL: these programs know nothing of it. */
const struct tool_collector *tool_collector(const char *name);
/* Names that -B takes, with blanks between them: of a run, of samples, of instruction traces, of
 * init. */
const char *collectors_all(void);
const char *collectors_of_samples(void);
const char *collectors_of_instructions(void);
const char *collectors_of_sessions(void);

#endif
