/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lock_hooks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "change_classes.h"
#include "class_rewrite.h"
#include "escape.h"
#include "java_text.h"
#include "native_class.h"
#include "virtual.h"

/* Bytes above a stack's lowest address: the VM's guard pages, and its reserve for native code. */
#define STACK_ROOM (112u << 10)

struct monitor_left {
	char *name;
	const char *why;
};

static struct {
	const struct lock_hook_calls *calls;
	jclass overflow; /* StackOverflowError */
	atomic_bool on;  /* classes get hooks */
	pthread_mutex_t lock;
	struct monitor_left *left;
	uint32_t left_count, left_room;
} hooks = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- what Java calls ------------------------------------------------------------------------- */

static __thread uintptr_t lowest __attribute__((tls_model("initial-exec")));

static void find_lowest(void)
{
	pthread_attr_t attributes;
	size_t size;
	void *low;

	lowest = 1;
	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	if (!pthread_attr_getstack(&attributes, &low, &size))
		lowest = (uintptr_t)low;
	pthread_attr_destroy(&attributes);
}

/*
 * Throws the overflow of a nearly full stack here, before the monitor is held. If it happened in
 * leave, it would repeat forever: the code that exits a monitor is its own exception handler.
 */
static bool overflows(JNIEnv *jni)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	if (!lowest)
		find_lowest();
	if (here - lowest >= STACK_ROOM || here < lowest)
		return false;
	(*jni)->ThrowNew(jni, hooks.overflow, NULL);
	return true;
}

static void JNICALL enter(JNIEnv *jni, jclass class, jobject object)
{
	(void)class;
	if (object && !overflows(jni))
		hooks.calls->enter(jni, object);
}

static void JNICALL entered(JNIEnv *jni, jclass class)
{
	(void)jni, (void)class;
	hooks.calls->entered();
}

static void JNICALL leave(JNIEnv *jni, jclass class, jobject object)
{
	(void)class;
	if (object)
		hooks.calls->leave(jni, object);
}

static void JNICALL park(JNIEnv *jni, jclass class, jobject blocker)
{
	(void)class;
	hooks.calls->park(jni, blocker);
}

static void JNICALL parked(JNIEnv *jni, jclass class)
{
	(void)jni, (void)class;
	hooks.calls->parked();
}

#define OF_OBJECT "(Ljava/lang/Object;)V"
static const JNINativeMethod natives[] = {
	{ (char *)"enter", (char *)OF_OBJECT, (void *)enter },
	{ (char *)"entered", (char *)"()V", (void *)entered },
	{ (char *)"leave", (char *)OF_OBJECT, (void *)leave },
	{ (char *)"park", (char *)OF_OBJECT, (void *)park },
	{ (char *)"parked", (char *)"()V", (void *)parked },
};
#define NATIVES (sizeof(natives) / sizeof(*natives))

static bool define(JNIEnv *jni)
{
	struct native_method methods[NATIVES];
	struct class_out out;
	jclass class, overflow;
	bool bound;

	for (size_t i = 0; i < NATIVES; i++)
		methods[i] = (struct native_method){ natives[i].name, natives[i].signature };
	out = native_class(LOCK_HOOK_CLASS, methods, NATIVES);
	class = out.failed ? NULL :
			     (*jni)->DefineClass(jni, LOCK_HOOK_CLASS, NULL,
						 (const jbyte *)out.data, (jsize)out.n);
	class_out_free(&out);
	bound = class && !(*jni)->RegisterNatives(jni, class, natives, NATIVES);
	overflow = bound ? (*jni)->FindClass(jni, "java/lang/StackOverflowError") : NULL;
	if (overflow)
		hooks.overflow = (*jni)->NewGlobalRef(jni, overflow);
	(*jni)->ExceptionClear(jni);
	return hooks.overflow;
}

/* ---- classes --------------------------------------------------------------------------------- */

