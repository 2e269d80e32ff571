/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Trace* functions: they send requests to the holder, which answers one after the other. Any
 * thread may call any of them: settings made before TraceInit are kept here, protected by a lock
 * that is held only briefly.
 */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "collect/backend.h"
#include "events/event_names.h"
#include "session/holder.h"
#include "base/rc.h"
#include "session/trace_inner.h"
#include "session/tracer_inner.h"

static struct settings {
	int mode, scope, pid, rate;
	uint64_t mte_bytes, section_bytes;
	uint32_t stacks, depth, copy;
	uint64_t rotate_bytes, rotate_ns;
	uint32_t rotate_keep;
	char file[PATH_MAX];
	char collector[16];
	struct pitrace_event_args events[PITRACE_EVENTS];
	uint32_t nevents;
} settings = { .mode = TRACE_NORMAL, .scope = TRACE_SYSTEM };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Does the session have instruction traces, as of the last answer? */
static enum { NOT_KNOWN, NO_BRANCHES, BRANCHES } branches;

static void take_lock(void)
{
	pthread_mutex_lock(&lock);
}

static void give_lock(void)
{
	pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
	pthread_atfork(take_lock, give_lock, give_lock);
}

void trace_watch_forks(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
}

static struct settings *change_settings(void)
{
	trace_watch_forks();
	take_lock();
	return &settings;
}

static struct settings get_settings(void)
{
	struct settings now = *change_settings();

	give_lock();
	return now;
}

/* The holder has another working folder: make names absolute. */
static int absolute(const char *path, char out[PATH_MAX])
{
	char folder[PATH_MAX];
	int n;

	if (path[0] == '/')
		n = snprintf(out, PATH_MAX, "%s", path);
	else if (getcwd(folder, sizeof(folder)))
		n = snprintf(out, PATH_MAX, "%s/%s", folder, path);
	else
		return rc_errno(errno, "the working folder");
	return n < PATH_MAX ? PI_OK : rc_fail(PI_INVALID_ARGUMENT, "the file's name is too long");
}

static int ask(const struct holder_request *q, struct holder_reply *r)
{
	const uint64_t both = 1ull << PITRACE_BRANCH_USER | 1ull << PITRACE_BRANCH_KERNEL;
	int rc = holder_call(q, r);

	if (!rc)
		__atomic_store_n(&branches, r->info.majors[0] & both ? BRANCHES : NO_BRANCHES,
				 __ATOMIC_RELAXED);
	return rc;
}

static int call(uint32_t op, int a, int b, const char *path)
{
	struct holder_reply r;
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = op,
		.a = a,
		.b = b,
	};

	if (path)
		snprintf(q.path, sizeof(q.path), "%s", path);
	return ask(&q, &r);
}

static int get_reply(struct holder_reply *r)
{
	const struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_INFO,
	};

	return ask(&q, r);
}

/* Settings are kept until init; during a session they are refused. */
static int before_init(void)
{
	return call(HOLDER_INFO, 0, 0, NULL) == PI_NOT_INITIALIZED ?
		       PI_OK :
		       rc_fail(PI_INCORRECT_STATE, "this can only be set before init");
}

int TraceSetMode(int mode)
{
	int rc = before_init();

	if (mode < TRACE_NORMAL || mode > TRACE_WRAP)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid mode");
	if (!rc) {
		change_settings()->mode = mode;
		give_lock();
	}
	return rc;
}

int TraceSetName(const char *path)
{
	char name[PATH_MAX] = ""; /* the default, where TraceInit is called */
	int rc = before_init();

	if (!rc && path)
		rc = absolute(path, name);
	if (!rc) {
		strcpy(change_settings()->file, name);
		give_lock();
	}
	return rc;
}

int TraceSetMteSize(uint64_t bytes)
{
	int rc = before_init();

	if (!rc)
		rc = session_check_sizes(bytes, 0, 0);
	if (!rc) {
		change_settings()->mte_bytes = bytes;
		give_lock();
	}
	return rc;
}

int TraceSetSectionSize(uint64_t bytes)
{
	int rc = before_init();

	if (!rc)
		rc = session_check_sizes(0, 0, bytes);
	if (!rc) {
		change_settings()->section_bytes = bytes;
		give_lock();
	}
	return rc;
}

