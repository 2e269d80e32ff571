/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent: inserts hook calls into each class that is or will be loaded; when the VM ends, it
 * writes the trees.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aborted.h"
#include "base/array.h"
#include "change_classes.h"
#include "java_text.h"
#include "jprof_calls.h"
#include "class_rewrite.h"
#include "compiled_calls.h"
#include "escape.h"
#include "hidden.h"
#include "call_hooks.h"
#include "log_file.h"
#include "log_gen.h"
#include "log_rt.h"
#include "method_id.h"
#include "methods.h"
#include "metrics.h"
#include "minima.h"
#include "native_way.h"
#include "natives.h"
#include "probes.h"
#include "refused.h"
#include "threads_there.h"
#include "virtual.h"
#include "vm_key.h"

#define ATTACHED                                                                          \
	"methods that ran then are Other until they end: their calls are directly below " \
	"their thread"

struct left {
	int32_t method; /* -1: a class, named below */
	char *class;
	const char *why;
};

static struct {
	jvmtiEnv *vm;
	const struct agent_options *o;
	struct log_rt log;
	struct log_file file;
	const char *late; /* why methods ran before the agent started; NULL: none did */
	bool begun;
	bool live;    /* the hooks' class is defined */
	bool running; /* events are recorded */
	bool open;    /* there is data that no log contains yet */
	atomic_bool over;
	pthread_mutex_t doing; /* protects the three above, and logs */
	pthread_mutex_t lock;  /* protects what was left */
	struct left *left;
	uint32_t left_count, left_room;
} agent = { .lock = PTHREAD_MUTEX_INITIALIZER, .doing = PTHREAD_MUTEX_INITIALIZER };

/* ---- classes --------------------------------------------------------------------------------- */

static void leave_alone(int32_t method, const char *class, const char *why)
{
	pthread_mutex_lock(&agent.lock);
	if (!array_next(agent.left, agent.left_count, agent.left_room))
		agent.left[agent.left_count++] = (struct left){ method,
								class ? strdup(class) : NULL, why };
	pthread_mutex_unlock(&agent.lock);
}

static int32_t choose(void *arg, const struct class_method *m)
{
	char name[1024];
	int32_t number;

	(void)arg;
	if (!class_method_name(m, name, sizeof(name)))
		return -1;
	java_text(name);
	if (virtual_switches(name) || !filter_takes(&agent.o->methods, name))
		return -1;
	number = methods_add(m->class.text, m->class.n, m->name.text, m->name.n, m->descriptor.text,
			     m->descriptor.n);
	return number < 0 ? -1 :
			    method_id((uint32_t)number, m->access & ACCESS_STATIC,
				      m->access & ACCESS_NATIVE);
}

static void left(void *arg, int32_t id, const char *why)
{
	(void)arg;
	leave_alone((int32_t)method_number((uint32_t)id), NULL, why);
}

static void JNICALL class_comes(jvmtiEnv *vm, JNIEnv *jni, jclass old, jobject loader,
				const char *name, jobject domain, jint size,
				const unsigned char *data, jint *new_size, unsigned char **new_data)
{
	static const struct class_rewrite how = { .hooks = HOOK_CLASS,
						  .method = choose,
						  .left = left };
	struct class_out out = { 0 };
	const char *why;
	size_t offset;
	int rc;

	(void)jni, (void)old, (void)loader, (void)domain;
	if (!agent.live || (name && !strcmp(name, HOOK_CLASS)))
		return;
	rc = class_rewrite(data, (size_t)size, &how, &out, &offset, &why);
	if (rc < 0)
		leave_alone(-1, name ? name : "a class", rc == -EINVAL ? why : strerror(-rc));
	if (rc > 0 && !(*vm)->Allocate(vm, (jlong)out.n, new_data)) {
		memcpy(*new_data, out.data, out.n);
		*new_size = (jint)out.n;
	}
	class_out_free(&out);
}

static void leave_class(const char *signature)
{
	leave_alone(-1, signature, "the VM does not allow changing it");
}

