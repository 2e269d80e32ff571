/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes classes that are already loaded to an environment's ClassFileLoadHook again. */
#ifndef CHANGE_CLASSES_H
#define CHANGE_CLASSES_H

#include <jvmti.h>

struct class_change {
	/* Called for each class that cannot be modified; may be NULL. */
	void (*fixed)(jvmtiEnv *vm, jclass class);
	/* Called with the signature of each class whose change the VM refuses. */
	void (*refused)(const char *signature);
};

void change_classes(jvmtiEnv *vm, JNIEnv *jni, const struct class_change *to);

#endif
