/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "change_classes.h"

/* One refused class makes the whole batch fail: retries each class separately. */
static void one_by_one(jvmtiEnv *vm, const jclass *classes, jint n, const struct class_change *to)
{
	for (jint i = 0; i < n; i++) {
		char *signature = NULL;

		if (!(*vm)->RetransformClasses(vm, 1, &classes[i]))
			continue;
		(*vm)->GetClassSignature(vm, classes[i], &signature, NULL);
		to->refused(signature ? signature : "a class");
		(*vm)->Deallocate(vm, (unsigned char *)signature);
	}
}

void change_classes(jvmtiEnv *vm, JNIEnv *jni, const struct class_change *to)
{
	jclass *classes;
	jint n, kept = 0, i;

	if ((*vm)->GetLoadedClasses(vm, &n, &classes))
		return;
	for (i = 0; i < n; i++) {
		jboolean can = JNI_FALSE;

		if (!(*vm)->IsModifiableClass(vm, classes[i], &can) && can) {
			classes[kept++] = classes[i];
			continue;
		}
		if (to->fixed)
			to->fixed(vm, classes[i]);
		(*jni)->DeleteLocalRef(jni, classes[i]);
	}
	if ((*vm)->RetransformClasses(vm, kept, classes))
		one_by_one(vm, classes, kept, to);
	for (i = 0; i < kept; i++)
		(*jni)->DeleteLocalRef(jni, classes[i]);
	(*vm)->Deallocate(vm, (unsigned char *)classes);
}
