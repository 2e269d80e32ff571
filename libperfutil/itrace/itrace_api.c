/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ITrace* functions: they keep the settings and pass them to the holder. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <itrace.h>
#include "base/rc.h"
#include "session/trace_inner.h"

static struct {
	pthread_mutex_t lock;
	bool begun; /* ITraceInit was called */
	bool ours;  /* ITrace created the session */
	bool set;   /* a session has these settings */
	int flags;  /* enum itrace_flags */
	struct tracer_itrace config;
} it = { .lock = PTHREAD_MUTEX_INITIALIZER };

static int leave(int rc)
{
	pthread_mutex_unlock(&it.lock);
	return rc;
}

static void take(void)
{
	pthread_mutex_lock(&it.lock);
}

static void give(void)
{
	pthread_mutex_unlock(&it.lock);
}

static void watch_forks(void)
{
	trace_watch_forks();
	pthread_atfork(take, give, give);
}

static bool enter(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, watch_forks);
	take();
	return it.begun;
}

static int not_begun(void)
{
	return leave(
		rc_fail(PI_NOT_INITIALIZED, "ITrace is not initialized: call ITraceInit first"));
}

int ITraceInit(int flags)
{
	const int known = ITRACE_USER | ITRACE_KERNEL | ITRACE_FOLLOW | ITRACE_LOSSY |
			  ITRACE_STEPS | ITRACE_LOAD_STORE | ITRACE_NO_THREADS;

	/* Settings whose session has ended can be replaced. */
	if (enter() && !(it.set && IsTraceActive() == 0))
		return leave(rc_fail(PI_INCORRECT_STATE,
				     "ITrace is initialized: call ITraceTerminate first"));
	if (flags & ~known)
		return leave(rc_fail(PI_INVALID_ARGUMENT, "unknown flags"));
	it.begun = true;
	it.ours = it.set = false;
	it.flags = flags & (ITRACE_USER | ITRACE_KERNEL) ? flags : flags | ITRACE_USER;
	it.config = (struct tracer_itrace){
		.scope = PITRACE_ITRACE_PIDS,
		.listed = 1,
		.list = { getpid() },
		.flags = (flags & ITRACE_FOLLOW ? PITRACE_ITRACE_FOLLOW : 0) |
			 (flags & ITRACE_LOSSY ? PITRACE_ITRACE_LOSSY : 0) |
			 (flags & ITRACE_STEPS ? PITRACE_ITRACE_STEPS : 0) |
			 (flags & ITRACE_NO_THREADS ? PITRACE_ITRACE_NO_THREADS : 0),
	};
	return leave(PI_OK);
}

/* ---- scope ---------------------------------------------------------------------------------- */

static int choose(enum pitrace_itrace_scope scope, int first, int last, int count, const int *list)
{
	if (!enter())
		return not_begun();
	if (count < 0 || count > PITRACE_ITRACE_LIST || (count && !list))
		return leave(rc_fail(PI_INVALID_ARGUMENT, "lists have 1 to %d entries",
				     PITRACE_ITRACE_LIST));
	for (int i = 0; i < count; i++)
		if (list[i] <= 0)
			return leave(rc_fail(PI_INVALID_ARGUMENT, "invalid process or thread id %d",
					     list[i]));
	it.config.scope = scope;
	it.config.first = first;
	it.config.last = last;
	it.config.listed = (uint32_t)count;
	memset(it.config.list, 0, sizeof(it.config.list));
	for (int i = 0; i < count; i++)
		it.config.list[i] = list[i];
	return leave(PI_OK);
}

int ITraceEnableAll(void)
{
	return choose(PITRACE_ITRACE_ALL, 0, 0, 0, NULL);
}

int ITraceEnableCurrent(void)
{
	int tid = (int)syscall(SYS_gettid);

	return choose(PITRACE_ITRACE_TIDS, 0, 0, 1, &tid);
}

int ITraceEnablePid(int pid)
{
	return choose(PITRACE_ITRACE_PIDS, 0, 0, 1, &pid);
}

int ITraceEnableGreater(int pid)
{
	if (pid <= 0)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid process id %d", pid);
	return choose(PITRACE_ITRACE_RANGE, pid, 0, 0, NULL);
}

int ITraceEnableRange(int first, int last)
{
	if (first <= 0 || last < first)
		return rc_fail(PI_INVALID_ARGUMENT, "invalid range of processes, %d to %d", first,
			       last);
	return choose(PITRACE_ITRACE_RANGE, first, last, 0, NULL);
}

static int choose_list(enum pitrace_itrace_scope scope, int count, const int *list)
{
	if (!list && count)
		return rc_null("list");
	return choose(scope, 0, 0, count ? count : -1, list);
}

int ITraceEnableList(int count, const int pids[])
{
	return choose_list(PITRACE_ITRACE_PIDS, count, pids);
}

int ITraceEnableThreads(int count, const int tids[])
{
	return choose_list(PITRACE_ITRACE_TIDS, count, tids);
}

/* ---- range ---------------------------------------------------------------------------------- */

int ITraceSetSkipCount(uint64_t count)
{
	if (!enter())
		return not_begun();
	it.config.skip = count;
	return leave(PI_OK);
}

int ITraceSetLimit(uint64_t count)
{
	if (!enter())
		return not_begun();
	it.config.limit = count;
	return leave(PI_OK);
}

