/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The agent: each class that is loaded, and those that are there already, get calls of the hooks;
 * when the VM ends, the trees are written.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "calibration_key.h"
#include "class_rewrite.h"
#include "escape.h"
#include "method_filter.h"
#include "hooks.h"
#include "log_rt.h"
#include "methods.h"
#include "probes.h"
#include "metrics.h"
#include "refused.h"
#include "vm_methods.h"

struct left {
	int32_t method; /* -1: the class, whose name this is */
	char *class;
	const char *why;
};

static struct {
	JavaVM *java; /* NULL: not loaded yet */
	jvmtiEnv *vm;
	struct log_rt log;
	struct method_filter methods;
	char path[4096], prefix[256];
	bool probes; /* the VM's own probes, not changed classes */
	char minima[4096]; /* their file; empty: the cache's */
	bool no_minima;
	char key[4096]; /* what they are of */
	struct calibration trained;
	struct calibration_file minima_file;
	bool live; /* the hooks' class is there */
	bool written;
	pthread_mutex_t lock; /* of what was left */
	struct left *left;
	uint32_t left_count, left_room;
} agent = { .prefix = "log-rt", .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---- options --------------------------------------------------------------------------------- */

static const char *set_tree(const char *text, size_t n)
{
	(void)text, (void)n;
	agent.log.values = false;
	return NULL;
}

static const char *set_flow(const char *text, size_t n)
{
	(void)text, (void)n;
	agent.log.values = true;
	return NULL;
}

static const char *set_types(const char *text, size_t n)
{
	(void)text, (void)n;
	agent.log.types = true;
	return NULL;
}

static const char *set_static(const char *text, size_t n)
{
	(void)text, (void)n;
	agent.log.types = agent.log.static_types = true;
	return NULL;
}

static const char *set_methods(const char *text, size_t n)
{
	return filter_set(&agent.methods, text, n) ? "patterns separated by + are needed" : NULL;
}

static const char *set_text(char *to, size_t size, const char *text, size_t n)
{
	if (!n || n >= size)
		return n ? "it is too long" : "a name is needed";
	memcpy(to, text, n);
	to[n] = 0;
	return NULL;
}

static const char *set_path(const char *text, size_t n)
{
	return set_text(agent.path, sizeof(agent.path), text, n);
}

static const char *set_prefix(const char *text, size_t n)
{
	return memchr(text, '/', n) ? "a slash is no part of a name: LOGPATH= has the folder" :
				      set_text(agent.prefix, sizeof(agent.prefix), text, n);
}

static const char *set_mode(const char *text, size_t n)
{
	agent.probes = n == 6 && !memcmp(text, "probes", n);
	return agent.probes || (n == 7 && !memcmp(text, "rewrite", n)) ? NULL :
									 "it is rewrite or probes";
}

static const char *set_minima(const char *text, size_t n)
{
	agent.no_minima = n == 4 && !strncmp(text, "none", n);
	return agent.no_minima ? NULL : set_text(agent.minima, sizeof(agent.minima), text, n);
}

static const struct option {
	const char *name; /* with '=': a text follows */
	const char *argument, *help;
	const char *(*set)(const char *text, size_t n); /* NULL: help. Why not, or NULL */
} options[] = {
	{ "CALLFLOW", "", "the tree of calls with what each method took (the default)", set_flow },
	{ "CALLTREE", "", "the tree of calls without", set_tree },
	{ "METHODTYPES", "", "a letter for each method: I interpreted, J jitted, N native",
	  set_types },
	{ "STATDYN", "", "small letters for static methods", set_static },
	{ "CLASSMETHODS=", "PATTERN[+…]",
	  "methods: package/Class.method(descriptor) with *; -PATTERN excludes", set_methods },
	{ "MODE=", "rewrite|probes",
	  "how calls are seen: by changed classes (the default) or the VM's own probes", set_mode },
	{ "METRICS=", "NAME[+…]",
	  "what is measured: wall (the default), tsc, instructions, … as ptt has them",
	  metrics_set },
	{ "CALIBRATION=", "FILE", "where minima are kept (in the user's cache), or none",
	  set_minima },
	{ "LOGPATH=", "FOLDER", "where the log goes (the working folder)", set_path },
	{ "LOGPREFIX=", "NAME", "the log's name before .N_PID (log-rt)", set_prefix },
	{ "HELP", "", "print this text", NULL },
};
#define OPTIONS (sizeof(options) / sizeof(*options))

static void usage(void)
{
	fputs("jprof: counts and measures each call of Java methods.\n"
	      "  -agentpath:.../libjprof.so[=OPTION[,OPTION]...]\n",
	      stdout);
	for (size_t i = 0; i < OPTIONS; i++)
		printf("  %s%-*s  %s\n", options[i].name, (int)(24 - strlen(options[i].name)),
		       options[i].argument, options[i].help);
}

static const struct option *find_option(const char *text, size_t n)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		size_t length = strlen(options[i].name);

		if (n >= length && !strncmp(text, options[i].name, length) &&
		    (n == length || options[i].name[length - 1] == '='))
			return &options[i];
	}
	return NULL;
}

