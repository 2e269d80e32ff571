/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Native methods of Trace: sessions. */
#include "pitrace_jperf_Trace.h"
#include "jperf_entry.h"
#include "jperf_fields.h"
#include "jperf_text.h"
#include "perfutil.h"

#include <string.h>

#define ITEMS(list) ((int)(sizeof(list) / sizeof((list)[0])))

JPERF_ENTRY(Trace, jbyteArray, rcToString, jint rc)
{
	return jperf_bytes(env, RcToString(rc));
}

JPERF_ENTRY(Trace, jbyteArray, lastError)
{
	return jperf_bytes(env, TraceLastError());
}

/* ---- set up ---------------------------------------------------------------------------------- */

JPERF_ENTRY(Trace, jint, TraceSetMode, jint mode)
{
	return TraceSetMode(mode);
}

static int with_text(JNIEnv *env, jbyteArray array, int (*call)(const char *text))
{
	struct jperf_text text;
	int rc = jperf_text(env, array, &text);

	if (!rc)
		rc = call(text.bytes);
	jperf_text_drop(&text);
	return rc;
}

JPERF_ENTRY(Trace, jint, setName, jbyteArray path)
{
	return with_text(env, path, TraceSetName);
}

JPERF_ENTRY(Trace, jint, TraceSetMteSize, jlong bytes)
{
	return TraceSetMteSize((uint64_t)bytes);
}

JPERF_ENTRY(Trace, jint, TraceSetSectionSize, jlong bytes)
{
	return TraceSetSectionSize((uint64_t)bytes);
}

JPERF_ENTRY(Trace, jint, TraceSetScope, jint scope, jint pid)
{
	return TraceSetScope(scope, pid);
}

JPERF_ENTRY(Trace, jint, TraceSetStacks, jint what, jint depth, jint copy)
{
	return TraceSetStacks(what, depth, copy);
}

JPERF_ENTRY(Trace, jint, TraceSetRotation, jlong bytes, jlong seconds, jint keep)
{
	return TraceSetRotation((uint64_t)bytes, (uint64_t)seconds, keep);
}

JPERF_ENTRY(Trace, jint, setCollector, jbyteArray name)
{
	return with_text(env, name, TraceSetCollector);
}

/* ---- events ---------------------------------------------------------------------------------- */

JPERF_ENTRY(Trace, jint, setTprofEvent, jint cpu, jbyteArray event, jlong count, jint priv)
{
	struct jperf_text text;
	int rc = jperf_text(env, event, &text);

	if (!rc)
		rc = TraceSetTprofEvent(cpu, text.bytes, (uint64_t)count, priv);
	jperf_text_drop(&text);
	return rc;
}

#define FIELD(field, kind) JPERF_FIELD(pitrace_event_args, field, kind, 0)
static const struct jperf_field event_fields[] = {
	FIELD(flags, JPERF_INT),    FIELD(type, JPERF_INT),     FIELD(config, JPERF_LONG),
	FIELD(config1, JPERF_LONG), FIELD(config2, JPERF_LONG), FIELD(period, JPERF_LONG),
	FIELD(name, JPERF_STRING),
};
#undef FIELD

/* Fills each place of the list with an object of this class with these fields. */
static bool fill_list(JNIEnv *env, jobjectArray list, const char *class_name,
		      const struct jperf_field *fields, int count, const void *from, size_t size,
		      int n)
{
	jclass class = (*env)->FindClass(env, class_name);
	jmethodID make = class ? (*env)->GetMethodID(env, class, "<init>", "()V") : NULL;

	for (int i = 0; make && i < n; i++) {
		jobject object = (*env)->NewObject(env, class, make);

		if (!object || !jperf_set_fields(env, object, fields, count,
						 (const char *)from + (size_t)i * size))
			return false;
		(*env)->SetObjectArrayElement(env, list, i, object);
		(*env)->DeleteLocalRef(env, object);
	}
	return make;
}

JPERF_ENTRY(Trace, jint, findEvents, jbyteArray names, jlong count, jint rate, jint priv,
	    jobjectArray list)
{
	struct pitrace_event_args found[PITRACE_EVENTS];
	struct jperf_text text;
	int room = list ? (*env)->GetArrayLength(env, list) : 0, rc = jperf_text(env, names, &text);

	if (!rc && !text.bytes)
		rc = jperf_null();
	if (!rc)
		rc = TraceFindEvents(text.bytes, (uint64_t)count, (uint32_t)rate, priv, found);
	jperf_text_drop(&text);
	if (rc > 0)
		fill_list(env, list, "pitrace/jperf/TraceEventArgs", event_fields,
			  ITEMS(event_fields), found, sizeof(found[0]), rc < room ? rc : room);
	return rc;
}

