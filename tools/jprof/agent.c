/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The entry points that the VM calls when it loads the agent. They read the options and start the
 * requested parts, each with its own JVMTI environment, so that the parts are independent.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jprof_calls.h"
#include "escape.h"
#include "java_objects.h"
#include "agent_options.h"
#include "agent_control.h"
#include "locks.h"
#include "pijit.h"
#include "stack_samples.h"
#include "threads.h"
#include "trace_records.h"

static struct {
	bool loaded;
	struct agent_options o;
	struct jitlog_writer *text; /* log-jita2n and log-jtnm, as requested */
} agent;

static jvmtiEnv *environment(JavaVM *java)
{
	jvmtiEnv *vm;

	if (!(*java)->GetEnv(java, (void **)&vm, JVMTI_VERSION_1_2))
		return vm;
	fprintf(stderr, "%s: this Java VM has no JVMTI\n", agent_kind.name);
	return NULL;
}

/* The agent is loaded again: by both the command line and the environment, or by an attach. That is
 * harmless if it only names code; rtdriver attaches it again to open the control socket. */
static jint twice(JavaVM *java, const char *text, bool running)
{
	static struct agent_options o;

	if (running && options_ask_control(&o, text)) {
		agent.o.tcp = o.tcp;
		agent.o.port = o.port;
		return control_listen(java, &agent.o);
	}
	if (running || agent.o.calls.parts != PART_NAMES)
		fprintf(stderr, "%s: already loaded: loading it again has no effect\n",
			agent_kind.name);
	return running ? JNI_ERR : JNI_OK;
}

/* Checks the folder before anything is measured. */
static bool can_write(const char *folder)
{
	struct stat s;
	int err = 0;

	if (stat(folder, &s))
		err = errno;
	else if (!s.st_nlink) /* the working folder, which was removed */
		err = ENOENT;
	else if (!S_ISDIR(s.st_mode))
		err = ENOTDIR;
	else if (access(folder, W_OK | X_OK))
		err = errno;
	if (err)
		escape_printf(stderr, "%s: LOGPATH=%s: %s\n", agent_kind.name, folder,
			      strerror(err));
	return !err;
}

static bool text_logs(void)
{
	static const char *const names[] = {
		[JITLOG_CODE] = "log-jita2n",
		[JITLOG_THREADS] = "log-jtnm",
		[JITLOG_CODE | JITLOG_THREADS] = "log-jita2n and log-jtnm",
	};
	const char *folder = *agent.o.calls.path ? agent.o.calls.path : NULL;
	bool threads = agent.o.calls.parts & PART_THREADS, records;
	unsigned int files;
	int err;

	/* A trace session receives the names as records. */
	records = (threads || agent.o.text) && records_begin();
	if (threads && !(records && records_wanted()))
		agent.o.thread_log = true;
	files = (agent.o.text ? JITLOG_CODE : 0) | (agent.o.thread_log ? JITLOG_THREADS : 0);
	if (!files)
		return true;
	err = jitlog_create_files(&agent.text, folder, files);
	if (err)
		escape_printf(stderr, "%s: %s cannot be made in %s: %s\n", agent_kind.name,
			      names[files], folder ? folder : ".", strerror(-err));
	return !err;
}

static jint begin_parts(JavaVM *java, bool running)
{
	static const struct {
		enum agent_part part;
		jint (*begin)(jvmtiEnv *vm, JavaVM *java, const struct agent_options *o,
			      struct jitlog_writer *text, bool running);
	} parts[] = {
		/* PART_STACKS writes names at the VM's death: the VM notifies the environments in
		 * the order of their creation. */
		{ PART_STACKS, stacks_begin },   { PART_NAMES, names_begin },
		{ PART_THREADS, threads_begin }, { PART_OBJECTS, objects_begin },
		{ PART_LOCKS, locks_begin },     { PART_CALLS, calls_begin },
		{ PART_CONTROL, control_begin },
	};
	jvmtiEnv *vm;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		bool wanted = agent.o.calls.parts & parts[i].part;

		/* rtdriver may start PART_LOCKS later, and it must see classes before PART_CALLS
		 * has changed them. */
		if (!wanted && parts[i].part != PART_LOCKS)
			continue;
		vm = environment(java);
		if (vm && !wanted)
			locks_reserve(vm);
		else if (!vm || parts[i].begin(vm, java, &agent.o, agent.text, running))
			return JNI_ERR;
	}
	return JNI_OK;
}

/* Returns the folder that the logs need, or NULL. A VM that runs can load the agent again with
 * another folder, if nothing has begun yet. */
static const char *log_folder(bool running)
{
	if (*agent.o.calls.path)
		return agent.o.calls.path;
	return running && agent.o.calls.parts & PART_CALLS ? "." : NULL;
}

static jint begin(JavaVM *java, const char *text, bool running)
{
	const char *folder;
	int go_on;

	if (agent.loaded)
		return twice(java, text, running);
	go_on = options_take(&agent.o, text);
	if (go_on <= 0)
		return go_on < 0 ? JNI_ERR : JNI_OK;
	folder = log_folder(running);
	if ((folder && !can_write(folder)) || !text_logs()) {
		options_free(&agent.o);
		return JNI_ERR;
	}
	agent.loaded = true;
	return begin_parts(java, running);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	(void)reserved;
	return begin(java, options, false);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *java, char *options, void *reserved)
{
	(void)reserved;
	return begin(java, options, true);
}
