/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command that is measured from its first instruction: it is forked, becomes the user who called
 * sudo, and waits at its exec until the tool is ready. Its exit code becomes the tool's own.
 */
#ifndef COMMON_COMMAND_H
#define COMMON_COMMAND_H

#include <sys/types.h>

#define COMMAND_FAILED    125 /* the tool failed */
#define COMMAND_CANNOT    126 /* it cannot be executed */
#define COMMAND_NOT_FOUND 127

struct command {
	pid_t pid;
	char **words;
	int gate, report; /* a byte releases it; carries errno if exec fails */
};

/* Only one at a time. 0 or -errno. */
int command_start(struct command *c, char **words);
/* Release it and wait for its end; Ctrl-C is left to the command, TERM and HUP are passed on. 0 and
 * the status of waitpid, or an exit code after a message if it never ran. */
int command_finish(struct command *c, int *status);
/* End it before it begins. */
void command_drop(struct command *c);
int command_exit_code(int status);

#endif