struct listener {
	JNIEnv *env;
	jobject object;
	jmethodID event;
};

/* Does not call the listener any more once it has thrown an exception. */
static void each_event(void *arg, const char *source, const char *name, const char *what)
{
	const struct listener *l = arg;
	const char *const words[] = { source, name, what };
	jstring strings[3];

	if ((*l->env)->ExceptionCheck(l->env) || (*l->env)->PushLocalFrame(l->env, 16))
		return;
	for (int i = 0; i < 3; i++) {
		strings[i] = jperf_string(l->env, words[i], strlen(words[i]));
		if (!strings[i])
			break;
	}
	if (!(*l->env)->ExceptionCheck(l->env))
		(*l->env)->CallVoidMethod(l->env, l->object, l->event, strings[0], strings[1],
					  strings[2]);
	(*l->env)->PopLocalFrame(l->env, NULL);
}

JPERF_ENTRY(Trace, void, TraceListEvents, jobject object)
{
	struct listener l = { .env = env, .object = object };

	if (!object)
		return;
	l.event = (*env)->GetMethodID(env, (*env)->GetObjectClass(env, object), "event",
				      "(Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;)V");
	if (l.event)
		TraceListEvents(each_event, &l);
}

JPERF_ENTRY(Trace, jint, TraceCanCount, jobject event)
{
	struct pitrace_event_args args = { .size = sizeof(args), .version = 1 };

	if (!event || !jperf_get_fields(env, event, event_fields, ITEMS(event_fields), &args))
		return 0;
	return TraceCanCount(&args);
}

/* ---- collectors ------------------------------------------------------------------------------ */

JPERF_ENTRY(Trace, jint, TraceCheck, jint scope, jint pid, jobjectArray list)
{
#define FIELD(field, kind) JPERF_FIELD(trace_check, field, kind, 0)
	static const struct jperf_field fields[] = {
		FIELD(name, JPERF_STRING), FIELD(what, JPERF_STRING), FIELD(state, JPERF_INT),
		FIELD(serves, JPERF_INT),  FIELD(why, JPERF_STRING),  FIELD(cure, JPERF_STRING),
	};
#undef FIELD
	struct trace_check check[16];
	int room = list ? (*env)->GetArrayLength(env, list) : 0, n;

	if (room > ITEMS(check))
		room = ITEMS(check);
	n = TraceCheck(scope, pid, check, room);
	if (n > 0 && room)
		fill_list(env, list, "pitrace/jperf/TraceCheck", fields, ITEMS(fields), check,
			  sizeof(check[0]), n < room ? n : room);
	return n;
}

JPERF_ENTRY(Trace, jint, collectorHas, jbyteArray collector, jint major)
{
	struct jperf_text text;
	int rc = jperf_text(env, collector, &text);

	if (!rc)
		rc = text.bytes ? TraceCollectorHas(text.bytes, major) : 0;
	jperf_text_drop(&text);
	return rc;
}

JPERF_ENTRY(Trace, jbyteArray, collectorName, jint place)
{
	return jperf_bytes(env, TraceCollectorName(place));
}

JPERF_ENTRY(Trace, jint, collectorUse, jbyteArray collector)
{
	struct jperf_text text;
	int rc = jperf_text(env, collector, &text);

	if (!rc)
		rc = text.bytes ? TraceCollectorUse(text.bytes) : 0;
	jperf_text_drop(&text);
	return rc;
}

/* ---- a session ------------------------------------------------------------------------------- */

JPERF_ENTRY(Trace, jint, TraceInit, jlong size)
{
	return TraceInit((uint64_t)size);
}

JPERF_ENTRY(Trace, jint, TraceTerminate)
{
	return TraceTerminate();
}

JPERF_ENTRY(Trace, jint, TraceEnable, jint major)
{
	return TraceEnable(major);
}

JPERF_ENTRY(Trace, jint, TraceDisable, jint major)
{
	return TraceDisable(major);
}

JPERF_ENTRY(Trace, jint, TraceQueryMajor, jint major)
{
	return TraceQueryMajor(major);
}

