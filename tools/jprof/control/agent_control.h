/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent's side of rtdriver: a thread that listens on a UNIX socket for the VM's user and root,
 * and optionally on 127.0.0.1 for clients that have the token. rt_protocol.h defines the protocol.
 */
#ifndef JPROF_CONTROL_H
#define JPROF_CONTROL_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* This part owns `vm`. Returns JNI_ERR after a message. */
jint control_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running);
/* Starts listening; returns JNI_OK also if it already listens. `o` must stay valid. */
jint control_listen(JavaVM *java, const struct agent_options *o);
/* Stops listening. */
void control_end(void);

#endif