int TraceSetScope(int scope, int pid)
{
	int rc = before_init();

	if (scope != TRACE_SYSTEM && scope != TRACE_PROCESS)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid scope");
	if (scope == TRACE_PROCESS && pid <= 0)
		return rc_fail(PI_INVALID_ARGUMENT, "a process scope needs a pid");
	if (!rc) {
		struct settings *s = change_settings();

		s->scope = scope;
		s->pid = scope == TRACE_PROCESS ? pid : 0;
		give_lock();
	}
	return rc;
}

int TraceSetStacks(int what, int depth, int copy)
{
	const int code = PITRACE_WANT_KERNEL | PITRACE_WANT_USER, any = code | PITRACE_WANT_COPY;
	int rc = before_init();

	if (what & ~(any | PITRACE_WANT_DISPATCH) || (what && !(what & any)))
		return rc_fail(PI_INVALID_ARGUMENT, "invalid kind of call stacks");
	if (depth < 0 || depth > PITRACE_STACK_MAX || (depth && !(what & code)))
		return rc_fail(PI_INVALID_ARGUMENT,
			       "invalid depth: stacks have 1 to %d addresses of each part",
			       PITRACE_STACK_MAX);
	if (copy < 0 || copy > PITRACE_STACK_COPY_MAX || copy % 8 ||
	    !copy != !(what & PITRACE_WANT_COPY))
		return rc_fail(PI_INVALID_ARGUMENT,
			       "invalid copy size: 8 to %d bytes, a multiple of 8",
			       PITRACE_STACK_COPY_MAX);
	if (!rc) {
		struct settings *s = change_settings();

		s->stacks = (uint32_t)what;
		s->depth = (uint32_t)depth;
		s->copy = (uint32_t)copy;
		give_lock();
	}
	return rc;
}

int TraceSetRotation(uint64_t bytes, uint64_t seconds, int keep)
{
	int rc = before_init();

	if (keep < 0 || seconds > UINT32_MAX)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid number of files or seconds");
	if (!rc) {
		struct settings *s = change_settings();

		s->rotate_bytes = bytes;
		s->rotate_ns = seconds * 1000000000ull;
		s->rotate_keep = (uint32_t)keep;
		give_lock();
	}
	return rc;
}

int TraceSetCollector(const char *name)
{
	int rc = before_init();

	if (name && !collector_named(name))
		return rc_fail(PI_INVALID_ARGUMENT, "unknown collector '%s'", name);
	if (!rc) {
		snprintf(change_settings()->collector, sizeof(settings.collector), "%s",
			 name ? name : "");
		give_lock();
	}
	return rc;
}

int TraceSetTprofEvent(int cpu, const char *event, uint64_t count, int priv)
{
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_EVENTS,
	};
	const int set = get_settings().rate;
	uint32_t rate = set ? (uint32_t)set : TRACE_DEFAULT_RATE;
	struct holder_reply r;
	struct settings *s;
	int rc = get_reply(&r);

	if (cpu != -1)
		return rc_fail(PI_NOT_SUPPORTED, "an event is counted on all CPUs: cpu is -1");
	if (rc && rc != PI_NOT_INITIALIZED)
		return rc;
	/* A fixed count has no rate. */
	if (!rc && r.info.rate)
		rate = r.info.rate;
	if (event)
		q.a = TraceFindEvents(event, count, rate, priv, q.events);
	if (q.a < 0)
		return q.a;
	if (!rc)
		return ask(&q, &r);
	/* Kept until init. */
	s = change_settings();
	memcpy(s->events, q.events, sizeof(s->events));
	s->nevents = (uint32_t)q.a;
	give_lock();
	return PI_OK;
}

int TraceCanCount(const struct pitrace_event_args *event)
{
	return event && event_try(event) == 0;
}

int TraceCheck(int scope, int pid, struct trace_check *list, int room)
{
	struct trace_config config = {
		.mode = PITRACE_MODE_CONTINUOUS,
		.scope = (uint32_t)scope,
		.rate = TRACE_DEFAULT_RATE,
		.dither = 100,
		.pid = pid, /* 0: a command that is not started yet */
	};
	bool found = false;
	int n;

	if (scope != TRACE_SYSTEM && scope != TRACE_PROCESS)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid scope");
	if (!list && room > 0)
		return rc_fail(PI_INVALID_ARGUMENT, "no list to fill in");
	for (n = 0; collectors[n]; n++) {
		struct collector_check c;

		if (n >= room)
			continue;
		collectors[n]->check(&config, &c);
		memset(&list[n], 0, sizeof(list[n]));
		snprintf(list[n].name, sizeof(list[n].name), "%s", collectors[n]->name);
		snprintf(list[n].what, sizeof(list[n].what), "%s", collectors[n]->what);
		snprintf(list[n].why, sizeof(list[n].why), "%s", c.why);
		snprintf(list[n].cure, sizeof(list[n].cure), "%s", c.cure);
		list[n].state = (int)c.state;
		list[n].serves = c.state == COLLECTOR_WORKS && !found;
		found |= list[n].serves;
	}
	return n;
}

