/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Native methods of Ptt. */
#include "pitrace_jperf_Ptt.h"
#include "base/rc.h"
#include "jperf_entry.h"
#include "jperf_fields.h"
#include "jperf_text.h"
#include "pttread.h"
#include "span.h"

JPERF_ENTRY(Ptt, jint, PttSetThreads, jint most)
{
	return PttSetThreads(most);
}

JPERF_ENTRY(Ptt, jint, PttSetCharge, jint charged)
{
	return PttSetCharge(charged);
}

JPERF_ENTRY(Ptt, jint, init, jobjectArray metrics, jint priv)
{
	struct jperf_texts names;
	int rc = jperf_texts(env, metrics, &names);

	if (!rc)
		rc = jperf_texts_end(&names);
	if (!rc)
		rc = PttInit(names.count, (const char *const *)names.bytes, priv);
	jperf_texts_drop(&names);
	return rc;
}

JPERF_ENTRY(Ptt, jint, PttTerminate)
{
	return PttTerminate();
}

JPERF_ENTRY(Ptt, jint, PttInitThread, jint tid)
{
	return PttInitThread(tid);
}

JPERF_ENTRY(Ptt, jint, PttUninitThread, jint tid)
{
	return PttUninitThread(tid);
}

JPERF_ENTRY(Ptt, jint, PttGetMetricData, jlongArray values)
{
	uint64_t read[PTT_METRICS] = { 0 };
	jsize room = values ? (*env)->GetArrayLength(env, values) : 0;
	int rc = room ? PttGetMetricData(read) :
			rc_say(PI_INVALID_ARGUMENT, "there is no room for the values");

	if (!rc)
		(*env)->SetLongArrayRegion(env, values, 0, room < PTT_METRICS ? room : PTT_METRICS,
					   (const jlong *)read);
	return rc;
}

JPERF_ENTRY(Ptt, jlong, PttReadInline)
{
	uint64_t value;
	int rc = PttReadInline(&value);

	return rc ? rc : (jlong)value;
}

JPERF_ENTRY(Ptt, jint, PttGetThreadData, jint tid, jobject to)
{
#define FIELD(field, kind) JPERF_FIELD(ptt_thread_data, field, kind, 0)
	static const struct jperf_field fields[] = {
		FIELD(pid, JPERF_INT),         FIELD(tid, JPERF_INT),
		FIELD(ended, JPERF_INT),       FIELD(metrics, JPERF_INT),
		FIELD(dispatches, JPERF_LONG), FIELD(interrupts, JPERF_LONG),
		FIELD(value, JPERF_LONGS),     FIELD(interrupt, JPERF_LONGS),
		FIELD(name, JPERF_STRING),     FIELD(generation, JPERF_LONG),
	};
#undef FIELD
	struct ptt_thread_data data;
	int rc = to ? PttGetThreadData(tid, &data) : jperf_null();

	if (!rc)
		jperf_set_fields(env, to, fields, sizeof(fields) / sizeof(fields[0]), &data);
	return rc;
}

JPERF_ENTRY(Ptt, jint, PttGetInfo, jobject to)
{
#define FIELD(field, kind, each) JPERF_FIELD(ptt_info, field, kind, each)
	static const struct jperf_field fields[] = {
		FIELD(metrics, JPERF_INT, 0),
		FIELD(threads, JPERF_INT, 0),
		FIELD(apart, JPERF_INT, 0),
		FIELD(fast, JPERF_INT, 0),
		FIELD(collector, JPERF_STRING, 0),
		FIELD(note, JPERF_STRING, 0),
		FIELD(metric, JPERF_STRINGS, sizeof(((struct ptt_info *)0)->metric[0])),
		FIELD(unit, JPERF_STRINGS, sizeof(((struct ptt_info *)0)->unit[0])),
	};
#undef FIELD
	struct ptt_info info;
	int rc = to ? PttGetInfo(&info) : jperf_null();

	if (!rc)
		jperf_set_fields(env, to, fields, sizeof(fields) / sizeof(fields[0]), &info);
	return rc;
}

JPERF_ENTRY(Ptt, jint, span, jint minor, jbyteArray name, jlong id)
{
	struct jperf_text text;
	int rc = jperf_text(env, name, &text);

	if (!rc)
		rc = text.bytes ? PttSpan(minor, text.bytes, (uint64_t)id) : jperf_null();
	jperf_text_drop(&text);
	return rc;
}
