/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state rules of the Trace* functions, each asked for and each broken. Runs as root in a guest
 * with the driver loaded, in a folder where it may write; says `ok api_NAME` or `not ok api_NAME`.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <perfutil.h>

static int bad, failed;

#define want(rc, call)                                                                            \
	({                                                                                        \
		int want_r = (call);                                                              \
		if (want_r != (rc)) {                                                             \
			printf("# line %d: %s is %d (%s; %s), not %d\n", __LINE__, #call, want_r, \
			       RcToString(want_r), TraceLastError(), (rc));                       \
			bad++;                                                                    \
		}                                                                                 \
	})

static void verdict(const char *name)
{
	printf("%sok api_%s\n", bad ? "not " : "", name);
	fflush(stdout);
	failed += bad != 0;
	bad = 0;
}

static void before_init(void)
{
	want(0, IsTraceActive());
	want(0, IsTraceOn());
	want(0, IsContMode());
	want(0, IsWrapMode());
	want(PI_NOT_INITIALIZED, TraceOn());
	want(PI_NOT_INITIALIZED, TraceOff());
	want(PI_NOT_INITIALIZED, TraceSuspend());
	want(PI_NOT_INITIALIZED, TraceResume());
	want(PI_NOT_INITIALIZED, TraceEnable(PITRACE_TPROF));
	want(PI_NOT_INITIALIZED, TraceDisable(PITRACE_TPROF));
	want(PI_NOT_INITIALIZED, TraceQueryMajor(PITRACE_TPROF));
	want(PI_NOT_INITIALIZED, TraceWriteBufferToFile(NULL));
	want(PI_NOT_INITIALIZED, TraceGetIntervalId());
	want(PI_NOT_INITIALIZED, TraceTerminate());
	want(PI_INVALID_ARGUMENT, TraceSetMode(7));
	want(PI_INVALID_ARGUMENT, TraceSetScope(TRACE_PROCESS, 0));
	want(PI_INVALID_ARGUMENT, TraceSetScope(9, 1));
	want(PI_INVALID_ARGUMENT, TraceSetStacks(0x10, 0, 0));
	want(PI_INVALID_ARGUMENT, TraceSetStacks(PITRACE_WANT_DISPATCH, 0, 0));
	want(PI_INVALID_ARGUMENT, TraceSetStacks(PITRACE_WANT_USER, PITRACE_STACK_MAX + 1, 0));
	want(PI_INVALID_ARGUMENT, TraceSetStacks(PITRACE_WANT_USER, 0, 8));
	want(PI_INVALID_ARGUMENT, TraceSetStacks(PITRACE_WANT_COPY, 0, 12));
	want(PI_INVALID_ARGUMENT, TraceSetStacks(0, 1, 0));
	want(PI_OK, TraceSetStacks(PITRACE_WANT_USER | PITRACE_WANT_COPY, 16, 1024));
	want(PI_OK, TraceSetStacks(0, 0, 0));
	want(PI_INVALID_ARGUMENT, SetProfilerRate(0));
	want(PI_INVALID_ARGUMENT, SetProfilerRate(TRACE_MAX_RATE + 1));
	verdict("before_init");
}

static void initialized(void)
{
	want(PI_OK, SetProfilerRate(1000));
	want(PI_OK, TraceSetMteSize(4 << 20));
	want(PI_OK, TraceSetSectionSize(32 << 10));
	want(PI_OK, TraceSetName("api.nrm2"));
	want(PI_OK, TraceInit(1 << 20));
	want(PI_BUSY, TraceInit(1 << 20));
	want(1, IsTraceActive());
	want(0, IsTraceOn());
	want(PI_INCORRECT_STATE, TraceSetMode(TRACE_CONTINUOUS));
	want(PI_INCORRECT_STATE, TraceSetScope(TRACE_PROCESS, getpid()));
	want(PI_INCORRECT_STATE, TraceSetName("other"));
	want(PI_INCORRECT_STATE, TraceSetStacks(PITRACE_WANT_USER, 0, 0));
	want(PI_INCORRECT_STATE, TraceOff());
	want(PI_INCORRECT_STATE, TraceSuspend());
	want(PI_INCORRECT_STATE, TraceResume());
	want(PI_INCORRECT_STATE, TraceWriteBufferToFile(NULL));
	want(0, TraceGetIntervalId());
	want(PI_INVALID_ARGUMENT, TraceEnable(-1));
	want(PI_INVALID_ARGUMENT, TraceEnable(256));
	want(0, TraceQueryMajor(PITRACE_TPROF));
	want(1, TraceQueryMajor(PITRACE_MTE));
	want(PI_OK, TraceEnable(PITRACE_TPROF));
	want(1, TraceQueryMajor(PITRACE_TPROF));
	/* No collector records metrics. */
	want(PI_NOT_SUPPORTED, TraceEnable(0x09));
	want(0, TraceQueryMajor(0x09));
	want(0, IsTraceOn());
	want(PI_OK, TraceDisable(0x09));
	verdict("initialized");
}