/* The holder has another working folder: make the path absolute. */
static int set_place(uint32_t flag, const char *file, uint64_t offset)
{
	char *to = flag == PITRACE_ITRACE_FROM ? it.config.start_file : it.config.stop_file;
	char real[PATH_MAX] = "";

	if (!enter())
		return not_begun();
	if (file && !realpath(file, real))
		return leave(rc_fail(PI_INVALID_ARGUMENT, "%s: no such file", file));
	if (strlen(real) >= sizeof(it.config.start_file))
		return leave(rc_fail(PI_INVALID_ARGUMENT, "%s: the name is too long", real));
	strcpy(to, real);
	if (flag == PITRACE_ITRACE_FROM)
		it.config.start = offset;
	else
		it.config.stop = offset;
	it.config.flags = file || offset ? it.config.flags | flag : it.config.flags & ~flag;
	return leave(PI_OK);
}

int ITraceSetFrom(const char *file, uint64_t offset)
{
	return set_place(PITRACE_ITRACE_FROM, file, offset);
}

int ITraceSetUntil(const char *file, uint64_t offset)
{
	return set_place(PITRACE_ITRACE_UNTIL, file, offset);
}

/* ---- on and off ------------------------------------------------------------------------------ */

static void majors_of(uint64_t majors[PITRACE_MAJORS / 64])
{
	memset(majors, 0, PITRACE_MAJORS / 8);
	if (it.flags & ITRACE_USER)
		majors[0] |= 1ull << PITRACE_BRANCH_USER;
	if (it.flags & ITRACE_KERNEL)
		majors[0] |= 1ull << PITRACE_BRANCH_KERNEL;
	if (it.flags & ITRACE_LOAD_STORE)
		majors[0] |= 1ull << PITRACE_LOAD_STORE;
}

/* A session for one process has that process as its scope, so any user may have it. */
static int begin_session(void)
{
	uint64_t majors[PITRACE_MAJORS / 64];
	struct tracer_itrace config = it.config;
	int pid = 0, rc;

	if (config.scope == PITRACE_ITRACE_PIDS && config.listed == 1) {
		pid = config.list[0];
		config.scope = PITRACE_ITRACE_ALL;
		config.listed = 0;
	} else if (config.scope == PITRACE_ITRACE_TIDS && config.listed == 1 &&
		   syscall(SYS_tgkill, getpid(), config.list[0], 0) == 0) {
		pid = getpid();
	}
	majors_of(majors);
	rc = trace_begin(pid, majors, &config);
	it.ours = it.set = rc == PI_OK;
	return rc;
}

static int install(void)
{
	uint64_t majors[PITRACE_MAJORS / 64];
	int rc = IsTraceActive();

	if (rc < 0)
		return rc;
	if (!rc)
		return begin_session();
	majors_of(majors);
	rc = trace_itrace(&it.config);
	it.set |= rc == PI_OK;
	for (int major = 0; major < 64 && !rc; major++)
		if (majors[0] >> major & 1)
			rc = TraceEnable(major);
	return rc;
}

int ITraceInstall(void)
{
	return enter() ? leave(install()) : not_begun();
}

/* The holder is not an ancestor: Yama's ptrace_scope may require this permission. */
static void allow_trace(const struct trace_info *info)
{
	if (!strcmp(info->collector, "ptrace"))
		prctl(PR_SET_PTRACER, (unsigned long)info->holder, 0, 0, 0);
}

/* *how: what was done. */
static int turn_on(enum pitrace_itrace_switched *how)
{
	struct trace_info info;
	int rc = TraceGetInfo(&info);

	*how = PITRACE_SWITCHED_ON;
	if (rc == PI_OK && info.state == PITRACE_STATE_SUSPENDED)
		return trace_resume();
	if (rc == PI_OK && info.state == PITRACE_STATE_ON) {
		*how = PITRACE_SWITCHED_AGAIN;
		return PI_OK;
	}
	if (rc == PI_OK || rc == PI_NOT_INITIALIZED)
		rc = install();
	if (!rc)
		rc = TraceGetInfo(&info);
	if (rc)
		return rc;
	allow_trace(&info);
	return trace_on();
}

int ITraceOn(void)
{
	enum pitrace_itrace_switched how;
	int rc;

	if (!enter())
		return not_begun();
	rc = turn_on(&how);
	if (!rc)
		trace_switched(how, ITraceOn);
	return leave(rc);
}

int ITraceOff(void)
{
	if (!enter())
		return not_begun();
	trace_switched(PITRACE_SWITCHED_OFF, ITraceOff);
	return leave(trace_suspend());
}

/* Restores the settings of a session that ITrace did not create. Under swtrace run the session
 * belongs to the run, is turned on once, and accepts no settings from the command: there is nothing
 * to restore. */
static int set_back(void)
{
	const struct tracer_itrace nothing = { .scope = PITRACE_ITRACE_NONE };
	int rc = PI_OK;

	for (int major = 0; major < 64 && !rc; major++)
		if ((1ull << PITRACE_BRANCH_USER | 1ull << PITRACE_BRANCH_KERNEL |
		     1ull << PITRACE_LOAD_STORE) >>
			    major &
		    1)
			rc = TraceDisable(major);
	if (!rc)
		rc = trace_itrace(&nothing);
	return rc == PI_NOT_SUPPORTED ? PI_OK : rc;
}

int ITraceTerminate(void)
{
	struct trace_info info;
	int rc;

	if (!enter())
		return not_begun();
	trace_switched(PITRACE_SWITCHED_OFF, ITraceTerminate);
	it.begun = false;
	rc = TraceGetInfo(&info);
	if (rc)
		return leave(rc == PI_NOT_INITIALIZED ? PI_OK : rc);
	if (it.ours)
		return leave(trace_terminate());
	if (info.state == PITRACE_STATE_ON || info.state == PITRACE_STATE_SUSPENDED)
		rc = trace_off();
	return leave(rc ? rc : set_back());
}
