/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A monitor is known by its object's tag, which is its number in the table. With the table's lock
 * held no function of the VM is called. What had begun before the recording counts no time.
 */
#include "locks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "lock_table.h"
#include "log_file.h"
#include "refused.h"

#define MONITORS (1u << 20)
#define DEEP     12 /* frames of a stack */

static struct {
	pthread_mutex_t lock;   /* of the table */
	pthread_mutex_t naming; /* of tags: before the one above */
	pthread_mutex_t doing;  /* of all below */
	jvmtiEnv *vm;
	struct lock_table table;
	struct log_file log;
	const struct agent_options *o;
	bool on, open;
	uint64_t since;
} locks = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .naming = PTHREAD_MUTEX_INITIALIZER,
	    .doing = PTHREAD_MUTEX_INITIALIZER };

/* When this thread began to block, and to wait; 0: it does not. */
static __thread uint64_t blocks __attribute__((tls_model("initial-exec")));
static __thread uint64_t waits __attribute__((tls_model("initial-exec")));

/* ---- monitors -------------------------------------------------------------------------------- */

static void monitor_name(jvmtiEnv *vm, JNIEnv *jni, jobject object, char *name, size_t room)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	char *signature = NULL;
	jint hash = 0;
	size_t n;

	(*vm)->GetClassSignature(vm, class, &signature, NULL);
	(*vm)->GetObjectHashCode(vm, object, &hash);
	n = signature ? strlen(signature) : 0;
	/* Lpackage/Class; or an array */
	if (n > 2 && *signature == 'L')
		snprintf(name, room, "%.*s@%x", (int)(n - 2), signature + 1, (unsigned int)hash);
	else
		snprintf(name, room, "%s@%x", signature ? signature : "", (unsigned int)hash);
	(*vm)->Deallocate(vm, (unsigned char *)signature);
	(*jni)->DeleteLocalRef(jni, class);
}

