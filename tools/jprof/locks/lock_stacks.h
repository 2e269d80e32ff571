/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where threads are that block, and those that they wait for. */
#ifndef LOCK_STACKS_H
#define LOCK_STACKS_H

#include <jvmti.h>

#include "lock_table.h"

/* The innermost method first, without the first `skip`. thread NULL: this one. */
void lock_stack_of(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jint skip, char to[LOCK_FRAMES]);
/* Of the thread that holds the monitor; "": nobody does. It goes on meanwhile: it is where it is
 * now. */
void lock_stack_of_owner(jvmtiEnv *vm, JNIEnv *jni, jobject monitor, char to[LOCK_FRAMES]);

#endif
