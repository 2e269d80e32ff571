/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sub-commands of pitrace: which program does the work, and by which of its words. */
#ifndef PITRACE_COMMANDS_H
#define PITRACE_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

/* What a sub-command needs besides the programs; pitrace alone says where it is missing. */
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
	const char *words[3];     /* before the user's own */
	size_t helped;            /* so many of them are given with --help, too */
	const char *output;       /* its -o where the user gives none; or NULL */
	const char *without;      /* the one word where the user gives none; or NULL */
	const char *usage, *what; /* for the list */
	enum front_need need;
	bool paged; /* it prints what is read, by default */
};

/* A row without a name ends them. */
extern const struct front_command front_commands[];

/* The sub-command of this name or alias; NULL: none. */
const struct front_command *front_command_find(const char *name);

/* The one whose name is nearest to what was typed; NULL: none is near. */
const struct front_command *front_command_near(const char *typed);

/* As it is typed: calls of a process that runs are another program's. */
const struct front_command *front_command_for(const struct front_command *c, char **args);

#endif
