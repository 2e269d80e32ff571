/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JLM: Java code that takes and leaves monitors, or parks, calls hooks, the natives of class
 * pitrace/Lock. This gives them to classes and takes them away; what they call is the caller's.
 */
#ifndef LOCK_HOOKS_H
#define LOCK_HOOKS_H

#include <jvmti.h>
#include <stdio.h>

#define LOCK_HOOK_CLASS "pitrace/Lock"

/* On the thread that does it. object is not NULL. */
struct lock_hook_calls {
	void (*enter)(JNIEnv *jni, jobject object); /* about to enter, or (a method) it has */
	void (*entered)(void);
	void (*leave)(JNIEnv *jni, jobject object);
	void (*park)(JNIEnv *jni, jobject blocker);
	void (*parked)(void);
};

/* What the environment needs for them; adds capabilities and the callback. */
jvmtiError lock_hooks_prepare(jvmtiEnv *vm, jvmtiEventCallbacks *callbacks);
/* All classes get them, those too that are loaded from now on. NULL or why not. */
const char *lock_hooks_on(jvmtiEnv *vm, JNIEnv *jni, const struct lock_hook_calls *calls);
void lock_hooks_off(jvmtiEnv *vm, JNIEnv *jni);
/* Which methods have none, and why. */
void lock_hooks_write(FILE *out);

#endif