/* Starts the holder with these settings. */
static int start(const struct tracer_options *given, const struct settings *set)
{
	const char *uid = secure_getenv("SUDO_UID"), *gid = secure_getenv("SUDO_GID");
	struct tracer_options o;
	char file[PATH_MAX];
	int rc;

	rc = absolute(*set->file ? set->file : TRACE_DEFAULT_NAME, file);
	if (rc)
		return rc;
	o = *given;
	o.rate = (uint32_t)set->rate;
	o.mte_bytes = set->mte_bytes;
	o.section_bytes = set->section_bytes;
	o.stacks = set->stacks;
	o.depth = set->depth;
	o.copy = set->copy;
	o.file = file;
	o.events = set->events;
	o.nevents = set->nevents;
	o.rotate_bytes = set->rotate_bytes;
	o.rotate_ns = set->rotate_ns;
	o.rotate_keep = set->rotate_keep;
	o.collector = *set->collector ? set->collector : NULL;
	/* Under sudo the files belong to the user who called it. */
	if (geteuid() == 0 && uid && gid) {
		o.owner = (uid_t)strtoul(uid, NULL, 10);
		o.group = (gid_t)strtoul(gid, NULL, 10);
	}
	return holder_start(&o);
}

int TraceInit(uint64_t size)
{
	int rc = session_check_sizes(0, size, 0);
	struct tracer_options o;
	struct settings set;

	if (rc)
		return rc;
	tracer_defaults(&o);
	set = get_settings();
	o.mode = set.mode;
	o.scope = set.scope;
	o.pid = set.pid;
	o.trace_bytes = size;
	return start(&o, &set);
}

int trace_begin(int pid, const uint64_t majors[PITRACE_MAJORS / 64],
		const struct tracer_itrace *itrace)
{
	const struct settings set = get_settings();
	struct tracer_options o;

	tracer_defaults(&o);
	o.mode = TRACE_CONTINUOUS;
	o.scope = pid ? TRACE_PROCESS : TRACE_SYSTEM;
	o.pid = pid;
	o.itrace = itrace;
	memcpy(o.majors, majors, sizeof(o.majors));
	return start(&o, &set);
}

int trace_itrace(const struct tracer_itrace *itrace)
{
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_ITRACE,
		.itrace = *itrace,
	};
	struct holder_reply r;

	return ask(&q, &r);
}

static bool traces_instructions(void)
{
	if (__atomic_load_n(&branches, __ATOMIC_RELAXED) == NOT_KNOWN)
		(void)call(HOLDER_INFO, 0, 0, NULL);
	return __atomic_load_n(&branches, __ATOMIC_RELAXED) == BRANCHES;
}

int trace_terminate(void)
{
	return call(HOLDER_TERMINATE, 0, 0, NULL);
}

int TraceTerminate(void)
{
	if (traces_instructions())
		trace_switched(PITRACE_SWITCHED_OFF, TraceTerminate);
	return trace_terminate();
}

int TraceEnable(int major)
{
	return call(HOLDER_MAJOR, major, 1, NULL);
}

int TraceDisable(int major)
{
	return call(HOLDER_MAJOR, major, 0, NULL);
}

int TraceQueryMajor(int major)
{
	struct holder_reply r;
	int rc = get_reply(&r);

	if (rc)
		return rc;
	if (major < 0 || major >= PITRACE_MAJORS)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid major: majors are 0 to %d",
			       PITRACE_MAJORS - 1);
	return major == PITRACE_MTE || (r.info.majors[major / 64] >> (major & 63) & 1);
}

