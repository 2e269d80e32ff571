/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java_text.h"
#include "natives.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "native_wrap.h"

static const struct method_filter *wanted;
static bool begun, attached;
static atomic_uint fates[NATIVE_FATES], failed;

static bool wants(void *arg, const struct class_method *m)
{
	char name[1024];

	(void)arg;
	if (!class_method_name(m, name, sizeof(name)))
		return false;
	java_text(name);
	return filter_takes(wanted, name);
}

/* A redefined class must keep its methods. */
static bool has_wrappers(jvmtiEnv *vm, jclass class)
{
	jmethodID *methods;
	bool has = false;
	char *name;
	jint n;

	if ((*vm)->GetClassMethods(vm, class, &n, &methods))
		return false;
	for (jint i = 0; i < n && !has; i++) {
		if ((*vm)->GetMethodName(vm, methods[i], &name, NULL, NULL))
			continue;
		has = !strncmp(name, NATIVE_PREFIX, strlen(NATIVE_PREFIX));
		(*vm)->Deallocate(vm, (unsigned char *)name);
	}
	(*vm)->Deallocate(vm, (unsigned char *)methods);
	return has;
}

static void JNICALL class_comes(jvmtiEnv *vm, JNIEnv *jni, jclass old, jobject loader,
				const char *name, jobject domain, jint size,
				const unsigned char *data, jint *new_size, unsigned char **new_data)
{
	struct native_wrap how = { .wants = wants };
	struct class_out out = { 0 };
	jvmtiPhase phase;
	int rc;

	(void)jni, (void)loader, (void)name, (void)domain;
	how.early = (*vm)->GetPhase(vm, &phase) || phase != JVMTI_PHASE_LIVE;
	if (old && !has_wrappers(vm, old))
		return;
	rc = native_wrap(data, (size_t)size, &how, &out);
	for (int i = 0; !old && i < NATIVE_FATES && (i > 0 || rc >= 0); i++)
		atomic_fetch_add(&fates[i], how.fates[i]);
	if (rc < 0)
		atomic_fetch_add(&failed, 1);
	if (rc > 0 && !(*vm)->Allocate(vm, (jlong)out.n, new_data)) {
		memcpy(*new_data, out.data, out.n);
		*new_size = (jint)out.n;
	}
	class_out_free(&out);
}

const char *natives_begin(JavaVM *java, const struct method_filter *methods, bool running)
{
	static const jvmtiEventCallbacks callbacks = { .ClassFileLoadHook = class_comes };
	jvmtiCapabilities needed = {
		.can_generate_all_class_hook_events = 1,
		.can_set_native_method_prefix = 1,
		.can_generate_early_class_hook_events = !running,
	};
	jvmtiError err;
	jvmtiEnv *vm;

	wanted = methods;
	attached = running;
	if ((*java)->GetEnv(java, (void **)&vm, JVMTI_VERSION_1_2))
		return "it has no JVMTI";
	if ((*vm)->AddCapabilities(vm, &needed) || (*vm)->SetNativeMethodPrefix(vm, NATIVE_PREFIX))
		return "it does not support prefixes of native methods";
	err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));
	if (!err)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE,
						      JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, NULL);
	begun = !err;
	return err ? "it does not report loaded classes" : NULL;
}

void natives_write(FILE *out)
{
	if (!begun)
		return;
	fprintf(out, "\nnative methods: %u traced; left as they are:", fates[NATIVE_WRAPPED]);
	for (int i = NATIVE_WRAPPED + 1; i < NATIVE_FATES; i++)
		fprintf(out, "%s %u %s", i > NATIVE_WRAPPED + 1 ? "," : "", fates[i],
			native_fates[i]);
	if (failed)
		fprintf(out, ", those of %u classes that have no room", failed);
	if (attached)
		fputs(", and those of classes that were loaded before", out);
	fputc('\n', out);
}
