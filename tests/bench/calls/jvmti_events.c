/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A peer: JVMTI's own events of method begins and ends, which are counted and nothing else. */
#include <jvmti.h>
#include <stdio.h>

static __thread unsigned long begins, ends;

static void JNICALL method_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jmethodID method)
{
	(void)vm, (void)jni, (void)thread, (void)method;
	begins++;
}

static void JNICALL method_ends(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jmethodID method,
				jboolean thrown, jvalue value)
{
	(void)vm, (void)jni, (void)thread, (void)method, (void)thrown, (void)value;
	ends++;
}

static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	(void)vm, (void)jni;
	fprintf(stderr, "%lu begins, %lu ends\n", begins, ends);
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni, (void)thread;
	(*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, NULL);
	(*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_METHOD_EXIT, NULL);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *text, void *reserved)
{
	static const jvmtiCapabilities wanted = { .can_generate_method_entry_events = 1,
						  .can_generate_method_exit_events = 1 };
	static const jvmtiEventCallbacks callbacks = { .VMInit = vm_begins,
						       .VMDeath = vm_ends,
						       .MethodEntry = method_begins,
						       .MethodExit = method_ends };
	jvmtiEnv *vm;

	(void)text, (void)reserved;
	if ((*java)->GetEnv(java, (void **)&vm, JVMTI_VERSION_11) ||
	    (*vm)->AddCapabilities(vm, &wanted) ||
	    (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks)) ||
	    (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) ||
	    (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL))
		return JNI_ERR;
	return JNI_OK;
}
