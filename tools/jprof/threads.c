/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The VM reports a thread on that thread. Threads that already run when the agent is attached have
 * no start. A changed name is noticed when the thread ends. A carrier's name changes with the name
 * of the virtual thread that it carries. */
#include "threads.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "escape.h"
#include "java_text.h"
#include "refused.h"
#include "trace_records.h"
#include "virtual_names.h"

static struct jitlog_writer *text_log;

static void log_thread(const char *name, bool start)
{
	static atomic_bool reported;
	int err = 0;

	if (text_log)
		err = jitlog_thread(text_log, (uint32_t)gettid(), name, start);
	if (err && !atomic_exchange(&reported, true))
		escape_printf(stderr, "%s: log-jtnm: %s: names of threads are missing\n",
			      agent_kind.name, strerror(-err));
}

static void write_thread(jvmtiEnv *vm, jthread thread, bool start)
{
	jvmtiThreadInfo info = { 0 };

	if ((*vm)->GetThreadInfo(vm, thread, &info))
		info.name = NULL;
	java_text(info.name);
	if (info.name)
		records_thread(info.name);
	log_thread(info.name ? info.name : "", start);
	virtual_names_own(start ? info.name : NULL);
	(*vm)->Deallocate(vm, (unsigned char *)info.name);
}

static bool write_carrier(const char *name)
{
	if (!text_log && !records_wanted())
		return false;
	records_thread(name);
	log_thread(name, true);
	return true;
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni;
	virtual_names_subscribe();
	write_thread(vm, thread, true);
}

static void JNICALL thread_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni;
	write_thread(vm, thread, true);
}

static void JNICALL thread_ends(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni;
	write_thread(vm, thread, false);
}

jint threads_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		   struct jitlog_writer *text, bool running)
{
	/* The main thread started earlier: VMInit runs on it. */
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = vm_begins,
		.ThreadStart = thread_begins,
		.ThreadEnd = thread_ends,
	};
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT,
		JVMTI_EVENT_THREAD_START,
		JVMTI_EVENT_THREAD_END,
	};
	jvmtiError err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));

	text_log = o->thread_log ? text : NULL;
	virtual_names_begin(java);
	virtual_names_notify(write_carrier);
	if (running)
		virtual_names_subscribe();
	for (size_t i = 0; !err && i < sizeof(events) / sizeof(events[0]); i++)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, events[i], NULL);
	if (!err && running)
		fprintf(stderr, "%s: THREADINFO: threads that already run have no start\n",
			agent_kind.name);
	return err ? refused(vm, "the Java VM's threads", err) : JNI_OK;
}
