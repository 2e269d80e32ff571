/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rtdriver's side in the agent: a thread that listens on a UNIX socket for the VM's user and root,
 * and by option on 127.0.0.1 for who has the token. rt_protocol.h has the words.
 */
#ifndef JPROF_CONTROL_H
#define JPROF_CONTROL_H

#include <jvmti.h>

#include <jitlog.h>

#include "agent_options.h"

/* `vm` is this part's own. JNI_ERR after a message. */
jint control_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running);
/* At once; JNI_OK also if it listens already. o stays. */
jint control_listen(JavaVM *java, const struct agent_options *o);
/* Ends listening. */
void control_end(void);

#endif