static void leave_alone(const char *name, const char *why)
{
	pthread_mutex_lock(&hooks.lock);
	if (!array_next(hooks.left, hooks.left_count, hooks.left_room))
		hooks.left[hooks.left_count++] = (struct monitor_left){ strdup(name), why };
	pthread_mutex_unlock(&hooks.lock);
}

static void forget_left(void)
{
	pthread_mutex_lock(&hooks.lock);
	while (hooks.left_count)
		free(hooks.left[--hooks.left_count].name);
	pthread_mutex_unlock(&hooks.lock);
}

static void leave_class(const char *signature)
{
	leave_alone(signature, "the VM takes no change of it");
}

/* Stores the method's name for left(). */
static int32_t choose(void *name, const struct class_method *m)
{
	if (!class_method_name(m, name, 1024))
		return -1;
	java_text(name);
	return virtual_switches(name) ? -1 : 0;
}

static void left(void *name, int32_t id, const char *why)
{
	(void)id;
	leave_alone(name, why);
}

static void JNICALL class_comes(jvmtiEnv *vm, JNIEnv *jni, jclass old, jobject loader,
				const char *name, jobject domain, jint size,
				const unsigned char *data, jint *new_size, unsigned char **new_data)
{
	char method[1024];
	struct class_rewrite how = { .hooks = LOCK_HOOK_CLASS,
				     .method = choose,
				     .left = left,
				     .arg = method,
				     .what = HOOKS_OF_LOCKS };
	struct class_out out = { 0 };
	const char *why;
	size_t offset;
	int rc;

	(void)jni, (void)old, (void)loader, (void)domain;
	if (!hooks.on || (name && !strncmp(name, "pitrace/", 8)))
		return;
	rc = class_rewrite(data, (size_t)size, &how, &out, &offset, &why);
	if (rc < 0)
		leave_alone(name ? name : "a class", rc == -EINVAL ? why : strerror(-rc));
	if (rc > 0 && !(*vm)->Allocate(vm, (jlong)out.n, new_data)) {
		memcpy(*new_data, out.data, out.n);
		*new_size = (jint)out.n;
	}
	class_out_free(&out);
}

/* ---- begin and end --------------------------------------------------------------------------- */

jvmtiError lock_hooks_prepare(jvmtiEnv *vm, jvmtiEventCallbacks *callbacks)
{
	static const jvmtiCapabilities wanted = {
		.can_generate_all_class_hook_events = 1,
		.can_retransform_classes = 1,
		.can_retransform_any_class = 1,
	};

	callbacks->ClassFileLoadHook = class_comes;
	return (*vm)->AddCapabilities(vm, &wanted);
}

static jvmtiError change(jvmtiEnv *vm, JNIEnv *jni, bool on)
{
	const struct class_change how = { NULL, leave_class };
	jvmtiError err = JVMTI_ERROR_NONE;

	hooks.on = on;
	if (on) {
		forget_left();
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE,
						      JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
	}
	if (!err)
		change_classes(vm, jni, &how);
	if (!on)
		(*vm)->SetEventNotificationMode(vm, JVMTI_DISABLE, JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
						NULL);
	return err;
}

const char *lock_hooks_on(jvmtiEnv *vm, JNIEnv *jni, const struct lock_hook_calls *calls)
{
	hooks.calls = calls;
	if (!hooks.overflow && !define(jni))
		return "the class of the hooks cannot be defined";
	return change(vm, jni, true) ? "this Java VM changes no classes" : NULL;
}

void lock_hooks_off(jvmtiEnv *vm, JNIEnv *jni)
{
	change(vm, jni, false);
}

void lock_hooks_write(FILE *out)
{
	pthread_mutex_lock(&hooks.lock);
	if (hooks.left_count)
		fprintf(out, "\nleft as they are: %u\n", hooks.left_count);
	for (uint32_t i = 0; i < hooks.left_count; i++) {
		escape_print(out, hooks.left[i].name ? hooks.left[i].name : "a method");
		fprintf(out, ": %s\n", hooks.left[i].why);
	}
	pthread_mutex_unlock(&hooks.lock);
}