/* ---- source of the logs ---------------------------------------------------------------------- */

static const char *name_of(uint32_t method)
{
	return __atomic_load_n(&methods_get(method)->name, __ATOMIC_ACQUIRE);
}

static uint64_t refused_threads(const char **why)
{
	struct hooks_refused r = hooks_refused();

	*why = r.why;
	return r.threads;
}

static struct call_source source = {
	.name = name_of,
	.methods = methods_count,
	.each = hooks_each,
	.refused = refused_threads,
};

/* ---- the log --------------------------------------------------------------------------------- */

static void write_left(FILE *out)
{
	pthread_mutex_lock(&agent.lock);
	if (agent.left_count)
		fprintf(out, "\nleft as they are: %" PRIu32 "\n", agent.left_count);
	for (uint32_t i = 0; i < agent.left_count; i++) {
		const struct left *l = &agent.left[i];

		escape_print(out,
			     l->method < 0 ? l->class : methods_get((uint32_t)l->method)->name);
		fprintf(out, ": %s\n", l->why);
	}
	pthread_mutex_unlock(&agent.lock);
}

static char key[4096]; /* conditions of the minima */

static const char *minima_path(const struct agent_options *o)
{
	return o->calls.no_minima ? NULL : o->calls.minima;
}

/* why: the reason if the VM ended abnormally; else NULL. */
static void write_log(const char *why)
{
	FILE *out = log_file_open(&agent.file);
	int err = out ? log_rt_write(out, &agent.log) : -errno;

	if (out && !err) {
		if (agent.late)
			fprintf(out, "\n%s: " ATTACHED "\n", agent.late);
		virtual_write(out);
		if (!agent.o->probes) {
			natives_write(out);
			hidden_write(out);
		}
		write_left(out);
		if (why)
			fprintf(out, "\n%s: this was counted until then\n", why);
	}
	log_file_close(&agent.file, out, err);
	if (out && !err)
		minima_report(&agent.log, minima_path(agent.o));
}

/* The VM ends, possibly without an event. Only the first caller writes the log. */
static void ended(const char *why)
{
	hooks_set(false);
	if (!agent.live || atomic_exchange(&agent.over, true))
		return;
	/* In an aborted VM, log-gen's thread no longer runs: the file remains as it is. */
	if (!why)
		log_gen_end();
	if (!why)
		pthread_mutex_lock(&agent.doing);
	else if (pthread_mutex_trylock(&agent.doing))
		return;
	if (agent.open)
		write_log(why);
	if (why)
		escape_printf(stderr, "%s: %s: %s has what was counted until then\n",
			      agent_kind.name, why, agent.file.path);
	pthread_mutex_unlock(&agent.doing);
}

/* ---- the VM's events ------------------------------------------------------------------------- */

static void thread_name(jvmtiEnv *vm, jthread thread, void (*to)(const char *name))
{
	jvmtiThreadInfo info = { 0 };

	if ((*vm)->GetThreadInfo(vm, thread, &info))
		info.name = NULL;
	java_text(info.name);
	to(info.name);
	(*vm)->Deallocate(vm, (unsigned char *)info.name);
}

static void JNICALL thread_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni;
	thread_name(vm, thread, hooks_thread_begin);
}

static void JNICALL thread_ends(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	(void)jni;
	thread_name(vm, thread, hooks_thread_name);
	hooks_thread_end();
	threads_there_ends();
}

static void JNICALL class_prepared(jvmtiEnv *vm, JNIEnv *jni, jthread thread, jclass class)
{
	(void)jni, (void)thread;
	hidden_see(vm, class);
}

static void JNICALL stub_made(jvmtiEnv *vm, const char *name, const void *address, jint size)
{
	(void)vm;
	if (!strcmp(name, "Interpreter"))
		hooks_interpreter(address, (size_t)size);
}

