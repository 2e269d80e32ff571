/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "locks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "gets.h"
#include "lock_hooks.h"
#include "lock_stacks.h"
#include "lock_state.h"
#include "log_file.h"
#include "monitors.h"
#include "newer_jvmti.h"
#include "refused.h"

#define MONITORS (1u << 20)

static struct {
	pthread_mutex_t doing; /* guards all fields below; taken before all other locks */
	struct log_file log;
	const struct agent_options *o;
	bool prepared, on, open;
} locks = { .doing = PTHREAD_MUTEX_INITIALIZER };

/* ---- the VM's events ------------------------------------------------------------------------- */

static void look(jvmtiEnv *vm, JNIEnv *jni, jobject object, struct lock_record *r)
{
	char waiter[LOCK_FRAMES], holder[LOCK_FRAMES];

	lock_stack_of(vm, jni, NULL, 0, waiter);
	lock_stack_of_owner(vm, jni, object, holder);
	pthread_mutex_lock(&lock_state.lock);
	lock_add_stack(r, waiter, holder);
	pthread_mutex_unlock(&lock_state.lock);
}

static void JNICALL enters(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object)
{
	uint64_t now = now_ns();
	struct lock_record *r = lock_record_of(monitors_id(jni, object, LOCK_MONITOR));
	struct lock_thread *t = lock_thread_here();
	bool wanted;

	(void)thread;
	pthread_mutex_lock(&lock_state.lock);
	wanted = lock_wants_stack(r);
	pthread_mutex_unlock(&lock_state.lock);
	if (wanted)
		look(vm, jni, object, r);
	/* The time starts before the stacks were taken: the thread would have been blocked then. */
	if (t)
		t->blocks = now;
}

static void JNICALL entered(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object)
{
	struct lock_thread *t = lock_thread_here();
	uint64_t since = t ? t->blocks : 0, now = now_ns();
	struct lock_id id;
	bool unseen;

	(void)vm, (void)thread;
	if (!since)
		return;
	t->blocks = 0;
	id = monitors_id(jni, object, LOCK_MONITOR);
	if (!lock_thread_blocked(t, id, now))
		return;
	unseen = lock_state.counts && !lock_thread_may_hold(t, id);
	pthread_mutex_lock(&lock_state.lock);
	if (unseen)
		lock_unseen(lock_record_of(id));
	lock_blocked(lock_record_of(id), now - since);
	pthread_mutex_unlock(&lock_state.lock);
}

static void JNICALL begins_to_wait(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object,
				   jlong timeout)
{
	struct lock_thread *t = lock_thread_here();
	uint64_t ns;
	struct lock_id id;

	(void)vm, (void)thread, (void)timeout;
	if (!t)
		return;
	t->waits = now_ns();
	id = monitors_id(jni, object, LOCK_MONITOR);
	if (lock_thread_wait(t, id, t->waits, &ns))
		lock_held(lock_record_of(id), ns);
}

static void JNICALL has_waited(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jobject object,
			       jboolean timed_out)
{
	struct lock_thread *t = lock_thread_here();
	uint64_t since = t ? t->waits : 0, now = now_ns();
	struct lock_id id;

	(void)vm, (void)thread, (void)timed_out;
	if (!since)
		return;
	t->waits = 0;
	id = monitors_id(jni, object, LOCK_MONITOR);
	lock_thread_back(t, id, now);
	pthread_mutex_lock(&lock_state.lock);
	lock_waited(lock_record_of(id), now - since);
	pthread_mutex_unlock(&lock_state.lock);
}

static void JNICALL thread_ends(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni;
	lock_thread_free(vm, thread);
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

	pthread_mutex_lock(&lock_state.lock);
	if (out)
		lock_table_write(&lock_state.table, out, now_ns() - lock_state.since);
	pthread_mutex_unlock(&lock_state.lock);
	if (out && lock_state.table.gets)
		lock_hooks_write(out);
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
	lock_state.counts = false;
	pthread_mutex_lock(&locks.doing);
	if (locks.on && locks.open)
		write_log();
	locks.on = locks.open = false;
	pthread_mutex_unlock(&locks.doing);
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread);

static jvmtiError add_callbacks(jvmtiEnv *vm)
{
	union newer_callbacks callbacks = { .all = { 0 } };
	bool has_virtual = newer_support_virtual(vm);
	jvmtiError err = lock_hooks_prepare(vm, &callbacks.known);

	callbacks.known.VMInit = vm_begins;
	callbacks.known.VMDeath = vm_ends;
	callbacks.known.ThreadEnd = thread_ends;
	callbacks.known.MonitorContendedEnter = enters;
	callbacks.known.MonitorContendedEntered = entered;
	callbacks.known.MonitorWait = begins_to_wait;
	callbacks.known.MonitorWaited = has_waited;
	if (has_virtual)
		callbacks.all[NEWER_VIRTUAL_END - NEWER_FIRST] = (void *)thread_ends;
	if (!err)
		err = (*vm)->SetEventCallbacks(vm, &callbacks.known, sizeof(callbacks));
	if (!err && has_virtual)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, NEWER_VIRTUAL_END, NULL);
	return err;
}

