/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command that is watched from its first instruction: forked, as the user who called sudo, held
 * at its exec until whoever watches is ready. Its exit code becomes the tool's own.
 */
#ifndef COMMON_COMMAND_H
#define COMMON_COMMAND_H

#include <sys/types.h>

#define COMMAND_FAILED		125	/* the tool did */
#define COMMAND_CANNOT		126	/* it cannot be executed */
#define COMMAND_NOT_FOUND	127

struct command {
	pid_t pid;
	char **words;
	int gate, report;		/* a byte lets it go; its errno when it cannot */
};

/* One at a time. 0 or -errno. */
int command_start(struct command *c, char **words);
/* Let it go and wait for its end; Ctrl-C is the command's, TERM and HUP are passed on. 0 and the
 * status of waitpid, or an exit code when it never ran, which was told. */
int command_finish(struct command *c, int *status);
/* It never begins. */
void command_drop(struct command *c);
int command_exit_code(int status);

#endif
