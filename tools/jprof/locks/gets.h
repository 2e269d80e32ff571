/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JLM: each get of a monitor, how long it is held, and where threads park. */
#ifndef GETS_H
#define GETS_H

#include <jvmti.h>

/* Gets are counted while lock_state.counts is set. Returns NULL, or the reason for the failure. */
const char *gets_begin(jvmtiEnv *vm, JNIEnv *jni);
void gets_end(jvmtiEnv *vm, JNIEnv *jni);

#endif
