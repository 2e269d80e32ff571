/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OBJECTINFO: which method allocated how many objects, of how many bytes, and how many of them are
 * alive at the end. The VM tells of each allocation (JVMTI's sampling of the heap, with an interval
 * of 0) on the thread that makes it; what compiled code does without is not allocated. Objects are
 * tagged with where they come from, so that their end can be counted.
 */
#ifndef JPROF_OBJECTS_H
#define JPROF_OBJECTS_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* `vm` is this part's own. JNI_ERR after a message. */
jint objects_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running);

#endif
