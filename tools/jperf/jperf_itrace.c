/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Native methods of ITrace. */
#include "pitrace_jperf_ITrace.h"
#include "itrace.h"
#include "jperf_entry.h"
#include "jperf_text.h"

JPERF_ENTRY(ITrace, jint, ITraceInit, jint flags)
{
	return ITraceInit(flags);
}

JPERF_ENTRY(ITrace, jint, ITraceTerminate)
{
	return ITraceTerminate();
}

JPERF_ENTRY(ITrace, jint, ITraceEnableAll)
{
	return ITraceEnableAll();
}

JPERF_ENTRY(ITrace, jint, ITraceEnableCurrent)
{
	return ITraceEnableCurrent();
}

JPERF_ENTRY(ITrace, jint, ITraceEnablePid, jint pid)
{
	return ITraceEnablePid(pid);
}

JPERF_ENTRY(ITrace, jint, ITraceEnableGreater, jint pid)
{
	return ITraceEnableGreater(pid);
}

JPERF_ENTRY(ITrace, jint, ITraceEnableRange, jint first, jint last)
{
	return ITraceEnableRange(first, last);
}

static int enable(JNIEnv *env, jintArray numbers, int (*these)(int count, const int numbers[]))
{
	jint *copy = numbers ? (*env)->GetIntArrayElements(env, numbers, NULL) : NULL;
	int rc;

	if (!copy)
		return numbers ? PI_NO_MEMORY : jperf_null();
	rc = these((*env)->GetArrayLength(env, numbers), copy);
	(*env)->ReleaseIntArrayElements(env, numbers, copy, JNI_ABORT);
	return rc;
}

JPERF_ENTRY(ITrace, jint, ITraceEnableList, jintArray pids)
{
	return enable(env, pids, ITraceEnableList);
}

JPERF_ENTRY(ITrace, jint, ITraceEnableThreads, jintArray tids)
{
	return enable(env, tids, ITraceEnableThreads);
}

JPERF_ENTRY(ITrace, jint, ITraceSetSkipCount, jlong count)
{
	return ITraceSetSkipCount((uint64_t)count);
}

JPERF_ENTRY(ITrace, jint, ITraceSetLimit, jlong count)
{
	return ITraceSetLimit((uint64_t)count);
}

static int set_place(JNIEnv *env, jbyteArray file, jlong offset, int (*set)(const char *, uint64_t))
{
	struct jperf_text text;
	int rc = jperf_text(env, file, &text);

	if (!rc)
		rc = set(text.bytes, (uint64_t)offset);
	jperf_text_drop(&text);
	return rc;
}

JPERF_ENTRY(ITrace, jint, setFrom, jbyteArray file, jlong offset)
{
	return set_place(env, file, offset, ITraceSetFrom);
}

JPERF_ENTRY(ITrace, jint, setUntil, jbyteArray file, jlong offset)
{
	return set_place(env, file, offset, ITraceSetUntil);
}

JPERF_ENTRY(ITrace, jint, ITraceInstall)
{
	return ITraceInstall();
}

JPERF_ENTRY(ITrace, jint, ITraceOn)
{
	return ITraceOn();
}

JPERF_ENTRY(ITrace, jint, ITraceOff)
{
	return ITraceOff();
}