static void begin_trace(void)
{
	const char *names[CALL_METRICS];
	char path[LOG_FILE_PATH];
	uint32_t i;

	for (i = 0; i < metrics_count(); i++)
		names[i] = metrics_get(i)->name;
	log_file_path(path, agent.o->calls.path, agent.o->calls.prefix, "log-gen", 1);
	if (log_gen_begin(&source, path, metrics_count(), names))
		hooks_trace();
}

static bool takes(const char *name)
{
	return filter_takes(&agent.o->methods, name);
}

/* On failure returns false after a message: nothing is measured. */
static bool start(JNIEnv *jni)
{
	const struct class_change change = { agent.late ? hidden_see : NULL, leave_class };
	const char *why = agent.o->probes ? NULL : hooks_define(jni);

	threads_there(agent.vm, jni);
	if (why) {
		fprintf(stderr, "%s: %s: nothing is measured\n", agent_kind.name, why);
		return false;
	}
	agent.live = true;
	if (agent.o->calls.trace)
		begin_trace();
	if (!agent.o->probes)
		change_classes(agent.vm, jni, &change);
	agent.running = agent.open = true;
	hooks_set(true);
	return true;
}

/* ---- rtdriver's commands --------------------------------------------------------------------- */

/* If it returns NULL, `doing` is held. */
static const char *may_do(void)
{
	const char *why = NULL;

	pthread_mutex_lock(&agent.doing);
	if (!agent.begun)
		why = "this agent measures no calls: it was loaded without CALLFLOW or CALLTREE";
	else if (agent.over)
		why = "the Java VM is ending";
	if (why)
		pthread_mutex_unlock(&agent.doing);
	return why;
}

/* Creates the next log, with its own number, after one was written. */
static const char *next_log(void)
{
	agent.file.number = agent.file.number ? agent.file.number + 1 : 2;
	return log_file_make(&agent.file, agent.o->calls.path, agent.o->calls.prefix, "VM") ?
		       NULL :
		       "the next log cannot be created: the agent's message says why";
}

const char *calls_start(JNIEnv *jni)
{
	const char *why = may_do();

	if (why)
		return why;
	if (agent.running)
		why = "it is already counting";
	else if (agent.live && !agent.open)
		why = next_log();
	if (!why && !agent.live && !start(jni))
		why = "nothing can be measured: the agent's message says why";
	if (!why) {
		agent.running = agent.open = true;
		hooks_set(true);
	}
	pthread_mutex_unlock(&agent.doing);
	return why;
}

/* Writes the data so far to the current log. */
static void write_now(char *path, size_t room)
{
	snprintf(path, room, "%s", agent.file.path);
	write_log(NULL);
}

const char *calls_stop(char *path, size_t room)
{
	const char *why = may_do();

	if (why)
		return why;
	if (!agent.running) {
		why = "it is not counting: use start first";
	} else {
		hooks_set(false);
		agent.running = agent.open = false;
		write_now(path, room);
	}
	pthread_mutex_unlock(&agent.doing);
	return why;
}

const char *calls_flush(char *path, size_t room)
{
	const char *why = may_do();

	if (why)
		return why;
	if (!agent.running) {
		why = "it is not counting: stop has written the log";
	} else {
		write_now(path, room);
		why = next_log();
		agent.open = !why;
	}
	pthread_mutex_unlock(&agent.doing);
	return why;
}

const char *calls_reset(void)
{
	const char *why = may_do();

	if (why)
		return why;
	hooks_empty();
	pthread_mutex_unlock(&agent.doing);
	return NULL;
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	thread_begins(vm, jni, thread);
	pthread_mutex_lock(&agent.doing);
	if (!agent.o->later)
		start(jni);
	pthread_mutex_unlock(&agent.doing);
}

static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	(void)vm, (void)jni;
	ended(NULL);
}

/* ---- begin ----------------------------------------------------------------------------------- */

