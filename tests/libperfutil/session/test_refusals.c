/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of libperfutil that cannot be: each has its code and words that say what was wrong, changes
 * nothing, and the values at the bounds are taken. There is no session, no module and no PTT.
 */
#include <ai.h>
#include <itrace.h>
#include <limits.h>
#include <perfcounter.h>
#include <perfutil.h>
#include <tracer.h>
#include <ptt.h>
#include <stdlib.h>
#include <unistd.h>
#include "unit.h"

static int line;

/* The call's code, and in its words these. */
static void refused(int rc, int want, const char *words)
{
	const char *said = TraceLastError();

	if (rc == want && strstr(said, words))
		return;
	printf("# line %d: code %d, not %d, or no \"%s\" in \"%s\"\n", line, rc, want, words, said);
	CU_FAIL("another refusal");
}
#define REFUSED(call, want, words)          \
	do {                                \
		line = __LINE__;            \
		refused(call, want, words); \
	} while (0)
#define BAD(call, words) REFUSED(call, PI_INVALID_ARGUMENT, words)
#define GOOD(call)       CU_ASSERT_EQUAL(call, PI_OK)

static void test_trace(void)
{
	struct pitrace_event_args list[PITRACE_EVENTS];
	struct trace_check checks[8];

	BAD(TraceSetMode(TRACE_NORMAL - 1), "invalid mode");
	BAD(TraceSetMode(TRACE_WRAP + 1), "invalid mode");
	GOOD(TraceSetMode(TRACE_WRAP));
	GOOD(TraceSetMode(TRACE_NORMAL));
	BAD(TraceSetScope(-1, 0), "invalid scope");
	BAD(TraceSetScope(TRACE_PROCESS, 0), "a process scope needs a pid");
	BAD(TraceSetScope(TRACE_PROCESS, -5), "a process scope needs a pid");
	GOOD(TraceSetScope(TRACE_PROCESS, 1));
	GOOD(TraceSetScope(TRACE_SYSTEM, 0));
	BAD(TraceSetRotation(1, 0, -1), "invalid number of files or seconds");
	BAD(TraceSetRotation(1, UINT32_MAX + 1ull, 0), "invalid number of files or seconds");
	GOOD(TraceSetRotation(1, UINT32_MAX, 0));
	GOOD(TraceSetRotation(0, 0, 0));
	BAD(SetProfilerRate(0), "rates are 1 to 20000 ticks a second");
	BAD(SetProfilerRate(TRACE_MAX_RATE + 1), "rates are 1 to 20000 ticks a second");
	GOOD(SetProfilerRate(1));
	GOOD(SetProfilerRate(TRACE_MAX_RATE));
	BAD(TraceCheck(7, 0, checks, 8), "invalid scope");
	CU_ASSERT(TraceCheck(TRACE_SYSTEM, 0, checks, 8) > 2);
	BAD(TraceCollectorHas("none", PITRACE_TPROF), "unknown collector 'none'");
	BAD(TraceCollectorHas("perf", -1), "majors are 0 to 255");
	BAD(TraceCollectorHas("perf", PITRACE_MAJORS), "majors are 0 to 255");
	CU_ASSERT_EQUAL(TraceCollectorHas("perf", PITRACE_TPROF), 1);
	CU_ASSERT_EQUAL(TraceCollectorHas("perf", PITRACE_MAJORS - 1), 1);
	CU_ASSERT_EQUAL(TraceCollectorHas("timer", PITRACE_SYSCALL), 0);
	CU_ASSERT_STRING_EQUAL(TraceCollectorName(0), "driver");
	CU_ASSERT_STRING_EQUAL(TraceCollectorName(3), "ptrace");
	CU_ASSERT_PTR_NULL(TraceCollectorName(-1));
	CU_ASSERT_PTR_NULL(TraceCollectorName(1000));
	BAD(TraceCollectorUse("none"), "unknown collector 'none'");
	CU_ASSERT_EQUAL(TraceCollectorUse("driver"), TRACE_FOR_ALL | TRACE_BY_MODULE);
	CU_ASSERT_EQUAL(TraceCollectorUse("timer"), TRACE_FOR_SAMPLES);
	/* Each that is listed can be asked for. */
	for (int i = 0; TraceCollectorName(i); i++)
		CU_ASSERT(TraceCollectorHas(TraceCollectorName(i), PITRACE_MTE) == 1 &&
			  TraceSetCollector(TraceCollectorName(i)) == PI_OK);
	GOOD(TraceSetCollector(NULL));
	REFUSED(TraceFindEvents("task-clock", 1, 0, TRACE_PRIV_ANY - 1, list), PI_BAD_PRIVILEGE,
		"invalid privilege level");
	REFUSED(TraceFindEvents("task-clock", 1, 0, TRACE_PRIV_KERNEL + 1, list), PI_BAD_PRIVILEGE,
		"invalid privilege level");
	REFUSED(TraceFindEvents("none-such", 1, 0, TRACE_PRIV_ANY, list), PI_EVENT_UNSUPPORTED,
		"none-such");
	CU_ASSERT_EQUAL(TraceFindEvents("task-clock", 1, 0, TRACE_PRIV_KERNEL, list), 1);
}

