/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java_text.h"
#include "lock_stacks.h"

#include <stdio.h>
#include <string.h>

#define DEEP 12 /* frames that are kept of a stack */

static size_t add_frame(jvmtiEnv *vm, JNIEnv *jni, jmethodID method, char *to, size_t at)
{
	char *name = NULL, *class = NULL;
	jclass declarer = NULL;
	size_t n;
	int wrote;

	if (!(*vm)->GetMethodName(vm, method, &name, NULL, NULL) &&
	    !(*vm)->GetMethodDeclaringClass(vm, method, &declarer) &&
	    !(*vm)->GetClassSignature(vm, declarer, &class, NULL)) {
		java_text(name);
		java_text(class);
		n = strlen(class);
		wrote = snprintf(to + at, LOCK_FRAMES - at, "%s%.*s.%s", at ? " < " : "",
				 n > 2 ? (int)n - 2 : 0, class + 1, name);
		at = wrote < 0 || at + (size_t)wrote >= LOCK_FRAMES ? LOCK_FRAMES - 1 :
								      at + (size_t)wrote;
	}
	(*vm)->Deallocate(vm, (unsigned char *)name);
	(*vm)->Deallocate(vm, (unsigned char *)class);
	if (declarer)
		(*jni)->DeleteLocalRef(jni, declarer);
	return at;
}

void lock_stack_of(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jint skip, char to[LOCK_FRAMES])
{
	jvmtiFrameInfo frames[DEEP];
	size_t at = 0;
	jint n = 0;

	*to = 0;
	if ((*vm)->GetStackTrace(vm, thread, skip, DEEP, frames, &n))
		n = 0;
	for (jint i = 0; i < n && at < LOCK_FRAMES - 1; i++)
		at = add_frame(vm, jni, frames[i].method, to, at);
}

static void release(jvmtiEnv *vm, JNIEnv *jni, jthread *threads, jint n)
{
	for (jint i = 0; i < n; i++)
		(*jni)->DeleteLocalRef(jni, threads[i]);
	(*vm)->Deallocate(vm, (unsigned char *)threads);
}

void lock_stack_of_owner(jvmtiEnv *vm, JNIEnv *jni, jobject monitor, char to[LOCK_FRAMES])
{
	jvmtiMonitorUsage usage = { 0 };

	*to = 0;
	if ((*vm)->GetObjectMonitorUsage(vm, monitor, &usage))
		return;
	if (usage.owner)
		lock_stack_of(vm, jni, usage.owner, 0, to);
	release(vm, jni, usage.waiters, usage.waiter_count);
	release(vm, jni, usage.notify_waiters, usage.notify_waiter_count);
	if (usage.owner)
		(*jni)->DeleteLocalRef(jni, usage.owner);
}
