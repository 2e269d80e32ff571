/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JLM: Java code that enters or exits monitors, or parks, calls hooks: the native methods of class
 * pitrace/Lock. This file adds the hooks to classes and removes them; the caller supplies the
 * functions that they call.
 */
#ifndef LOCK_HOOKS_H
#define LOCK_HOOKS_H

#include <jvmti.h>
#include <stdio.h>

#define LOCK_HOOK_CLASS "pitrace/Lock"

/* Called on the thread that enters, exits or parks. `object` is not NULL; `blocker` is NULL
 * if park has no such argument. */
struct lock_hook_calls {
	void (*enter)(JNIEnv *jni, jobject object); /* before a block enters; in a method, after */
	void (*entered)(void);
	void (*leave)(JNIEnv *jni, jobject object);
	void (*park)(JNIEnv *jni, jobject blocker);
	void (*parked)(void);
};

/* Adds the capabilities and the callback that the hooks need to the environment. */
jvmtiError lock_hooks_prepare(jvmtiEnv *vm, jvmtiEventCallbacks *callbacks);
/* Adds the hooks to all classes, including those loaded later. Returns NULL, or the reason for the
 * failure. */
const char *lock_hooks_on(jvmtiEnv *vm, JNIEnv *jni, const struct lock_hook_calls *calls);
void lock_hooks_off(jvmtiEnv *vm, JNIEnv *jni);
/* Writes which methods have no hooks, and why. */
void lock_hooks_write(FILE *out);

#endif
