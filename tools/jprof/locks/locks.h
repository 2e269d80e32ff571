/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JLML: which monitors threads block at, for how long, who held them then and where; and waits. By
 * the VM's own events, which come only where a thread blocks. JLM: each get and hold as well, by
 * hooks in Java code (gets.h).
 */
#ifndef JPROF_LOCKS_H
#define JPROF_LOCKS_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* `vm` is this part's own. JNI_ERR after a message. */
jint locks_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running);

/* In place of that: it may begin by a command. */
void locks_reserve(jvmtiEnv *vm);

/* rtdriver's commands, on a thread of Java. NULL, or why not. path: the log that was written. */
const char *locks_start(JNIEnv *jni, const struct agent_options *o, bool gets);
const char *locks_dump(char *path, size_t room);
const char *locks_stop(JNIEnv *jni, char *path, size_t room);

#endif