/* Its number; 0: there is no room for it. */
static uint32_t number_of_monitor(jvmtiEnv *vm, JNIEnv *jni, jobject object)
{
	char name[1024];
	uint32_t n;
	jlong tag;

	if ((*vm)->GetTag(vm, object, &tag))
		return 0;
	if (tag)
		return (uint32_t)tag;
	monitor_name(vm, jni, object, name, sizeof(name));
	/* Another thread that blocks there may have been faster. */
	pthread_mutex_lock(&locks.naming);
	if ((*vm)->GetTag(vm, object, &tag) || tag) {
		n = (uint32_t)tag;
	} else {
		pthread_mutex_lock(&locks.lock);
		n = lock_table_add(&locks.table, name);
		pthread_mutex_unlock(&locks.lock);
		if (n)
			(*vm)->SetTag(vm, object, n);
	}
	pthread_mutex_unlock(&locks.naming);
	return n;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static size_t add_frame(jvmtiEnv *vm, JNIEnv *jni, jmethodID method, char *to, size_t at)
{
	char *name = NULL, *class = NULL;
	jclass declarer = NULL;
	size_t n;
	int wrote;

	if (!(*vm)->GetMethodName(vm, method, &name, NULL, NULL) &&
	    !(*vm)->GetMethodDeclaringClass(vm, method, &declarer) &&
	    !(*vm)->GetClassSignature(vm, declarer, &class, NULL)) {
		n = strlen(class);
		wrote = snprintf(to + at, LOCK_FRAMES - at, "%s%.*s.%s", at ? " < " : "",
				 n > 2 ? (int)n - 2 : 0, class + 1, name);
		at = wrote < 0 || at + (size_t)wrote >= LOCK_FRAMES ? LOCK_FRAMES - 1 :
								      at + (size_t)wrote;
	}
	(*vm)->Deallocate(vm, (unsigned char *)name);
	(*vm)->Deallocate(vm, (unsigned char *)class);
	if (declarer)
		(*jni)->DeleteLocalRef(jni, declarer);
	return at;
}

/* The innermost first. thread NULL: this one. */
static void stack_of(jvmtiEnv *vm, JNIEnv *jni, jthread thread, char to[LOCK_FRAMES])
{
	jvmtiFrameInfo frames[DEEP];
	size_t at = 0;
	jint n = 0;

	*to = 0;
	if ((*vm)->GetStackTrace(vm, thread, 0, DEEP, frames, &n))
		n = 0;
	for (jint i = 0; i < n && at < LOCK_FRAMES - 1; i++)
		at = add_frame(vm, jni, frames[i].method, to, at);
}

/* The holder goes on meanwhile: it is where it is now. */
static void look(jvmtiEnv *vm, JNIEnv *jni, jobject object, uint32_t number)
{
	char waiter[LOCK_FRAMES], holder[LOCK_FRAMES] = "";
	jvmtiMonitorUsage usage = { 0 };

	stack_of(vm, jni, NULL, waiter);
	if (!(*vm)->GetObjectMonitorUsage(vm, object, &usage)) {
		if (usage.owner)
			stack_of(vm, jni, usage.owner, holder);
		for (jint i = 0; i < usage.waiter_count; i++)
			(*jni)->DeleteLocalRef(jni, usage.waiters[i]);
		for (jint i = 0; i < usage.notify_waiter_count; i++)
			(*jni)->DeleteLocalRef(jni, usage.notify_waiters[i]);
		(*vm)->Deallocate(vm, (unsigned char *)usage.waiters);
		(*vm)->Deallocate(vm, (unsigned char *)usage.notify_waiters);
		if (usage.owner)
			(*jni)->DeleteLocalRef(jni, usage.owner);
	}
	pthread_mutex_lock(&locks.lock);
	lock_add_stack(&locks.table.record[number], waiter, holder);
	pthread_mutex_unlock(&locks.lock);
}

/* ---- the VM's events ------------------------------------------------------------------------- */

static void JNICALL enters(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object)
{
	uint64_t now = now_ns();
	uint32_t number = number_of_monitor(vm, jni, object);
	bool wanted;

	(void)thread;
	pthread_mutex_lock(&locks.lock);
	wanted = lock_wants_stack(&locks.table.record[number]);
	pthread_mutex_unlock(&locks.lock);
	if (wanted)
		look(vm, jni, object, number);
	/* It would have blocked while it was looked at, too. */
	blocks = now;
}

static void JNICALL entered(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object)
{
	uint64_t since = blocks, now = now_ns();
	uint32_t number;

	(void)thread;
	blocks = 0;
	if (since < locks.since)
		return;
	number = number_of_monitor(vm, jni, object);
	pthread_mutex_lock(&locks.lock);
	lock_blocked(&locks.table.record[number], now - since);
	pthread_mutex_unlock(&locks.lock);
}

static void JNICALL begins_to_wait(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object,
				   jlong timeout)
{
	(void)vm, (void)jni, (void)thread, (void)object, (void)timeout;
	waits = now_ns();
}

static void JNICALL has_waited(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object,
			       jboolean timed_out)
{
	uint64_t since = waits, now = now_ns();
	uint32_t number;

	(void)thread, (void)timed_out;
	waits = 0;
	if (since < locks.since)
		return;
	number = number_of_monitor(vm, jni, object);
	pthread_mutex_lock(&locks.lock);
	lock_waited(&locks.table.record[number], now - since);
	pthread_mutex_unlock(&locks.lock);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static jvmtiError notify(jvmtiEnv *vm, jvmtiEventMode mode)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
		JVMTI_EVENT_MONITOR_WAITED,
		JVMTI_EVENT_MONITOR_CONTENDED_ENTER,
		JVMTI_EVENT_MONITOR_WAIT,
	};
	jvmtiError err = JVMTI_ERROR_NONE;

	for (size_t i = 0; !err && i < sizeof(events) / sizeof(*events); i++)
		err = (*vm)->SetEventNotificationMode(vm, mode, events[i], NULL);
	return err;
}

static void write_log(void)
{
	FILE *out = log_file_open(&locks.log);
	int err = out ? 0 : -errno;

	pthread_mutex_lock(&locks.lock);
	if (out)
		lock_table_write(&locks.table, out, now_ns() - locks.since);
	pthread_mutex_unlock(&locks.lock);
	log_file_close(&locks.log, out, err);
}

