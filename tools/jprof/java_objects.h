/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OBJECTINFO: the number and bytes of the objects that each method allocated, and how many of them
 * are alive at the end. The VM reports each allocation (JVMTI's heap sampling with an interval of
 * 0) on the allocating thread; allocations that the compiler eliminated are not reported. Each
 * object is tagged with its allocation site, so that its removal can be counted.
 */
#ifndef JPROF_OBJECTS_H
#define JPROF_OBJECTS_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* This part owns `vm`. Returns JNI_ERR after a message. */
jint objects_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running);

#endif
