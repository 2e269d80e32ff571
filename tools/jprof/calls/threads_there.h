/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of the threads that started before the agent could receive their events. */
#ifndef THREADS_THERE_H
#define THREADS_THERE_H

#include <jvmti.h>

/* Call once, after the VM has enabled events of starting threads. */
void threads_there(jvmtiEnv *vm, JNIEnv *jni);

/* Returns the current thread's name, from malloc; NULL: not in the list. Does not call the VM, for
 * which the thread may be running Java code. */
char *threads_there_name(void);
/* The current thread ends: its tid may be reused. */
void threads_there_ends(void);

#endif
