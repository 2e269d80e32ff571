/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names: writes the VM's reports of compiled code to a jitdump. The VM may call on any thread,
 * before it is up and while it shuts down. Method ids become invalid with their class, so all
 * queries are made inside the callback that passed them. No VM function is called with the lock
 * held.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "escape.h"
#include "java_name.h"
#include "java_text.h"
#include "monotonic.h"
#include "pijit.h"
#include "prepared.h"
#include "ranges.h"
#include "refused.h"
#include "java_sizes.h"
#include "trace_records.h"

#define MAX_NAME 4096
/* VMs report from a separate thread, which has to be scheduled: delays of up to 32 ms were
 * measured, and gather() adds to them. */
#define LATE PREPARED_KEPT
/* Waking that thread for each method costs more than all of the agent's work. */
#define GATHER 20000000 /* ns */
/* The reporting thread was idle if it reported nothing for this long. */
#define QUIET 200000 /* ns */

static struct {
	pthread_mutex_t lock;
	pthread_cond_t ends; /* wakes gather() */
	uint64_t reported;   /* time of the last method */
	bool ending;
	struct jitdump_writer *dump; /* NULL: not begun, ended, or the disk is full */
	struct jitlog_writer *text;  /* used instead of `dump`; NULL in the same cases */
	struct ranges stubs;
	struct sizes methods;
	JavaVM *java;
	bool lines, code;
} agent = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- reports of the VM ----------------------------------------------------------------------- */

/* Called with the lock held. A full disk is reported once; the file so far stays valid. */
static void write_failed(int err)
{
	escape_printf(stderr, "%s: %s: %s: code that is generated from now on has no names\n",
		      agent_kind.name, agent.dump ? jitdump_path(agent.dump) : "log-jita2n",
		      strerror(-err));
	if (agent.dump)
		jitdump_end(agent.dump);
	agent.dump = NULL;
	agent.text = NULL;
}

/* Sleeps at the first of several methods, so that the next ones queue up and wake no thread. */
static void gather(void)
{
	uint64_t time = now_ns(), until = time + GATHER;
	struct timespec t = { (time_t)(until / 1000000000), (long)(until % 1000000000) };

	pthread_mutex_lock(&agent.lock);
	if (time - agent.reported > QUIET)
		while (!agent.ending && !pthread_cond_timedwait(&agent.ends, &agent.lock, &t))
			;
	pthread_mutex_unlock(&agent.lock);
}

/* Writes the name to the log, then to each trace session: a tracer outside of the container cannot
 * find the log, or finds it under another pid. */
static int log_code(const char *name, uint64_t address, uint64_t size, const void *code)
{
	int err = jitlog_load(agent.text, name, address, size, code);

	records_code(name, address, size);
	return err;
}

static int log_code_gone(uint64_t address, uint64_t size)
{
	int err = jitlog_unload(agent.text, address, size);

	records_code_gone(address, size);
	return err;
}

static void write_method(uint64_t since, const char *name, const void *address, uint64_t size,
			 const struct jitdump_line *lines, uint32_t n)
{
	int err = 0;

	pthread_mutex_lock(&agent.lock);
	if (agent.dump)
		err = jitdump_load_late(agent.dump, since, name, (uintptr_t)address, size,
					agent.code ? address : NULL, lines, n, NULL);
	else if (agent.text)
		err = log_code(name, (uintptr_t)address, size, agent.code ? address : NULL);
	if ((agent.dump || agent.text) && !err)
		err = sizes_put(&agent.methods, (uintptr_t)address, size);
	if (err && err != -EMSGSIZE)
		write_failed(err);
	agent.reported = now_ns();
	pthread_mutex_unlock(&agent.lock);
}

bool names_put(uint64_t since, const char *name, uint64_t address, uint64_t size,
	       const struct jitdump_line *lines, uint32_t n)
{
	int err = -EAGAIN;

	pthread_mutex_lock(&agent.lock);
	if (agent.dump)
		err = jitdump_load_late(agent.dump, since, name, address, size, NULL, lines, n,
					NULL);
	else if (agent.text)
		err = log_code(name, address, size, NULL);
	if (err && err != -EAGAIN && err != -EMSGSIZE)
		write_failed(err);
	pthread_mutex_unlock(&agent.lock);
	return !err;
}

static JNIEnv *jni_here(void)
{
	JNIEnv *jni;

	return (*agent.java)->GetEnv(agent.java, (void **)&jni, JNI_VERSION_1_6) ? NULL : jni;
}

/* Sets the method's name; returns a time before which it has not run, or 0. */
static uint64_t name_of(jvmtiEnv *vm, jmethodID method, char name[MAX_NAME])
{
	char *class = NULL, *own = NULL, *signature = NULL;
	JNIEnv *jni = jni_here();
	uint64_t since = 0;
	jclass declarer;

	if ((*vm)->GetMethodDeclaringClass(vm, method, &declarer) ||
	    (*vm)->GetClassSignature(vm, declarer, &class, NULL) ||
	    (*vm)->GetMethodName(vm, method, &own, &signature, NULL))
		snprintf(name, MAX_NAME, "%s.%s", class ? class : "Java", own ? own : "method");
	else
		java_name(name, MAX_NAME, class, own, signature);
	java_text(name);
	if (class && jni)
		since = prepared_since(jni, declarer, class);
	(*vm)->Deallocate(vm, (unsigned char *)class);
	(*vm)->Deallocate(vm, (unsigned char *)own);
	(*vm)->Deallocate(vm, (unsigned char *)signature);
	return since;
}

