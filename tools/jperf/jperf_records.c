/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Native methods of Trace: the program's own records. */
#include "pitrace_jperf_Trace.h"
#include "base/rc.h"
#include "jperf_entry.h"
#include "jperf_text.h"
#include "span.h"
#include "trace_event.h"

#include <string.h>

JPERF_ENTRY(Trace, jboolean, TraceEnabled, jint major, jint minor)
{
	return (jboolean)TraceEnabled(major, minor);
}

JPERF_ENTRY(Trace, jint, hook, jint major, jint minor, jlongArray ints, jobjectArray strs)
{
	struct jperf_texts texts = { .count = 0 };
	struct jperf_longs longs;
	int rc = jperf_longs(env, ints, &longs);

	if (!rc)
		rc = jperf_texts(env, strs, &texts);
	if (!rc)
		rc = TraceHook(0, major, minor, longs.count, texts.count, longs.values,
			       texts.lengths, (const char *const *)texts.bytes);
	jperf_texts_drop(&texts);
	jperf_longs_drop(&longs);
	return rc;
}

JPERF_ENTRY(Trace, jint, TraceHook__IIIJ, jint cpu, jint major, jint minor, jlong a)
{
	const uint64_t ints[] = { (uint64_t)a };

	return TraceHook(cpu, major, minor, 1, 0, ints, NULL, NULL);
}

JPERF_ENTRY(Trace, jint, TraceHook__IIIJJ, jint cpu, jint major, jint minor, jlong a, jlong b)
{
	const uint64_t ints[] = { (uint64_t)a, (uint64_t)b };

	return TraceHook(cpu, major, minor, 2, 0, ints, NULL, NULL);
}

JPERF_ENTRY(Trace, jint, jitLoad, jbyteArray name, jlong address, jlong size)
{
	struct jperf_text text;
	int rc = jperf_text(env, name, &text);

	if (!rc)
		rc = TraceJitLoad(text.bytes, (uint64_t)address, (uint64_t)size);
	jperf_text_drop(&text);
	return rc;
}

JPERF_ENTRY(Trace, jint, TraceJitMove, jlong from, jlong to, jlong size)
{
	return TraceJitMove((uint64_t)from, (uint64_t)to, (uint64_t)size);
}

JPERF_ENTRY(Trace, jint, TraceJitUnload, jlong address, jlong size)
{
	return TraceJitUnload((uint64_t)address, (uint64_t)size);
}

JPERF_ENTRY(Trace, jint, threadName, jbyteArray name)
{
	struct jperf_text text;
	int rc = jperf_text(env, name, &text);

	if (!rc)
		rc = TraceThreadName(text.bytes);
	jperf_text_drop(&text);
	return rc;
}

JPERF_ENTRY(Trace, jint, span, jint minor, jbyteArray name, jlong id)
{
	const uint64_t number = (uint64_t)id;
	struct jperf_text text;
	int rc = jperf_text(env, name, &text);

	if (!rc)
		rc = TraceHook(0, PITRACE_HOOKIT, minor, 1, 1, &number, NULL,
			       (const char *const *)&text.bytes);
	jperf_text_drop(&text);
	return rc;
}

/* ---- named events ---------------------------------------------------------------------------- */

/* The number of values and texts of an event that was declared here, to check the lengths of Java's
 * arrays. */
struct event_counts {
	uint8_t known, values, strs;
};
static struct event_counts declared[4096 + 1];

static struct event_counts count_fields(const char *fields)
{
	struct event_counts counts = { .known = 1 };

	while (*fields) {
		size_t length = strcspn(fields, ",");
		const char *type = memchr(fields, ':', length);

		if (type && !strncmp(type + 1, "str", 3) && strchr(",:", type[4]))
			counts.strs++;
		else
			counts.values++;
		fields += length;
		fields += *fields == ',';
	}
	return counts;
}

JPERF_ENTRY(Trace, jint, eventNew, jbyteArray name, jbyteArray fields)
{
	struct jperf_text text, list = { .bytes = NULL };
	int rc = jperf_text(env, name, &text);

	if (!rc)
		rc = jperf_text(env, fields, &list);
	if (!rc)
		rc = TraceEventNew(text.bytes, list.bytes);
	if (rc >= (int)(sizeof(declared) / sizeof(declared[0])))
		rc = PI_NO_MEMORY;
	/* Two threads that declare the same event store the same counts: no lock is needed. */
	if (rc > 0)
		declared[rc] = count_fields(list.bytes);
	jperf_text_drop(&list);
	jperf_text_drop(&text);
	return rc;
}

static int undeclared(void)
{
	return rc_say(PI_INVALID_ARGUMENT, "no such event: TraceEventNew gives their ids");
}

static int write_event(int event, const struct jperf_longs *values, const struct jperf_texts *strs)
{
	const struct event_counts *counts = &declared[event];

	if (!counts->known)
		return undeclared();
	if (values->count < counts->values || strs->count < counts->strs)
		return rc_say(PI_INVALID_ARGUMENT, "a named event without its values");
	return TraceEventWrite(event, values->values, strs->lengths,
			       (const char *const *)strs->bytes);
}

JPERF_ENTRY(Trace, jint, eventWrite, jint event, jlongArray values, jobjectArray strs)
{
	struct jperf_texts texts = { .count = 0 };
	struct jperf_longs longs;
	int rc;

	if (event < 1 || event >= (int)(sizeof(declared) / sizeof(declared[0])))
		return undeclared();
	rc = jperf_longs(env, values, &longs);
	if (!rc)
		rc = jperf_texts(env, strs, &texts);
	if (!rc)
		rc = write_event(event, &longs, &texts);
	jperf_texts_drop(&texts);
	jperf_longs_drop(&longs);
	return rc;
}
