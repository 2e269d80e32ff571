/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sub-commands of pitrace: which program each runs, and with which words. */
#ifndef PITRACE_COMMANDS_H
#define PITRACE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/* Requirements of a sub-command besides its program. pitrace without arguments reports those that
 * are missing. */
enum front_need {
	NEEDS_NOTHING,
	NEEDS_JAVA,
};

/* The headings under which pitrace lists its sub-commands. */
enum front_group { GROUP_RECORD, GROUP_REPORT, GROUP_LOOK, GROUPS };

struct front_command {
	const char *name, *alias; /* alias: or NULL */
	enum front_group group;
	const char *program;
	const char *words[3];     /* put before the user's own */
	size_t helped;            /* how many of these are also passed with --help */
	const char *output;       /* -o if the user gives none; or NULL */
	const char *without;      /* the operand if the user gives none; or NULL */
	const char *usage, *what; /* for the list */
	enum front_need need;
	bool paged; /* its default output is long text on stdout */
};

/* A row without a name ends them. */
extern const struct front_command front_commands[];

/* Returns the sub-command of this name or alias, or NULL. */
const struct front_command *front_command_find(const char *name);

/* Returns the sub-command whose name is nearest to the typed one, or NULL if none is near. */
const struct front_command *front_command_near(const char *typed);

/* Returns the row for these arguments: `calls` of a running process uses another program. */
const struct front_command *front_command_for(const struct front_command *c, char **args);

#endif
