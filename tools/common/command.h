/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command that is measured from its first instruction: it is forked, becomes the user who called
 * sudo, and waits at its exec until the tool is ready. Its exit code becomes the tool's own.
 */
#ifndef COMMON_COMMAND_H
#define COMMON_COMMAND_H

#include <sys/types.h>

#define COMMAND_FAILED    125 /* the tool failed */
#define COMMAND_CANNOT    126 /* the command cannot be executed */
#define COMMAND_NOT_FOUND 127

struct command {
	pid_t pid;
	char **words;
	int gate, report; /* a byte releases it; carries errno if exec fails */
};

/* Forks the command; only one at a time. Returns 0 or -errno. */
int command_start(struct command *c, char **words);
/* Releases the command and waits until it exits. Ctrl-C is left to the command; TERM and HUP are
 * forwarded. Returns 0 and the status of waitpid, or an exit code after a message if exec
 * failed. */
int command_finish(struct command *c, int *status);
/* Ends the child without executing the command. */
void command_drop(struct command *c);
int command_exit_code(int status);

#endif