static void on(void)
{
	want(PI_OK, TraceOn());
	want(1, IsTraceOn());
	want(1, TraceGetIntervalId());
	want(PI_INCORRECT_STATE, TraceOn());
	want(PI_INCORRECT_STATE, SetProfilerRate(500));
	want(PI_INCORRECT_STATE, TraceEnable(PITRACE_TPROF));
	want(PI_OK, TraceWriteBufferToFile("while-on.nrm2"));
	want(PI_OK, TraceDiscard());
	want(PI_OK, TraceResume());
	want(PI_OK, TraceSuspend());
	want(PI_OK, TraceSuspend());
	want(1, IsTraceOn());
	want(PI_OK, TraceResume());
	want(PI_OK, TraceOff());
	want(0, IsTraceOn());
	/* off disables all majors */
	want(0, TraceQueryMajor(PITRACE_TPROF));
	want(PI_INCORRECT_STATE, TraceOff());
	verdict("on");
}

static void written(void)
{
	struct stat st;

	want(PI_OK, TraceWriteBufferToFile(NULL));
	want(0, stat("api.nrm2", &st));
	want(0600, (int)(st.st_mode & 07777));
	/* The buffers are still there for another file, which is as good. */
	want(PI_OK, TraceWriteBufferToFile("second.nrm2"));
	want(0, stat("second.nrm2", &st));
	want(PI_FILE_ERROR, TraceWriteBufferToFile("/no/such/folder/file"));
	want(PI_OK, TraceOn());
	want(2, TraceGetIntervalId());
	/* terminate implies off */
	want(PI_OK, TraceTerminate());
	want(0, IsTraceActive());
	verdict("written");
}

static void continuous(void)
{
	struct stat st;

	want(PI_OK, TraceSetMode(TRACE_CONTINUOUS));
	want(1, IsContMode());
	want(PI_OK, TraceSetName("cont.nrm2"));
	want(PI_OK, TraceInit(0));
	want(1, IsContMode());
	want(PI_OK, TraceOn());
	want(PI_OK, TraceWriteBufferToFile(NULL));
	want(PI_OK, TraceWriteBufferToFile("so-far.nrm2"));
	want(PI_OK, TraceOff());
	want(0, stat("cont.nrm2", &st));
	want(0, stat("so-far.nrm2", &st));
	want(PI_OK, TraceWriteBufferToFile("cont.nrm2"));
	want(PI_OK, TraceWriteBufferToFile("elsewhere.nrm2"));
	want(0, stat("elsewhere.nrm2", &st));
	want(0600, (int)(st.st_mode & 07777));
	want(PI_FILE_ERROR, TraceWriteBufferToFile("/no/such/folder/file"));
	want(PI_OK, TraceTerminate());
	verdict("continuous");
}

static void wrap(void)
{
	struct trace_info i;
	struct stat st;

	want(PI_OK, TraceSetMode(TRACE_WRAP));
	want(PI_OK, TraceSetName("wrap.nrm2"));
	want(PI_INVALID_ARGUMENT, TraceSetRotation(0, 0, -1));
	want(PI_OK, TraceSetRotation(1 << 20, 0, 0));
	want(PI_INVALID_ARGUMENT, TraceInit(0));
	want(PI_OK, TraceSetRotation(0, 0, 0));
	want(PI_OK, TraceInit(0));
	want(1, IsWrapMode());
	want(PI_OK, TraceOn());
	want(PI_INVALID_ARGUMENT, TraceWriteBufferToFile("wrap.nrm2"));
	want(PI_OK, TraceWriteBufferToFile(NULL));
	want(PI_OK, TraceWriteBufferToFile(NULL));
	want(PI_OK, TraceGetInfo(&i));
	want(0, strcmp(strrchr(i.got_file, '/'), "/wrap.nrm2.2"));
	want(0, stat("wrap.nrm2.1", &st));
	want(PI_OK, TraceDiscard());
	want(PI_OK, TraceSuspend());
	want(PI_OK, TraceDiscard());
	want(PI_OK, TraceOff());
	want(PI_OK, TraceDiscard());
	want(PI_OK, TraceWriteBufferToFile(NULL));
	want(PI_OK, TraceWriteBufferToFile("wrapped.nrm2"));
	want(0, stat("wrapped.nrm2", &st));
	want(PI_OK, TraceTerminate());
	want(PI_OK, TraceSetMode(TRACE_NORMAL));
	want(PI_OK, TraceSetScope(TRACE_PROCESS, 99999));
	want(PI_NO_PROCESS, TraceInit(0));
	want(PI_OK, TraceSetScope(TRACE_SYSTEM, 0));
	verdict("wrap");
}

/* The holder dies: its session is gone, a new one can begin. */
static void holder_killed(void)
{
	struct trace_info i;
	int tries;

	want(PI_OK, TraceInit(0));
	want(PI_OK, TraceOn());
	want(PI_OK, TraceGetInfo(&i));
	if (i.holder > 1)
		kill(i.holder, SIGKILL);
	for (tries = 0; tries < 100 && IsTraceActive() != 0; tries++)
		usleep(20000);
	want(0, IsTraceActive());
	want(PI_NOT_INITIALIZED, TraceOff());
	want(PI_OK, TraceInit(0));
	want(PI_OK, TraceTerminate());
	verdict("holder_killed");
}

static void words(void)
{
	for (int rc = 1; rc >= -30; rc--)
		want(1, RcToString(rc) && *RcToString(rc));
	want(0, strcmp(RcToString(PI_BUSY), "busy: already in use"));
	verdict("words");
}

int main(void)
{
	before_init();
	initialized();
	on();
	written();
	continuous();
	wrap();
	holder_killed();
	words();
	return failed != 0;
}