static jint watch(jvmtiEnv *vm, bool running)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT,
		JVMTI_EVENT_VM_DEATH,
		JVMTI_EVENT_THREAD_START,
		JVMTI_EVENT_THREAD_END,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
		/* only for changed classes: */
		JVMTI_EVENT_CLASS_FILE_LOAD_HOOK,
		JVMTI_EVENT_CLASS_PREPARE,
	};
	size_t count = sizeof(events) / sizeof(events[0]) - (agent.o->probes ? 2 : 0);
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = vm_begins,
		.VMDeath = vm_ends,
		.ClassFileLoadHook = class_comes,
		.ClassPrepare = class_prepared,
		.ThreadStart = thread_begins,
		.ThreadEnd = thread_ends,
		.DynamicCodeGenerated = stub_made,
	};
	static const jvmtiCapabilities wanted = {
		.can_generate_all_class_hook_events = 1,
		.can_retransform_classes = 1,
		.can_retransform_any_class = 1,
	};
	jvmtiError err = agent.o->probes ? 0 : (*vm)->AddCapabilities(vm, &wanted);

	if (err)
		return refused(vm, "this Java VM does not support changing classes", err);
	err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));
	for (size_t i = 0; !err && i < count; i++)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, events[i], NULL);
	/* The interpreter's address was reported when it was generated. */
	if (!err && running)
		err = (*vm)->GenerateEvents(vm, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	return err ? refused(vm, "the Java VM's events", err) : JNI_OK;
}

/* Returns false after a message. */
static bool see_by_probes(JavaVM *java, bool running)
{
	const char *why =
		running ? "MODE=probes must be set when the VM starts, before it generates code" :
			  probes_begin(agent.vm, java, takes);

	if (why)
		fprintf(stderr, "%s: %s\n", agent_kind.name, why);
	return !why;
}

static bool see_by_classes(JavaVM *java)
{
	bool natives = !agent.o->no_natives;
	const char *why = natives ? natives_begin(java, &agent.o->methods, agent.late) : NULL;

	if (why)
		fprintf(stderr, "%s: this Java VM: %s: no native methods in the log\n",
			agent_kind.name, why);
	else if (agent.late && natives)
		fprintf(stderr,
			"%s: native methods of classes that are loaded before it begins are not traced: no methods can be added to them\n",
			agent_kind.name);
	return true;
}

jint calls_begin(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
		 struct jitlog_writer *text, bool running)
{
	jvmtiEnv *eleven;
	JNIEnv *jni;

	(void)text;
	if ((*java)->GetEnv(java, (void **)&eleven, JVMTI_VERSION_11)) {
		fprintf(stderr, "%s: this Java VM has no JVMTI of Java 11\n", agent_kind.name);
		return JNI_ERR;
	}
	(*eleven)->DisposeEnvironment(eleven);
	source.program = agent_kind.name;
	agent.file.program = agent_kind.name;
	agent.file.kind = "log-rt";
	if (!log_file_make(&agent.file, o->calls.path, o->calls.prefix, "VM"))
		return JNI_ERR;
	agent.vm = vm;
	agent.o = o;
	agent.late = running ? "attached" : o->later ? "started later" : NULL;
	agent.log = (struct log_rt){
		.source = &source,
		.values = !o->calls.tree,
		.types = o->calls.types,
		.static_types = o->static_types,
	};
	hooks_values(!o->calls.tree);
	hooks_threads(&o->threads, threads_there_name);
	vm_key(key, sizeof(key), vm, o->probes ? "the VM's probes" : "changed classes",
	       o->probes ? NULL : native_way(java, running));
	minima_begin(&agent.log, key, minima_path(o));
	if (o->probes ? !see_by_probes(java, running) : !see_by_classes(java))
		return JNI_ERR;
	if (running)
		fprintf(stderr, "%s: %s: " ATTACHED "\n", agent_kind.name, agent.late);
	virtual_begin(java, running);
	if (watch(vm, running))
		return JNI_ERR;
	aborted_watch(ended, java);
	agent.begun = true;
	compiled_calls_show();
	if (running && !o->later &&
	    ((*java)->GetEnv(java, (void **)&jni, JNI_VERSION_1_6) || !start(jni)))
		return JNI_ERR;
	return JNI_OK;
}
