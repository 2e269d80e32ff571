/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "virtual.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "call_hooks.h"
#include "java_text.h"
#include "mounts.h"
#include "newer_jvmti.h"

static atomic_ullong begun;

static struct call_thread *thread_of(jvmtiEnv *vm, jthread thread)
{
	jvmtiThreadInfo info = { 0 };
	void *kept = NULL;

	if (!(*vm)->GetThreadLocalStorage(vm, thread, &kept) && kept)
		return kept;
	atomic_fetch_add(&begun, 1);
	if ((*vm)->GetThreadInfo(vm, thread, &info))
		info.name = NULL;
	java_text(info.name);
	kept = hooks_virtual_begin(info.name);
	(*vm)->Deallocate(vm, (unsigned char *)info.name);
	(*vm)->SetThreadLocalStorage(vm, thread, kept);
	return kept;
}

/* The VM calls both on the mounted thread. */
static void JNICALL mounted(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni;
	hooks_mount(thread_of(vm, thread));
}

static void JNICALL unmounted(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)vm, (void)jni, (void)thread;
	hooks_unmount();
}

static void JNICALL ended(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	void *kept = NULL;

	(void)jni;
	if ((*vm)->GetThreadLocalStorage(vm, thread, &kept) || !kept)
		return;
	(*vm)->SetThreadLocalStorage(vm, thread, NULL);
	hooks_virtual_end(kept);
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni, (void)thread;
	mounts_subscribe(vm, mounted, unmounted);
}

bool virtual_begin(JavaVM *java, bool running)
{
	union newer_callbacks callbacks = { .all = { [NEWER_VIRTUAL_END - NEWER_FIRST] =
							     (void *)ended } };
	jvmtiEnv *vm;

	callbacks.known.VMInit = vm_begins;
	if ((*java)->GetEnv(java, (void **)&vm, JVMTI_VERSION_11))
		return false;
	if (newer_support_virtual(vm) &&
	    !(*vm)->SetEventCallbacks(vm, &callbacks.known, sizeof(callbacks)) &&
	    !(*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, NEWER_VIRTUAL_END, NULL) &&
	    !(*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT, NULL) &&
	    (!running || mounts_subscribe(vm, mounted, unmounted)))
		return true;
	(*vm)->DisposeEnvironment(vm);
	return false;
}

bool virtual_switches(const char *method)
{
	static const char *const classes[] = {
		"java/lang/VirtualThread.",
		"java/lang/VirtualThread$",
		"jdk/internal/vm/Continuation.",
		"jdk/internal/vm/Continuation$",
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (!strncmp(method, classes[i], strlen(classes[i])))
			return true;
	return false;
}

void virtual_write(FILE *out)
{
	uint64_t trees, lost;

	hooks_virtual_count(&trees, &lost);
	if (begun)
		fprintf(out,
			"\nvirtual threads: %llu, in %" PRIu64
			" trees, without one for want of memory %" PRIu64 "\n",
			begun, trees, lost);
}
