/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rtdriver's commands do in the VM. */
#ifndef JPROF_CONTROL_COMMANDS_H
#define JPROF_CONTROL_COMMANDS_H

#include <jni.h>
#include <stdbool.h>

#include "agent_options.h"
#include "rt_protocol.h"

/* A command that is being done: `words` become the answer. */
struct control_call {
	JavaVM *java;
	JNIEnv *jni; /* of commands that need it */
	const struct agent_options *o;
	const char *argument;
	char words[RT_LINE];
	bool last; /* listening ends after it */
};

/* NULL, or why not. */
const char *control_do(struct control_call *c, const char *command);

/* Has the VM write its heap (HPROF) to c->argument; "": to a new file among the logs. */
const char *heap_dump(struct control_call *c);

#endif