/* A size that no collector accepts is refused at once, and not reduced. */
static void test_sizes(void)
{
	static const uint64_t large[] = { (1ull << 30) + 1, 1ull << 32, (1ull << 63) + 1,
					  UINT64_MAX },
			      odd[] = { 1,          4096,          (32 << 10) - 1,
					48 << 10,   (1 << 20) + 1, 2 << 20,
					1ull << 63, UINT64_MAX };
	struct tracer_options o;
	int rc;

	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++) {
		BAD(TraceInit(large[i]), "invalid size: buffers of ");
		BAD(TraceSetMteSize(large[i]), "at most 1073741824 (1 GB)");
		tracer_defaults(&o);
		o.trace_bytes = large[i];
		CU_ASSERT_PTR_NULL(tracer_open(&o, &rc));
		REFUSED(rc, PI_INVALID_ARGUMENT, "invalid size: buffers of ");
	}
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		BAD(TraceSetSectionSize(odd[i]), "not a power of two from 32768 to 1048576");
		tracer_defaults(&o);
		o.section_bytes = odd[i];
		CU_ASSERT_PTR_NULL(tracer_open(&o, &rc));
		REFUSED(rc, PI_INVALID_ARGUMENT, "invalid size: sections of ");
	}
	GOOD(TraceSetMteSize(1 << 30));
	GOOD(TraceSetMteSize(0));
	GOOD(TraceSetSectionSize(1 << 20));
	GOOD(TraceSetSectionSize(32 << 10));
	GOOD(TraceSetSectionSize(0));
}

/* NULL is the default, or refused. */
static void test_nulls(void)
{
	struct trace_check list[8];
	struct pitrace_event_args events[PITRACE_EVENTS];

	GOOD(TraceSetName("/tmp/other.nrm2"));
	CU_ASSERT_STRING_EQUAL(TraceGetName(), "/tmp/other.nrm2");
	GOOD(TraceSetName(NULL));
	CU_ASSERT_STRING_EQUAL(TraceGetName(), TRACE_DEFAULT_NAME);
	GOOD(TraceSetCollector(NULL));
	BAD(TraceCheck(TRACE_SYSTEM, 0, NULL, 8), "no list to fill in");
	CU_ASSERT_EQUAL(TraceCheck(TRACE_SYSTEM, 0, NULL, 0), TraceCheck(TRACE_SYSTEM, 0, list, 8));
	BAD(TraceFindEvents(NULL, 0, 1, TRACE_PRIV_ANY, events), "no event name given");
	BAD(TraceFindEvents("task-clock", 0, 1, TRACE_PRIV_ANY, NULL), "no list to fill in");
	TraceListEvents(NULL, NULL);
	CU_ASSERT_EQUAL(TraceCanCount(NULL), 0);
	BAD(TraceCollectorHas(NULL, 0), "unknown collector ''");
	REFUSED(TraceGetInfo(NULL), PI_NOT_INITIALIZED, "there is no trace session");
	CU_ASSERT_EQUAL(TraceThreadName(NULL), TRACE_NOBODY);
	CU_ASSERT_EQUAL(TraceJitLoad(NULL, 0, 1), TRACE_NOBODY);
	GOOD(ITraceInit(ITRACE_USER));
	BAD(ITraceEnableList(1, NULL), "no list given");
	BAD(ITraceEnableThreads(1, NULL), "no list given");
	GOOD(ITraceTerminate());
}

