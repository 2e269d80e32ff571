/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Trace* functions: they send requests to the holder. Settings made before TraceInit are kept
 * here. */
#include <errno.h>
#include <limits.h>
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

static struct {
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

static struct holder_reply last;

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

static int call(uint32_t op, int a, int b, const char *path)
{
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = op,
		.a = a,
		.b = b,
	};

	if (path)
		snprintf(q.path, sizeof(q.path), "%s", path);
	return holder_call(&q, &last);
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
	if (!rc)
		settings.mode = mode;
	return rc;
}

int TraceSetName(const char *path)
{
	int rc = before_init();

	if (rc)
		return rc;
	if (path)
		return absolute(path, settings.file);
	*settings.file = 0; /* the default, where TraceInit is called */
	return PI_OK;
}

int TraceSetMteSize(uint64_t bytes)
{
	int rc = before_init();

	if (!rc)
		rc = session_check_sizes(bytes, 0, 0);
	if (!rc)
		settings.mte_bytes = bytes;
	return rc;
}

int TraceSetSectionSize(uint64_t bytes)
{
	int rc = before_init();

	if (!rc)
		rc = session_check_sizes(0, 0, bytes);
	if (!rc)
		settings.section_bytes = bytes;
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
		settings.scope = scope;
		settings.pid = scope == TRACE_PROCESS ? pid : 0;
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
		settings.stacks = (uint32_t)what;
		settings.depth = (uint32_t)depth;
		settings.copy = (uint32_t)copy;
	}
	return rc;
}

int TraceSetRotation(uint64_t bytes, uint64_t seconds, int keep)
{
	int rc = before_init();

	if (keep < 0 || seconds > UINT32_MAX)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid number of files or seconds");
	if (!rc) {
		settings.rotate_bytes = bytes;
		settings.rotate_ns = seconds * 1000000000ull;
		settings.rotate_keep = (uint32_t)keep;
	}
	return rc;
}

int TraceSetCollector(const char *name)
{
	int rc = before_init();

	if (name && !collector_named(name))
		return rc_fail(PI_INVALID_ARGUMENT, "unknown collector '%s'", name);
	if (!rc)
		snprintf(settings.collector, sizeof(settings.collector), "%s", name ? name : "");
	return rc;
}

int TraceSetTprofEvent(int cpu, const char *event, uint64_t count, int priv)
{
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_EVENTS,
	};
	uint32_t rate = settings.rate ? (uint32_t)settings.rate : TRACE_DEFAULT_RATE;
	int rc = call(HOLDER_INFO, 0, 0, NULL);

	if (cpu != -1)
		return rc_fail(PI_NOT_SUPPORTED, "an event is counted on all CPUs: cpu is -1");
	if (rc && rc != PI_NOT_INITIALIZED)
		return rc;
	/* A fixed count has no rate. */
	if (!rc && last.info.rate)
		rate = last.info.rate;
	if (event)
		q.a = TraceFindEvents(event, count, rate, priv, q.events);
	if (q.a < 0)
		return q.a;
	if (!rc)
		return holder_call(&q, &last);
	/* Kept until init. */
	memcpy(settings.events, q.events, sizeof(settings.events));
	settings.nevents = (uint32_t)q.a;
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

/* As set before. */
static int start(struct tracer_options *given)
{
	const char *uid = secure_getenv("SUDO_UID"), *gid = secure_getenv("SUDO_GID");
	struct tracer_options o;
	char file[PATH_MAX];
	int rc;

	rc = absolute(*settings.file ? settings.file : TRACE_DEFAULT_NAME, file);
	if (rc)
		return rc;
	o = *given;
	o.rate = (uint32_t)settings.rate;
	o.mte_bytes = settings.mte_bytes;
	o.section_bytes = settings.section_bytes;
	o.stacks = settings.stacks;
	o.depth = settings.depth;
	o.copy = settings.copy;
	o.file = file;
	o.events = settings.events;
	o.nevents = settings.nevents;
	o.rotate_bytes = settings.rotate_bytes;
	o.rotate_ns = settings.rotate_ns;
	o.rotate_keep = settings.rotate_keep;
	o.collector = *settings.collector ? settings.collector : NULL;
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

	if (rc)
		return rc;
	tracer_defaults(&o);
	o.mode = settings.mode;
	o.scope = settings.scope;
	o.pid = settings.pid;
	o.trace_bytes = size;
	return start(&o);
}

int trace_begin(int pid, const uint64_t majors[PITRACE_MAJORS / 64],
		const struct tracer_itrace *itrace)
{
	struct tracer_options o;

	tracer_defaults(&o);
	o.mode = TRACE_CONTINUOUS;
	o.scope = pid ? TRACE_PROCESS : TRACE_SYSTEM;
	o.pid = pid;
	o.itrace = itrace;
	memcpy(o.majors, majors, sizeof(o.majors));
	return start(&o);
}

int trace_itrace(const struct tracer_itrace *itrace)
{
	struct holder_request q = {
		.size = sizeof(q),
		.version = HOLDER_VERSION,
		.op = HOLDER_ITRACE,
		.itrace = *itrace,
	};

	return holder_call(&q, &last);
}

/* Whether the session has instruction traces, as of the last call. */
static bool traces_instructions(void)
{
	const uint64_t branches = 1ull << PITRACE_BRANCH_USER | 1ull << PITRACE_BRANCH_KERNEL;

	if (!last.size)
		(void)call(HOLDER_INFO, 0, 0, NULL);
	return last.info.majors[0] & branches;
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
	int rc = call(HOLDER_INFO, 0, 0, NULL);

	if (rc)
		return rc;
	if (major < 0 || major >= PITRACE_MAJORS)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid major: majors are 0 to %d",
			       PITRACE_MAJORS - 1);
	return major == PITRACE_MTE || (last.info.majors[major / 64] >> (major & 63) & 1);
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
	settings.rate = rate;
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
	int rc = call(HOLDER_INFO, 0, 0, NULL);

	if (rc)
		return rc == PI_NOT_INITIALIZED ? 0 : rc;
	return last.info.state == PITRACE_STATE_ON || last.info.state == PITRACE_STATE_SUSPENDED;
}

static int mode_is(int mode)
{
	int rc = call(HOLDER_INFO, 0, 0, NULL);

	if (rc && rc != PI_NOT_INITIALIZED)
		return rc;
	return (rc ? settings.mode : (int)last.info.mode) == mode;
}

int IsContMode(void)
{
	return mode_is(TRACE_CONTINUOUS);
}

int IsWrapMode(void)
{
	return mode_is(TRACE_WRAP);
}

const char *TraceGetName(void)
{
	if (call(HOLDER_INFO, 0, 0, NULL))
		return *settings.file ? settings.file : TRACE_DEFAULT_NAME;
	return last.info.file;
}

int TraceGetIntervalId(void)
{
	int rc = call(HOLDER_INFO, 0, 0, NULL);

	return rc ? rc : (int)last.info.interval;
}

int TraceGetInfo(struct trace_info *info)
{
	int rc = call(HOLDER_INFO, 0, 0, NULL);

	if (!rc && !info)
		return rc_fail(PI_INVALID_ARGUMENT, "no place for the answer");
	if (!rc)
		*info = last.info;
	return rc;
}