static bool next_log(void)
{
	locks.log.number++;
	locks.open = log_file_make(&locks.log, locks.o->calls.path, locks.o->calls.prefix, "VM");
	return locks.open;
}

static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	(void)jni;
	notify(vm, JVMTI_DISABLE);
	pthread_mutex_lock(&locks.doing);
	if (locks.on && locks.open)
		write_log();
	locks.on = locks.open = false;
	pthread_mutex_unlock(&locks.doing);
}

/* The first time. */
static jvmtiError prepare(jvmtiEnv *vm)
{
	static const jvmtiCapabilities wanted = {
		.can_generate_monitor_events = 1,
		.can_get_monitor_info = 1,
		.can_tag_objects = 1,
	};
	static const jvmtiEventCallbacks callbacks = {
		.VMDeath = vm_ends,
		.MonitorContendedEnter = enters,
		.MonitorContendedEntered = entered,
		.MonitorWait = begins_to_wait,
		.MonitorWaited = has_waited,
	};
	jvmtiError err = (*vm)->AddCapabilities(vm, &wanted);

	if (!err)
		err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));
	if (!err)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, NULL);
	if (!err && lock_table_init(&locks.table, MONITORS))
		err = JVMTI_ERROR_OUT_OF_MEMORY;
	return err;
}

/* With `doing` held. vm NULL: it is prepared. JVMTI_ERROR_NONE, or the VM's; or the log's, after
 * its message. */
static jvmtiError start(jvmtiEnv *vm, const struct agent_options *o)
{
	jvmtiError err = vm ? prepare(vm) : JVMTI_ERROR_NONE;

	if (err)
		return err;
	if (vm)
		locks.vm = vm;
	locks.o = o;
	locks.log.program = agent_kind.name;
	locks.log.kind = "log-jlm";
	if (!next_log())
		return JVMTI_ERROR_ILLEGAL_ARGUMENT;
	pthread_mutex_lock(&locks.lock);
	lock_table_reset(&locks.table);
	pthread_mutex_unlock(&locks.lock);
	locks.since = now_ns();
	err = notify(locks.vm, JVMTI_ENABLE);
	locks.on = !err;
	return err;
}

jint locks_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running)
{
	jvmtiError err;

	(void)java, (void)text, (void)running;
	pthread_mutex_lock(&locks.doing);
	err = start(vm, o);
	pthread_mutex_unlock(&locks.doing);
	return err ? refused(vm, "JLML: this Java VM tells of no monitors", err) : JNI_OK;
}

/* ---- rtdriver's commands --------------------------------------------------------------------- */

const char *locks_start(JavaVM *java, const struct agent_options *o)
{
	const char *why = NULL;
	jvmtiEnv *vm = NULL;

	pthread_mutex_lock(&locks.doing);
	if (locks.on)
		why = "monitors are watched already";
	else if (!locks.vm && (*java)->GetEnv(java, (void **)&vm, JVMTI_VERSION_1_2))
		why = "this Java VM has no JVMTI";
	else if (start(vm, o))
		why = "monitors cannot be watched: the VM refuses, or the log cannot be made";
	pthread_mutex_unlock(&locks.doing);
	return why;
}

static const char *write_now(char *path, size_t room)
{
	if (!locks.on)
		return "no monitors are watched: jlmstart begins";
	snprintf(path, room, "%s", locks.log.path);
	write_log();
	locks.open = false;
	return NULL;
}

const char *locks_dump(char *path, size_t room)
{
	const char *why;

	pthread_mutex_lock(&locks.doing);
	why = write_now(path, room);
	if (!why && !next_log())
		why = "the next log cannot be made: the agent's message says why";
	pthread_mutex_unlock(&locks.doing);
	return why;
}

const char *locks_stop(char *path, size_t room)
{
	const char *why;

	pthread_mutex_lock(&locks.doing);
	if (locks.on)
		notify(locks.vm, JVMTI_DISABLE);
	why = write_now(path, room);
	locks.on = false;
	pthread_mutex_unlock(&locks.doing);
	return why;
}