JPERF_ENTRY(Trace, jbyteArray, majorName, jint major)
{
	return jperf_bytes(env, TraceMajorName(major));
}

JPERF_ENTRY(Trace, jint, SetProfilerRate, jint rate)
{
	return SetProfilerRate(rate);
}

JPERF_ENTRY(Trace, jint, TraceOn)
{
	return TraceOn();
}

JPERF_ENTRY(Trace, jint, TraceOff)
{
	return TraceOff();
}

JPERF_ENTRY(Trace, jint, TraceSuspend)
{
	return TraceSuspend();
}

JPERF_ENTRY(Trace, jint, TraceResume)
{
	return TraceResume();
}

JPERF_ENTRY(Trace, jint, TraceDiscard)
{
	return TraceDiscard();
}

JPERF_ENTRY(Trace, jint, writeBufferToFile, jbyteArray path)
{
	return with_text(env, path, TraceWriteBufferToFile);
}

/* ---- questions ------------------------------------------------------------------------------- */

JPERF_ENTRY(Trace, jint, IsTraceActive)
{
	return IsTraceActive();
}

JPERF_ENTRY(Trace, jint, IsTraceOn)
{
	return IsTraceOn();
}

JPERF_ENTRY(Trace, jint, IsContMode)
{
	return IsContMode();
}

JPERF_ENTRY(Trace, jint, IsWrapMode)
{
	return IsWrapMode();
}

JPERF_ENTRY(Trace, jbyteArray, getName)
{
	return jperf_bytes(env, TraceGetName());
}

JPERF_ENTRY(Trace, jint, TraceGetIntervalId)
{
	return TraceGetIntervalId();
}

JPERF_ENTRY(Trace, jbyteArray, lostName, jint kind)
{
	return jperf_bytes(env, TraceLostName(kind));
}

JPERF_ENTRY(Trace, jint, TraceGetInfo, jobject to)
{
#define FIELD(field, kind) JPERF_FIELD(trace_info, field, kind, 0)
	static const struct jperf_field fields[] = {
		FIELD(state, JPERF_INT),
		FIELD(mode, JPERF_INT),
		FIELD(scope, JPERF_INT),
		FIELD(pid, JPERF_INT),
		FIELD(rate, JPERF_INT),
		FIELD(dither, JPERF_INT),
		FIELD(ncpus, JPERF_INT),
		FIELD(stop_cpu, JPERF_INT),
		FIELD(stop_ring, JPERF_INT),
		FIELD(stop_pid, JPERF_INT),
		FIELD(stop_signal, JPERF_INT),
		FIELD(stopped, JPERF_INT),
		FIELD(file_error, JPERF_INT),
		FIELD(driver_have, JPERF_INT),
		FIELD(driver_missing, JPERF_INT),
		FIELD(clock, JPERF_INT),
		FIELD(holder, JPERF_INT),
		FIELD(files, JPERF_INT),
		FIELD(mte_bytes, JPERF_LONG),
		FIELD(trace_bytes, JPERF_LONG),
		FIELD(segment_bytes, JPERF_LONG),
		FIELD(interval, JPERF_LONG),
		FIELD(ticks, JPERF_LONG),
		FIELD(idle_ticks, JPERF_LONG),
		FIELD(late, JPERF_LONG),
		FIELD(lost, JPERF_LONGS),
		FIELD(written, JPERF_LONG),
		FIELD(records, JPERF_LONG),
		FIELD(unwritten, JPERF_LONG),
		FIELD(got, JPERF_LONG),
		FIELD(got_records, JPERF_LONG),
		FIELD(majors, JPERF_LONGS),
		FIELD(available, JPERF_LONGS),
		FIELD(collector, JPERF_STRING),
		FIELD(note, JPERF_STRING),
		FIELD(file, JPERF_STRING),
		FIELD(got_file, JPERF_STRING),
		FIELD(instructions, JPERF_LONG),
		FIELD(branches, JPERF_LONG),
		FIELD(waits, JPERF_LONG),
		FIELD(waited, JPERF_LONG),
		FIELD(taken, JPERF_LONG),
		FIELD(sampler, JPERF_STRING),
		FIELD(refused, JPERF_LONG),
		FIELD(refused_names, JPERF_STRING),
	};
#undef FIELD
	struct trace_info info;
	int rc = to ? TraceGetInfo(&info) : jperf_null();

	if (!rc)
		jperf_set_fields(env, to, fields, ITEMS(fields), &info);
	return rc;
}