static void test_stacks(void)
{
	const int user = PITRACE_WANT_USER, copy = PITRACE_WANT_COPY;

	BAD(TraceSetStacks(1 << 20, 0, 0), "invalid kind of call stacks");
	BAD(TraceSetStacks(PITRACE_WANT_DISPATCH, 0, 0), "invalid kind of call stacks");
	BAD(TraceSetStacks(user, -1, 0), "stacks have 1 to 127 addresses of each part");
	BAD(TraceSetStacks(user, PITRACE_STACK_MAX + 1, 0), "stacks have 1 to 127 addresses");
	BAD(TraceSetStacks(0, 5, 0), "stacks have 1 to 127 addresses");
	BAD(TraceSetStacks(copy, 0, 0), "invalid copy size: 8 to 8192 bytes, a multiple of 8");
	BAD(TraceSetStacks(copy, 0, 12), "invalid copy size: 8 to 8192 bytes, a multiple of 8");
	BAD(TraceSetStacks(copy, 0, -8), "invalid copy size: 8 to 8192 bytes, a multiple of 8");
	BAD(TraceSetStacks(copy, 0, PITRACE_STACK_COPY_MAX + 8),
	    "invalid copy size: 8 to 8192 bytes, a multiple of 8");
	BAD(TraceSetStacks(user, 0, 8), "invalid copy size: 8 to 8192 bytes, a multiple of 8");
	GOOD(TraceSetStacks(user, 1, 0));
	GOOD(TraceSetStacks(user, PITRACE_STACK_MAX, 0));
	GOOD(TraceSetStacks(user | copy, 0, 8));
	GOOD(TraceSetStacks(copy, 0, PITRACE_STACK_COPY_MAX));
	GOOD(TraceSetStacks(0, 0, 0));
}

static void test_no_session(void)
{
	const char *words = "there is no trace session";
	struct trace_info info = { .size = sizeof(info), .version = 1 };

	REFUSED(TraceOn(), PI_NOT_INITIALIZED, words);
	REFUSED(TraceOff(), PI_NOT_INITIALIZED, words);
	REFUSED(TraceSuspend(), PI_NOT_INITIALIZED, words);
	REFUSED(TraceResume(), PI_NOT_INITIALIZED, words);
	REFUSED(TraceDiscard(), PI_NOT_INITIALIZED, words);
	REFUSED(TraceTerminate(), PI_NOT_INITIALIZED, words);
	REFUSED(TraceEnable(PITRACE_TPROF), PI_NOT_INITIALIZED, words);
	REFUSED(TraceDisable(PITRACE_TPROF), PI_NOT_INITIALIZED, words);
	REFUSED(TraceQueryMajor(PITRACE_TPROF), PI_NOT_INITIALIZED, words);
	REFUSED(TraceWriteBufferToFile(NULL), PI_NOT_INITIALIZED, words);
	REFUSED(TraceGetInfo(&info), PI_NOT_INITIALIZED, words);
}

static void test_hook(void)
{
	const char *words = "programs write records of major 0xB0 and 0xD0 to 0xFF";
	const int majors[] = { -1, 0, PITRACE_TPROF, 0xaf, 0xb1, 0xcf, 0x100, PITRACE_MTE };

	for (size_t i = 0; i < sizeof(majors) / sizeof(*majors); i++)
		BAD(TraceHook(0, majors[i], 1, 0, 0, NULL, NULL, NULL), words);
	/* Nobody traces, so that it is nobody's. */
	CU_ASSERT_EQUAL(TraceHook(0, 0xb0, 1, 0, 0, NULL, NULL, NULL), TRACE_NOBODY);
	CU_ASSERT_EQUAL(TraceHook(0, 0xd0, 1, 0, 0, NULL, NULL, NULL), TRACE_NOBODY);
	CU_ASSERT_EQUAL(TraceHook(0, 0xff, 1, 0, 0, NULL, NULL, NULL), TRACE_NOBODY);
	CU_ASSERT_EQUAL(TraceJitLoad("a", 1, 2), TRACE_NOBODY);
	CU_ASSERT_EQUAL(TraceThreadName("a"), TRACE_NOBODY);
}

