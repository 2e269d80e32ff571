/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks of threads that block, and of the owners that they wait for. */
#ifndef LOCK_STACKS_H
#define LOCK_STACKS_H

#include <jvmti.h>

#include "lock_table.h"

/* Writes the stack, innermost method first, without the first `skip`. `thread` NULL: this one. */
void lock_stack_of(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jint skip, char to[LOCK_FRAMES]);
/* Writes the stack of the thread that holds the monitor, "" if none does. The owner keeps running:
 * this is its current stack, not the one at the block. */
void lock_stack_of_owner(jvmtiEnv *vm, JNIEnv *jni, jobject monitor, char to[LOCK_FRAMES]);

#endif
