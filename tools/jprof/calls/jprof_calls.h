/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls of Java methods, in a tree for each thread: CALLFLOW and CALLTREE. */
#ifndef JPROF_CALLS_H
#define JPROF_CALLS_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* `vm` is a separate environment of this part. Returns JNI_ERR after a message. */
jint calls_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running);

/* rtdriver's commands, from any thread. Return NULL or an error message. jni belongs to the calling
 * thread, whose own calls are not counted. path: the log that was written; "": none. */
const char *calls_start(JNIEnv *jni);
const char *calls_stop(char *path, size_t room);
const char *calls_flush(char *path, size_t room);
const char *calls_reset(void);

#endif