/* Runs once, at the first recording. */
static jvmtiError prepare(jvmtiEnv *vm)
{
	static const jvmtiCapabilities wanted = {
		.can_generate_monitor_events = 1,
		.can_get_monitor_info = 1,
		.can_tag_objects = 1,
	};
	static const jvmtiEvent events[] = { JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH,
					     JVMTI_EVENT_THREAD_END };
	jvmtiError err = (*vm)->AddCapabilities(vm, &wanted);

	if (!err)
		err = add_callbacks(vm);
	for (size_t i = 0; !err && i < sizeof(events) / sizeof(*events); i++)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, events[i], NULL);
	if (!err && lock_table_init(&lock_state.table, MONITORS))
		err = JVMTI_ERROR_OUT_OF_MEMORY;
	lock_state.vm = vm;
	monitors_begin(vm, &lock_state.table, &lock_state.lock);
	locks.prepared = !err;
	return err;
}

/* The caller holds `doing` and has installed the hooks if needed. Returns NULL or the reason of the
 * failure. */
static const char *record(jvmtiEnv *vm, bool gets)
{
	if (!next_log())
		return "the log cannot be made: the agent's message says why";
	pthread_mutex_lock(&lock_state.lock);
	lock_table_reset(&lock_state.table);
	lock_state.table.gets = gets;
	pthread_mutex_unlock(&lock_state.lock);
	lock_state.since = now_ns();
	lock_state.recording++;
	if (notify(vm, JVMTI_ENABLE))
		return "the VM does not report monitors";
	lock_state.counts = gets;
	locks.on = true;
	return NULL;
}

/* The caller holds `doing`. `jni` NULL: only contention. Returns NULL or the reason of the failure.
 */
static const char *start(jvmtiEnv *vm, JNIEnv *jni)
{
	const char *why = jni ? gets_begin(vm, jni) : NULL;

	if (why)
		return why;
	why = record(vm, jni);
	if (why && jni)
		gets_end(vm, jni);
	return why;
}

static void be_asked(const struct agent_options *o)
{
	locks.o = o;
	locks.log.program = agent_kind.name;
	locks.log.kind = "log-jlm";
}

/* Returns false after a message. */
static bool start_now(jvmtiEnv *vm, JNIEnv *jni)
{
	const char *why;

	pthread_mutex_lock(&locks.doing);
	why = start(vm, jni);
	pthread_mutex_unlock(&locks.doing);
	if (why)
		fprintf(stderr, "%s: %s: %s\n", agent_kind.name, jni ? "JLM" : "JLML", why);
	return !why;
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)thread;
	if (locks.o->gets)
		start_now(vm, jni);
}

void locks_reserve(jvmtiEnv *vm)
{
	lock_state.vm = vm;
}

jint locks_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running)
{
	JNIEnv *jni = NULL;
	jvmtiError err;

	(void)text;
	be_asked(o);
	err = prepare(vm);
	if (err)
		return refused(vm, "this Java VM does not report monitors", err);
	/* Hooks can only be installed once the VM is up. */
	if (o->gets && !running)
		return JNI_OK;
	if (o->gets && (*java)->GetEnv(java, (void **)&jni, JNI_VERSION_1_6))
		return JNI_ERR;
	return start_now(vm, jni) ? JNI_OK : JNI_ERR;
}

/* ---- rtdriver's commands --------------------------------------------------------------------- */

const char *locks_start(JNIEnv *jni, const struct agent_options *o, bool gets)
{
	const char *why = NULL;

	pthread_mutex_lock(&locks.doing);
	if (!locks.prepared) {
		be_asked(o);
		if (prepare(lock_state.vm))
			why = "this Java VM does not report monitors";
	}
	if (locks.on)
		why = "monitors are watched already";
	if (!why)
		why = start(lock_state.vm, gets ? jni : NULL);
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

const char *locks_stop(JNIEnv *jni, char *path, size_t room)
{
	bool gets;
	const char *why;

	pthread_mutex_lock(&locks.doing);
	gets = lock_state.counts;
	lock_state.counts = false;
	if (locks.on)
		notify(lock_state.vm, JVMTI_DISABLE);
	why = write_now(path, room);
	if (gets)
		gets_end(lock_state.vm, jni);
	locks.on = false;
	pthread_mutex_unlock(&locks.doing);
	return why;
}
