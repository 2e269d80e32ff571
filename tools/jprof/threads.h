/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of threads as trace records; with THREADINFO, or without a trace session, the start and end
 * of each thread are also written to log-jtnm. */
#ifndef JPROF_THREADS_H
#define JPROF_THREADS_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* This part owns `vm`. Returns JNI_ERR after a message. */
jint threads_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running);

#endif
