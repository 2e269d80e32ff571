/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps an object to its record in the table. The low half of an object's JVMTI tag is the record's
 * number; the high half of a class object's tag counts its instances that have a record. After
 * MONITORS_EACH of them the other instances of the class share one record.
 */
#ifndef MONITORS_H
#define MONITORS_H

#include <jvmti.h>
#include <pthread.h>

#include "lock_table.h"
#include "lock_thread.h"

#define MONITORS_EACH 1000 /* records per class */

/* `lock` guards the table; the environment must be able to tag objects. */
void monitors_begin(jvmtiEnv *vm, struct lock_table *table, pthread_mutex_t *lock);
/* Returns the object's record, number 0 if there is no room. `kind` is used if it is new. */
struct lock_id monitors_id(JNIEnv *jni, jobject object, enum lock_kind kind);

#endif