static void JNICALL class_prepared(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jclass class)
{
	char *signature;

	(void)thread;
	if ((*vm)->GetClassSignature(vm, class, &signature, NULL))
		return;
	prepared_add(jni, class, signature);
	(*vm)->Deallocate(vm, (unsigned char *)signature);
}

static void JNICALL method_loaded(jvmtiEnv *vm, jmethodID method, jint size, const void *address,
				  jint map_length, const jvmtiAddrLocationMap *map,
				  const void *compile_info)
{
	struct jitdump_line *lines = NULL;
	char name[MAX_NAME];
	uint64_t since;
	uint32_t n = 0;

	gather();
	since = name_of(vm, method, name);
	if (agent.lines)
		n = lines_make(vm, method, map_length, map, compile_info, &lines);
	write_method(since, name, address, (uint64_t)size, lines, n);
	lines_free(lines, n);
}

/* The class may be unloaded and its id invalid. Addresses may be reused from the first unload on:
 * only then do the times at which classes were prepared matter. */
static void JNICALL method_unloaded(jvmtiEnv *vm, jmethodID method, const void *address)
{
	static atomic_bool asked;
	uint64_t size;
	int err = 0;

	(void)method;
	if (!atomic_exchange(&asked, true))
		(*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_CLASS_PREPARE, NULL);
	pthread_mutex_lock(&agent.lock);
	size = sizes_take(&agent.methods, (uintptr_t)address);
	if (agent.dump && size)
		err = jitdump_unload(agent.dump, (uintptr_t)address, size);
	else if (agent.text && size)
		err = log_code_gone((uintptr_t)address, size);
	if (err)
		write_failed(err);
	pthread_mutex_unlock(&agent.lock);
}

static int write_stub(void *name, uint64_t start, uint64_t end)
{
	return agent.dump ?
		       jitdump_load(agent.dump, name, start, end - start, NULL, NULL, 0, NULL) :
		       log_code(name, start, end - start, NULL);
}

static void JNICALL stub_made(jvmtiEnv *vm, const char *name, const void *address, jint size)
{
	uint64_t start = (uintptr_t)address;
	int err = 0;

	(void)vm;
	pthread_mutex_lock(&agent.lock);
	if (agent.dump || agent.text)
		err = ranges_add(&agent.stubs, start, start + (uint64_t)size, write_stub,
				 (char *)name);
	if (err)
		write_failed(err);
	pthread_mutex_unlock(&agent.lock);
}

/* Waits for queued methods. Code continues to run; all of it has names. */
static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	const struct timespec quiet = { 0, QUIET };
	uint64_t since = now_ns();

	(void)vm, (void)jni;
	pthread_mutex_lock(&agent.lock);
	agent.ending = true;
	pthread_cond_broadcast(&agent.ends);
	do {
		pthread_mutex_unlock(&agent.lock);
		nanosleep(&quiet, NULL);
		pthread_mutex_lock(&agent.lock);
	} while (now_ns() - agent.reported < QUIET && now_ns() - since < GATHER);
	if (agent.dump)
		jitdump_end(agent.dump);
	agent.dump = NULL;
	ranges_free(&agent.stubs);
	sizes_free(&agent.methods);
	pthread_mutex_unlock(&agent.lock);
}

/* ---- begin ----------------------------------------------------------------------------------- */

static jint watch(jvmtiEnv *vm, bool running)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_COMPILED_METHOD_LOAD,
		JVMTI_EVENT_COMPILED_METHOD_UNLOAD,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
		JVMTI_EVENT_VM_DEATH,
	};
	const jvmtiEventCallbacks callbacks = {
		.CompiledMethodLoad = method_loaded,
		.CompiledMethodUnload = method_unloaded,
		.DynamicCodeGenerated = stub_made,
		.ClassPrepare = class_prepared,
		.VMDeath = vm_ends,
	};
	jvmtiCapabilities wanted = { .can_generate_compiled_method_load_events = 1 };
	jvmtiError err;

	if (agent.lines)
		wanted.can_get_line_numbers = wanted.can_get_source_file_name = 1;
	err = (*vm)->AddCapabilities(vm, &wanted);
	if (err)
		return refused(vm, "this Java VM does not report its compiled code", err);
	err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));
	for (size_t i = 0; !err && i < sizeof(events) / sizeof(events[0]); i++)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, events[i], NULL);
	/* Reports code that was generated before the agent was attached. */
	if (!err && running)
		err = (*vm)->GenerateEvents(vm, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	if (!err && running)
		err = (*vm)->GenerateEvents(vm, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	return err ? refused(vm, "the Java VM's events", err) : JNI_OK;
}

/* The program continues without names. */
static void no_dump(const char *folder, int err)
{
	const char *where = folder ? folder : getenv("JITDUMPDIR");

	escape_printf(stderr,
		      "%s: the jitdump cannot be made in %s: %s: code has no names; name a folder: dir=FOLDER\n",
		      agent_kind.name, where ? where : ".", strerror(-err));
}

jint names_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running)
{
	const char *folder = *o->folder ? o->folder : *o->calls.path ? o->calls.path : NULL;
	pthread_condattr_t clock;
	int err = 0;

	if (o->text)
		agent.text = text;
	else
		err = jitdump_create_late(&agent.dump, folder, LATE);
	if (err) {
		no_dump(folder, err);
		return JNI_OK;
	}
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&agent.ends, &clock);
	pthread_condattr_destroy(&clock);
	agent.java = java;
	agent.lines = o->lines;
	agent.code = o->code;
	return watch(vm, running);
}