static void test_itrace(void)
{
	const int pids[] = { 5, 0 }, good[] = { 5, 6 };

	REFUSED(ITraceEnableAll(), PI_NOT_INITIALIZED,
		"ITrace is not initialized: call ITraceInit first");
	REFUSED(ITraceSetSkipCount(5), PI_NOT_INITIALIZED,
		"ITrace is not initialized: call ITraceInit first");
	REFUSED(ITraceSetLimit(5), PI_NOT_INITIALIZED,
		"ITrace is not initialized: call ITraceInit first");
	REFUSED(ITraceSetFrom("/", 0), PI_NOT_INITIALIZED,
		"ITrace is not initialized: call ITraceInit first");
	REFUSED(ITraceOn(), PI_NOT_INITIALIZED, "ITrace is not initialized: call ITraceInit first");
	BAD(ITraceInit(1 << 30), "unknown flags");
	REFUSED(ITraceEnableAll(), PI_NOT_INITIALIZED,
		"ITrace is not initialized: call ITraceInit first");
	GOOD(ITraceInit(ITRACE_USER));
	BAD(ITraceEnablePid(0), "invalid process or thread id 0");
	BAD(ITraceEnableGreater(0), "invalid process id 0");
	BAD(ITraceEnableRange(0, 5), "invalid range of processes, 0 to 5");
	BAD(ITraceEnableRange(5, 4), "invalid range of processes, 5 to 4");
	BAD(ITraceEnableList(2, pids), "invalid process or thread id 0");
	BAD(ITraceEnableList(-1, pids), "lists have 1 to");
	BAD(ITraceEnableList(PITRACE_ITRACE_LIST + 1, pids), "lists have 1 to");
	BAD(ITraceSetFrom("/none/such", 0), "/none/such: no such file");
	BAD(ITraceSetUntil("/none/such", 0), "/none/such: no such file");
	GOOD(ITraceEnablePid(1));
	GOOD(ITraceEnableRange(5, 5));
	GOOD(ITraceEnableGreater(1));
	GOOD(ITraceEnableList(2, good));
	GOOD(ITraceEnableThreads(2, good));
	GOOD(ITraceSetFrom("/proc/self/exe", 64));
	GOOD(ITraceTerminate());
	REFUSED(ITraceTerminate(), PI_NOT_INITIALIZED,
		"ITrace is not initialized: call ITraceInit first");
}

static void test_ptt(void)
{
	const char *tsc[] = { "tsc", "tsc" }, *none[] = { "none-such" };
	const char *two[] = { "task-clock,page-faults" };
	const char *many[PTT_METRICS + 1];
	struct ptt_thread_data data;

	for (size_t i = 0; i < PTT_METRICS + 1; i++)
		many[i] = "tsc";
	BAD(PttSetThreads(0), "0 threads: 1 to 4096");
	BAD(PttSetThreads(4097), "4097 threads: 1 to 4096");
	GOOD(PttSetThreads(4096));
	GOOD(PttSetThreads(1));
	REFUSED(PttInitThread(0), PI_NOT_INITIALIZED, "PTT is not initialized: call PttInit first");
	REFUSED(PttUninitThread(0), PI_NOT_INITIALIZED,
		"PTT is not initialized: call PttInit first");
	REFUSED(PttGetThreadData(0, &data), PI_NOT_INITIALIZED,
		"PTT is not initialized: call PttInit first");
	REFUSED(PttTerminate(), PI_NOT_INITIALIZED, "PTT is not initialized: call PttInit first");
	BAD(PttInit(0, tsc, TRACE_PRIV_ANY), "no metric");
	BAD(PttInit(1, NULL, TRACE_PRIV_ANY), "no metric");
	REFUSED(PttInit(PTT_METRICS + 1, many, TRACE_PRIV_ANY), PI_TOO_MANY_METRICS,
		"metrics: at most");
	REFUSED(PttInit(1, tsc, 99), PI_BAD_PRIVILEGE, "invalid privilege level");
	REFUSED(PttInit(2, tsc, TRACE_PRIV_ANY), PI_DUPLICATE_METRIC,
		"metric 'tsc' is given twice");
	REFUSED(PttInit(1, none, TRACE_PRIV_ANY), PI_EVENT_UNSUPPORTED, "none-such");
	BAD(PttInit(1, two, TRACE_PRIV_ANY),
	    "'task-clock,page-faults' names 2 events: a metric is one event");
	/* Where this user may. */
	if (PttInit(1, tsc, TRACE_PRIV_ANY))
		return;
	REFUSED(PttInit(1, tsc, TRACE_PRIV_ANY), PI_INCORRECT_STATE,
		"PTT is initialized: call PttTerminate first");
	REFUSED(PttSetThreads(5), PI_INCORRECT_STATE,
		"PTT is initialized: call PttTerminate first");
	GOOD(PttTerminate());
}

