/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JLML: the monitors that threads block at, the time, the holder's stack, and waits, by the VM's
 * events, which are only sent when a thread blocks. JLM: also each get and hold, by hooks in Java
 * code (gets.h).
 */
#ifndef JPROF_LOCKS_H
#define JPROF_LOCKS_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* This part owns `vm`. Returns JNI_ERR after a message. */
jint locks_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running);

/* Use this instead of locks_begin() if only a command may start the recording. */
void locks_reserve(jvmtiEnv *vm);

/* rtdriver's commands, on a Java thread. They return NULL, or the reason for the failure, and set
 * `path` to the log that was written. */
const char *locks_start(JNIEnv *jni, const struct agent_options *o, bool gets);
const char *locks_dump(char *path, size_t room);
const char *locks_stop(JNIEnv *jni, char *path, size_t room);

#endif
