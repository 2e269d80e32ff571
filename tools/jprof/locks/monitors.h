/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which record of the table is an object's. An object's tag in the environment has its number
 * below, and of a class's object above how many of its objects have one: after the first of them
 * all others of a class share one.
 */
#ifndef MONITORS_H
#define MONITORS_H

#include <jvmti.h>
#include <pthread.h>

#include "lock_table.h"
#include "lock_thread.h"

#define MONITORS_EACH 1000 /* of a class */

/* `lock` is the table's; the environment must tag objects. */
void monitors_begin(jvmtiEnv *vm, struct lock_table *table, pthread_mutex_t *lock);
/* Number 0: there is no room for it. The kind is that of an object that is new. */
struct lock_id monitors_id(JNIEnv *jni, jobject object, enum lock_kind kind);

#endif
