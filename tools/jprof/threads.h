/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of threads as records of a trace; with THREADINFO, or where nobody traces, their begin and
 * end also to log-jtnm. */
#ifndef JPROF_THREADS_H
#define JPROF_THREADS_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* `vm` is this part's own. JNI_ERR after a message. */
jint threads_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running);

#endif