int SetProfilerRate(int rate)
{
	int rc = call(HOLDER_RATE, rate, 0, NULL);

	/* Kept until init. */
	if (rc != PI_NOT_INITIALIZED)
		return rc;
	if (rate < 1 || rate > TRACE_MAX_RATE)
		return rc_fail(PI_INVALID_ARGUMENT,
			       "invalid rate: rates are 1 to %d ticks a second", TRACE_MAX_RATE);
	change_settings()->rate = rate;
	give_lock();
	return PI_OK;
}

int trace_on(void)
{
	return call(HOLDER_ON, 0, 0, NULL);
}

int TraceOn(void)
{
	int rc = trace_on();

	if (!rc && traces_instructions())
		trace_switched(PITRACE_SWITCHED_ON, TraceOn);
	return rc;
}

int trace_off(void)
{
	return call(HOLDER_OFF, 0, 0, NULL);
}

int TraceOff(void)
{
	if (traces_instructions())
		trace_switched(PITRACE_SWITCHED_OFF, TraceOff);
	return trace_off();
}

int trace_suspend(void)
{
	return call(HOLDER_SUSPEND, 0, 0, NULL);
}

int TraceSuspend(void)
{
	if (traces_instructions())
		trace_switched(PITRACE_SWITCHED_OFF, TraceSuspend);
	return trace_suspend();
}

int trace_resume(void)
{
	return call(HOLDER_RESUME, 0, 0, NULL);
}

int TraceResume(void)
{
	int rc = trace_resume();

	if (!rc && traces_instructions())
		trace_switched(PITRACE_SWITCHED_ON, TraceResume);
	return rc;
}

int TraceDiscard(void)
{
	return call(HOLDER_DISCARD, 0, 0, NULL);
}

int TraceWriteBufferToFile(const char *path)
{
	char name[PATH_MAX] = "";
	int rc = path ? absolute(path, name) : PI_OK;

	return rc ? rc : call(HOLDER_WRITE, 0, 0, name);
}

int IsTraceActive(void)
{
	int rc = call(HOLDER_INFO, 0, 0, NULL);

	return rc == PI_NOT_INITIALIZED ? 0 : rc ? rc : 1;
}

int IsTraceOn(void)
{
	struct holder_reply r;
	int rc = get_reply(&r);

	if (rc)
		return rc == PI_NOT_INITIALIZED ? 0 : rc;
	return r.info.state == PITRACE_STATE_ON || r.info.state == PITRACE_STATE_SUSPENDED;
}

static int mode_is(int mode)
{
	struct holder_reply r;
	int rc = get_reply(&r);

	if (rc && rc != PI_NOT_INITIALIZED)
		return rc;
	return (rc ? get_settings().mode : (int)r.info.mode) == mode;
}

int IsContMode(void)
{
	return mode_is(TRACE_CONTINUOUS);
}

int IsWrapMode(void)
{
	return mode_is(TRACE_WRAP);
}

/* Each thread has its own copy of the name, until its next call. */
static pthread_key_t names;
static bool has_names;

static void make_names(void)
{
	has_names = !pthread_key_create(&names, free);
}

static char *own_name(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	char *name;

	pthread_once(&once, make_names);
	name = has_names ? pthread_getspecific(names) : NULL;
	if (name || !has_names)
		return name;
	name = malloc(PATH_MAX);
	if (name && pthread_setspecific(names, name)) {
		free(name);
		name = NULL;
	}
	return name;
}

/* The library may be unloaded before the threads end. */
static __attribute__((destructor)) void drop_names(void)
{
	if (!has_names)
		return;
	has_names = false;
	free(pthread_getspecific(names));
	pthread_key_delete(names);
}

const char *TraceGetName(void)
{
	struct holder_reply r;
	const struct settings set = get_settings();
	const char *is = *set.file ? set.file : TRACE_DEFAULT_NAME;
	char *name = own_name();

	if (!name)
		return "";
	if (!get_reply(&r))
		is = r.info.file;
	snprintf(name, PATH_MAX, "%s", is);
	return name;
}

int TraceGetIntervalId(void)
{
	struct holder_reply r;
	int rc = get_reply(&r);

	return rc ? rc : (int)r.info.interval;
}

int TraceGetInfo(struct trace_info *info)
{
	struct holder_reply r;
	int rc = get_reply(&r);

	if (!rc && !info)
		return rc_fail(PI_INVALID_ARGUMENT, "no place for the answer");
	if (!rc)
		*info = r.info;
	return rc;
}