static void test_ai(void)
{
	struct ai_counters list[4];

	REFUSED(AiGetCounters(list, 4), PI_NOT_INITIALIZED,
		"AboveIdle is not initialized: call AiInit first");
	REFUSED(AiTerminate(), PI_NOT_INITIALIZED,
		"AboveIdle is not initialized: call AiInit first");
	BAD(AiSetCollector("none"), "unknown collector 'none' for AboveIdle: use driver or proc");
	GOOD(AiSetCollector("proc"));
	GOOD(AiInit());
	REFUSED(AiInit(), PI_INCORRECT_STATE, "AboveIdle is already initialized");
	REFUSED(AiSetCollector("proc"), PI_INCORRECT_STATE,
		"AboveIdle is initialized: call AiTerminate first");
	GOOD(AiTerminate());
	GOOD(AiSetCollector(NULL));
}

static void test_counters(void)
{
	uint64_t value;

	BAD(InitPerfCounterEvent(NULL, TRACE_PRIV_ANY), "no event name given");
	BAD(InitPerfCounterEvent("task-clock,page-faults", TRACE_PRIV_ANY),
	    "'task-clock,page-faults' names 2 events, not one: a counter each");
	REFUSED(InitPerfCounterEvent("task-clock", 99), PI_BAD_PRIVILEGE,
		"invalid privilege level");
	REFUSED(ReadPerfCounterEvent(0, -1, &value), PI_NOT_INITIALIZED,
		"invalid counter 0: InitPerfCounterEvent creates one");
	REFUSED(ReadPerfCounterEvent(-1, -1, &value), PI_NOT_INITIALIZED,
		"invalid counter -1: InitPerfCounterEvent creates one");
	REFUSED(ReadPerfCounterEvent(1000, -1, &value), PI_NOT_INITIALIZED,
		"invalid counter 1000: InitPerfCounterEvent creates one");
	REFUSED(StopPerfCounterEvent(0), PI_NOT_INITIALIZED,
		"invalid counter 0: InitPerfCounterEvent creates one");
	REFUSED(TerminatePerfCounterEvent(0), PI_NOT_INITIALIZED,
		"invalid counter 0: InitPerfCounterEvent creates one");
	BAD(GetPerfCounterEventId(NULL), "no event name given");
	BAD(GetPerfCounterEventId("task-clock,page-faults"),
	    "'task-clock,page-faults' names 2 events, not one");
}

/* Each code has words of its own, and none is without. */
static void test_words(void)
{
	for (int a = PI_BAD_PRIVILEGE; a <= PI_OK; a++) {
		CU_ASSERT(RcToString(a) && *RcToString(a));
		for (int b = PI_BAD_PRIVILEGE; b < a; b++)
			CU_ASSERT_STRING_NOT_EQUAL(RcToString(a), RcToString(b));
	}
	CU_ASSERT_PTR_NOT_NULL(RcToString(INT_MIN));
	CU_ASSERT_PTR_NOT_NULL(RcToString(PI_BAD_PRIVILEGE - 1));
	/* A positive value is not code, and not "ok". */
	CU_ASSERT_STRING_NOT_EQUAL(RcToString(1), RcToString(PI_OK));
	CU_ASSERT_PTR_NOT_NULL(strstr(RcToString(INT_MAX), "no error"));
	/* Codes are all functions': Ptt's, ITrace's and Ai's too. */
	for (int rc = PI_BAD_PRIVILEGE; rc <= PI_OK; rc++)
		CU_ASSERT_PTR_NULL(strstr(RcToString(rc), "trace"));
}

int main(void)
{
	static const struct unit_test tests[] = { { "trace", test_trace },
						  { "sizes", test_sizes },
						  { "nulls", test_nulls },
						  { "stacks", test_stacks },
						  { "no_session", test_no_session },
						  { "hook", test_hook },
						  { "itrace", test_itrace },
						  { "ptt", test_ptt },
						  { "ai", test_ai },
						  { "counters", test_counters },
						  { "words", test_words },
						  {} };

	setenv("PITRACE_SOCKET", "/nonexistent/socket", 1);
	return unit_run("refusals", tests);
}
