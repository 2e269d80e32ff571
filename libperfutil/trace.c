/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Trace* functions: they ask the holder. What comes before TraceInit is kept here. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "holder.h"
#include "rc.h"

static struct {
	int mode, scope, pid, rate;
	uint64_t mte_bytes, section_bytes;
	char file[PATH_MAX];
} wanted = { .mode = TRACE_NORMAL, .scope = TRACE_SYSTEM };

static struct holder_reply last;

/* The holder's folder is not ours: names go absolute. */
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

static int ask(uint32_t op, int a, int b, const char *path)
{
	struct holder_request q = {
		.size = sizeof(q), .version = HOLDER_VERSION, .op = op, .a = a, .b = b,
	};

	if (path)
		snprintf(q.path, sizeof(q.path), "%s", path);
	return holder_ask(&q, &last);
}

/* Before init what is set is kept; while there is a session it is too late. */
static int before_init(void)
{
	return ask(HOLDER_INFO, 0, 0, NULL) == PI_NOT_INITIALIZED ? PI_OK
		: rc_fail(PI_INCORRECT_STATE, "this is set before init");
}

int TraceSetMode(int mode)
{
	int rc = before_init();

	if (mode < TRACE_NORMAL || mode > TRACE_WRAP)
		return rc_fail(PI_INVALID_ARGUMENT, "no such mode");
	if (!rc)
		wanted.mode = mode;
	return rc;
}

int TraceSetName(const char *path)
{
	int rc = before_init();

	return rc ? rc : absolute(path, wanted.file);
}

int TraceSetMteSize(uint64_t bytes)
{
	int rc = before_init();

	if (!rc)
		wanted.mte_bytes = bytes;
	return rc;
}

int TraceSetSectionSize(uint64_t bytes)
{
	int rc = before_init();

	if (!rc)
		wanted.section_bytes = bytes;
	return rc;
}

int TraceSetScope(int scope, int pid)
{
	int rc = before_init();

	if (scope != TRACE_SYSTEM && scope != TRACE_PROCESS)
		return rc_fail(PI_INVALID_ARGUMENT, "no such scope");
	if (scope == TRACE_PROCESS && pid <= 0)
		return rc_fail(PI_INVALID_ARGUMENT, "a process scope needs a pid");
	if (!rc) {
		wanted.scope = scope;
		wanted.pid = scope == TRACE_PROCESS ? pid : 0;
	}
	return rc;
}

int TraceInit(uint64_t size)
{
	struct tracer_options o;
	int rc;

	if (!*wanted.file) {
		rc = absolute(TRACE_DEFAULT_NAME, wanted.file);
		if (rc)
			return rc;
	}
	tracer_defaults(&o);
	o.mode = wanted.mode;
	o.scope = wanted.scope;
	o.pid = wanted.pid;
	o.rate = (uint32_t)wanted.rate;
	o.mte_bytes = wanted.mte_bytes;
	o.trace_bytes = size;
	o.section_bytes = wanted.section_bytes;
	o.file = wanted.file;
	/* Under sudo the files belong to who called it. */
	if (geteuid() == 0 && getenv("SUDO_UID") && getenv("SUDO_GID")) {
		o.owner = (uid_t)strtoul(getenv("SUDO_UID"), NULL, 10);
		o.group = (gid_t)strtoul(getenv("SUDO_GID"), NULL, 10);
	}
	return holder_start(&o);
}

int TraceTerminate(void)
{
	return ask(HOLDER_TERMINATE, 0, 0, NULL);
}

int TraceEnable(int major)
{
	return ask(HOLDER_MAJOR, major, 1, NULL);
}

int TraceDisable(int major)
{
	return ask(HOLDER_MAJOR, major, 0, NULL);
}

int TraceQueryMajor(int major)
{
	int rc = ask(HOLDER_INFO, 0, 0, NULL);

	if (rc)
		return rc;
	if (major < 0 || major >= PITRACE_MAJORS)
		return rc_fail(PI_INVALID_ARGUMENT, "majors are 0 to %d", PITRACE_MAJORS - 1);
	return major == PITRACE_MTE || (last.info.majors[major / 64] >> (major & 63) & 1);
}

int SetProfilerRate(int rate)
{
	int rc = ask(HOLDER_RATE, rate, 0, NULL);

	/* Before init it is kept for init. */
	if (rc != PI_NOT_INITIALIZED)
		return rc;
	if (rate < 1 || rate > TRACE_MAX_RATE)
		return rc_fail(PI_INVALID_ARGUMENT, "rates are 1 to %d ticks a second", TRACE_MAX_RATE);
	wanted.rate = rate;
	return PI_OK;
}

int TraceOn(void)
{
	return ask(HOLDER_ON, 0, 0, NULL);
}

int TraceOff(void)
{
	return ask(HOLDER_OFF, 0, 0, NULL);
}

int TraceSuspend(void)
{
	return ask(HOLDER_SUSPEND, 0, 0, NULL);
}

int TraceResume(void)
{
	return ask(HOLDER_RESUME, 0, 0, NULL);
}

int TraceWriteBufferToFile(const char *path)
{
	char name[PATH_MAX] = "";
	int rc = path ? absolute(path, name) : PI_OK;

	return rc ? rc : ask(HOLDER_WRITE, 0, 0, name);
}

int IsTraceActive(void)
{
	int rc = ask(HOLDER_INFO, 0, 0, NULL);

	return rc == PI_NOT_INITIALIZED ? 0 : rc ? rc : 1;
}

int IsTraceOn(void)
{
	int rc = ask(HOLDER_INFO, 0, 0, NULL);

	if (rc)
		return rc == PI_NOT_INITIALIZED ? 0 : rc;
	return last.info.state == PITRACE_STATE_ON || last.info.state == PITRACE_STATE_SUSPENDED;
}

static int mode_is(int mode)
{
	int rc = ask(HOLDER_INFO, 0, 0, NULL);

	if (rc && rc != PI_NOT_INITIALIZED)
		return rc;
	return (rc ? wanted.mode : (int)last.info.mode) == mode;
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
	if (ask(HOLDER_INFO, 0, 0, NULL))
		return *wanted.file ? wanted.file : TRACE_DEFAULT_NAME;
	return last.info.file;
}

int TraceGetIntervalId(void)
{
	int rc = ask(HOLDER_INFO, 0, 0, NULL);

	return rc ? rc : (int)last.info.interval;
}

int TraceGetInfo(struct trace_info *info)
{
	int rc = ask(HOLDER_INFO, 0, 0, NULL);

	if (!rc)
		*info = last.info;
	return rc;
}
