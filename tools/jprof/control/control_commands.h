/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs rtdriver's commands in the VM. */
#ifndef JPROF_CONTROL_COMMANDS_H
#define JPROF_CONTROL_COMMANDS_H

#include <jni.h>
#include <stdbool.h>

#include "agent_options.h"
#include "rt_protocol.h"

/* A command that runs: `words` is the answer. */
struct control_call {
	JavaVM *java;
	JNIEnv *jni; /* set for commands that run Java code */
	const struct agent_options *o;
	const char *argument;
	char words[RT_LINE];
	bool last; /* stop listening after this command */
};

/* Returns NULL, or the reason for the failure. */
const char *control_do(struct control_call *c, const char *command);

/* Writes the VM's heap (HPROF) to c->argument; if that is "", to a new file in the log folder. */
const char *heap_dump(struct control_call *c);

#endif
