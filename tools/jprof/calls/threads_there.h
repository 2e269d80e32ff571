/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the threads that have begun before the agent could see them begin. */
#ifndef THREADS_THERE_H
#define THREADS_THERE_H

#include <jvmti.h>

/* Once, when the VM tells already of threads that begin. */
void threads_there(jvmtiEnv *vm, JNIEnv *jni);

/* Of the thread that calls it, from malloc; NULL: it was not there. The VM is not asked: the thread
 * may run Java code, as far as that knows. */
char *threads_there_name(void);
/* The thread that calls it ends: another one may get its number. */
void threads_there_ends(void);

#endif
