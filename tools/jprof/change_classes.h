/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classes that are loaded already are given to an environment's ClassFileLoadHook once more. */
#ifndef CHANGE_CLASSES_H
#define CHANGE_CLASSES_H

#include <jvmti.h>

struct class_change {
	/* One that nobody can change; NULL: they do not matter. */
	void (*fixed)(jvmtiEnv *vm, jclass class);
	/* One whose change the VM refuses, by its signature. */
	void (*refused)(const char *signature);
};

void change_classes(jvmtiEnv *vm, JNIEnv *jni, const struct class_change *to);

#endif