/* 1: go on; 0: no agent is wanted; -1: an error, after a message. */
static int parse(const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, ","), length;
		const struct option *o = find_option(text, n);
		const char *why = o ? NULL : "unknown option";

		if (o && !o->set) {
			usage();
			return 0;
		}
		length = o ? strlen(o->name) : 0;
		if (o)
			why = o->set(text + length, n - length);
		if (n && why) {
			escape_printf(stderr, "jprof: %.*s: %s (HELP lists the options)\n", (int)n,
				      text, why);
			return -1;
		}
		text += n + (text[n] == ',');
	}
	return 1;
}

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
	int n;

	(void)arg;
	n = snprintf(name, sizeof(name), "%.*s.%.*s%.*s", m->class.n, m->class.text, m->name.n,
		     m->name.text, m->descriptor.n, m->descriptor.text);
	if (n < 0 || !filter_takes(&agent.methods, name))
		return -1;
	return methods_add(m->class.text, m->class.n, m->name.text, m->name.n, m->descriptor.text,
			   m->descriptor.n, m->access & ACCESS_STATIC);
}

static void left(void *arg, int32_t id, const char *why)
{
	(void)arg;
	leave_alone(id, NULL, why);
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

/* Those that are loaded already. */
static void change_classes(jvmtiEnv *vm, JNIEnv *jni)
{
	jclass *classes;
	jint n, kept = 0, i;
	jvmtiError err = (*vm)->GetLoadedClasses(vm, &n, &classes);

	if (err)
		return;
	for (i = 0; i < n; i++) {
		jboolean can = JNI_FALSE;

		if (!(*vm)->IsModifiableClass(vm, classes[i], &can) && can)
			classes[kept++] = classes[i];
		else
			(*jni)->DeleteLocalRef(jni, classes[i]);
	}
	/* One that is refused takes all others along: then each by itself. */
	if ((*vm)->RetransformClasses(vm, kept, classes)) {
		for (i = 0; i < kept; i++) {
			char *signature = NULL;

			if (!(*vm)->RetransformClasses(vm, 1, &classes[i]))
				continue;
			(*vm)->GetClassSignature(vm, classes[i], &signature, NULL);
			leave_alone(-1, signature ? signature : "a class",
				    "the VM takes no change of it");
			(*vm)->Deallocate(vm, (unsigned char *)signature);
		}
	}
	for (i = 0; i < kept; i++)
		(*jni)->DeleteLocalRef(jni, classes[i]);
	(*vm)->Deallocate(vm, (unsigned char *)classes);
}

/* ---- minima of other runs -------------------------------------------------------------------- */

/* A file that was asked for is missed by somebody. */
static void tell_minima(void)
{
	if (*agent.minima && agent.log.no_file)
		escape_printf(stderr, "jprof: %s\njprof: minima are of this run alone\n",
			      agent.log.no_file);
}

static void begin_minima(jvmtiEnv *vm)
{
	struct calibration_file *f = &agent.minima_file;

	if (!agent.log.values)
		return;
	key_here(agent.key, sizeof(agent.key), vm);
	key_add(agent.key, sizeof(agent.key), "events",
		agent.probes ? "the VM's probes" : "changed classes");
	agent.log.key = agent.key;
	if (agent.no_minima || calibration_init(&agent.trained, metrics_count()))
		return;
	if (calibration_file_open(f, *agent.minima ? agent.minima : NULL, agent.key) &&
	    calibration_file_load(f, &agent.trained, agent.key)) {
		agent.log.trained = &agent.trained;
		agent.log.file = f;
		return;
	}
	agent.log.no_file = f->why;
	tell_minima();
}

/* ---- the log --------------------------------------------------------------------------------- */

static void write_left(FILE *out)
{
	if (agent.left_count)
		fprintf(out, "\nleft as they are: %" PRIu32 "\n", agent.left_count);
	for (uint32_t i = 0; i < agent.left_count; i++) {
		const struct left *l = &agent.left[i];

		escape_print(out,
			     l->method < 0 ? l->class : methods_get((uint32_t)l->method)->name);
		fprintf(out, ": %s\n", l->why);
	}
}

static void write_log(void)
{
	char path[sizeof(agent.path) + sizeof(agent.prefix) + 32];
	FILE *out;
	int err;

	snprintf(path, sizeof(path), "%s%s%s.1_%d", agent.path, *agent.path ? "/" : "",
		 agent.prefix, (int)getpid());
	unlink(path);
	out = fopen(path, "wxe");
	err = out ? log_rt_write(out, &agent.log) : -errno;
	if (out && agent.log.file)
		tell_minima();
	if (out && !err) {
		pthread_mutex_lock(&agent.lock);
		write_left(out);
		pthread_mutex_unlock(&agent.lock);
	}
	if (out && fclose(out) && !err)
		err = -errno;
	if (err)
		escape_printf(stderr, "jprof: %s: %s: the log is not whole\n", path,
			      strerror(-err));
}

/* ---- the VM's events ------------------------------------------------------------------------- */

static void thread_name(jvmtiEnv *vm, jthread thread, void (*to)(const char *name))
{
	jvmtiThreadInfo info = { 0 };

	if ((*vm)->GetThreadInfo(vm, thread, &info))
		info.name = NULL;
	to(info.name);
	(*vm)->Deallocate(vm, (unsigned char *)info.name);
}

static char *name_here(void)
{
	jvmtiThreadInfo info = { 0 };
	char *name = NULL;

	if (!(*agent.vm)->GetThreadInfo(agent.vm, NULL, &info) && info.name)
		name = strdup(info.name);
	(*agent.vm)->Deallocate(agent.vm, (unsigned char *)info.name);
	return name;
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
}

static void JNICALL stub_made(jvmtiEnv *vm, const char *name, const void *address, jint size)
{
	(void)vm;
	if (!strcmp(name, "Interpreter"))
		hooks_interpreter(address, (size_t)size);
}

static bool takes(const char *name)
{
	return filter_takes(&agent.methods, name);
}

static void JNICALL class_goes(jvmtiEnv *vm, ...)
{
	(void)vm;
	vm_methods_unloaded();
}

/* HotSpot tells of classes that are unloaded by an event of its own. */
static jvmtiError hear_unloading(jvmtiEnv *vm)
{
	jvmtiExtensionEventInfo *events;
	jvmtiError err;
	jint n;

	err = (*vm)->GetExtensionEvents(vm, &n, &events);
	if (err)
		return err;
	err = JVMTI_ERROR_NOT_AVAILABLE;
	for (jint i = 0; i < n; i++)
		if (!strcmp(events[i].id, "com.sun.hotspot.events.ClassUnload"))
			err = (*vm)->SetExtensionEventCallback(vm, events[i].extension_event_index,
							       class_goes);
	(*vm)->Deallocate(vm, (unsigned char *)events);
	return err;
}

/* NULL, or why it cannot be. */
static const char *install_probes(JavaVM *java)
{
	struct vm_image image;
	const char *why = vm_image_open(&image, (const void *)(*java)->GetEnv);

	if (why)
		return why;
	why = vm_methods_init(&image, takes);
	if (!why && hear_unloading(agent.vm))
		why = "this Java VM does not tell when it unloads classes";
	hooks_exception_at(probes_exception_at(&image));
	if (!why)
		why = probes_install(&image, hooks_probe_begin, hooks_probe_end);
	vm_image_close(&image);
	return why;
}

/* false, after a message: nothing is measured. */
static bool start(JNIEnv *jni)
{
	const char *why = agent.probes ? NULL : hooks_define(jni, name_here);

	if (why) {
		fprintf(stderr, "jprof: %s: nothing is measured\n", why);
		return false;
	}
	agent.live = true;
	if (!agent.probes)
		change_classes(agent.vm, jni);
	hooks_set(true);
	return true;
}

static void JNICALL vm_begins(jvmtiEnv *vm, JNIEnv *jni, jthread thread)
{
	thread_begins(vm, jni, thread);
	start(jni);
}

static void JNICALL vm_ends(jvmtiEnv *vm, JNIEnv *jni)
{
	(void)vm, (void)jni;
	hooks_set(false);
	if (agent.live && !agent.written)
		write_log();
	agent.written = true;
}

/* ---- begin ----------------------------------------------------------------------------------- */

static jint begin(JavaVM *java, const char *text, bool running)
{
	static const jvmtiEvent events[] = {
		JVMTI_EVENT_VM_INIT,
		JVMTI_EVENT_VM_DEATH,
		JVMTI_EVENT_THREAD_START,
		JVMTI_EVENT_THREAD_END,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED,
		JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, /* the last: not with probes */
	};
	static const jvmtiEventCallbacks callbacks = {
		.VMInit = vm_begins,
		.VMDeath = vm_ends,
		.ClassFileLoadHook = class_comes,
		.ThreadStart = thread_begins,
		.ThreadEnd = thread_ends,
		.DynamicCodeGenerated = stub_made,
	};
	static const jvmtiCapabilities wanted = {
		.can_generate_all_class_hook_events = 1,
		.can_retransform_classes = 1,
		.can_retransform_any_class = 1,
	};
	size_t count = sizeof(events) / sizeof(events[0]);
	jvmtiError err;
	jvmtiEnv *vm;
	JNIEnv *jni;
	int go_on;

	if (agent.java) {
		fputs("jprof: it measures already: nothing changes\n", stderr);
		return JNI_OK;
	}
	agent.log.values = true;
	go_on = parse(text);
	if (go_on <= 0)
		return go_on < 0 ? JNI_ERR : JNI_OK;
	if ((*java)->GetEnv(java, (void **)&vm, JVMTI_VERSION_11)) {
		fputs("jprof: this Java VM has no JVMTI of Java 11\n", stderr);
		return JNI_ERR;
	}
	agent.java = java;
	agent.vm = vm;
	begin_minima(vm);
	if (agent.probes) {
		const char *why =
			running ? "MODE=probes is for the VM's start: its code is made by then" :
				  install_probes(java);

		if (why) {
			fprintf(stderr, "jprof: %s\n", why);
			return JNI_ERR;
		}
		count--;
	}
	err = agent.probes ? 0 : (*vm)->AddCapabilities(vm, &wanted);
	if (err)
		return refused(vm, "jprof", "this Java VM changes no classes", err);
	err = (*vm)->SetEventCallbacks(vm, &callbacks, sizeof(callbacks));
	for (size_t i = 0; !err && i < count; i++)
		err = (*vm)->SetEventNotificationMode(vm, JVMTI_ENABLE, events[i], NULL);
	/* Where the interpreter is was told when it was made. */
	if (!err && running)
		err = (*vm)->GenerateEvents(vm, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	if (err)
		return refused(vm, "jprof", "the Java VM's events", err);
	if (running && ((*java)->GetEnv(java, (void **)&jni, JNI_VERSION_1_6) || !start(jni)))
		return JNI_ERR;
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *text, void *reserved)
{
	(void)reserved;
	return begin(java, text, false);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *java, char *text, void *reserved)
{
	(void)reserved;
	return begin(java, text, true);
}
