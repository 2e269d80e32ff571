/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rtdriver: sends commands to the agent in a running Java VM. */
#ifndef RTDRIVER_H
#define RTDRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "form.h"
#include "target.h"

#define EXIT_REFUSED  1 /* the agent refused a command */
#define EXIT_RTDRIVER 2 /* rtdriver failed */

struct rtdriver {
	/* options */
	const char **commands; /* -c */
	size_t count, room;
	const char *library, *options;
	const char *address, *token_file;
	uint32_t port; /* 0: a UNIX socket */
	uint64_t limit;
	enum form form;
	/* */
	struct target target;
	char token[33];
};

/* A command as users type it. */
struct rt_command {
	const char *name, *argument, *help;
	const char *send; /* the command for the agent; NULL: rtdriver executes it itself */
	bool slow;        /* no time limit as long as the VM runs */
};
extern const struct rt_command rt_commands[]; /* ends with one without a name */

/* Executes one line: COMMAND [ARGUMENT] [SECONDS to wait after it]. Returns 0 or an exit code;
 * *quit: no further line must be read. */
int rt_line(struct rtdriver *r, const char *line, bool *quit);
/* Checks a line. Returns 0, or an exit code after a message. */
int rt_check(const char *line);
void rt_help(void);

/* Returns whether a request can carry this argument. */
bool rt_fits(const struct rt_command *c, const char *argument);
/* Sends a command, whose argument fits, and prints the answer. Returns 0, or an exit code after a
 * message. */
int rt_ask(struct rtdriver *r, const struct rt_command *c, const char *argument);

#endif
