/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spans: an operation with a name and an id, such as a request or a transaction, begins, and ends
 * later, possibly in another thread of the process. `post -marks` times them; concurrent spans are
 * distinguished by their ids. Each call is one record of TraceHook: major PITRACE_HOOKIT, minor
 * TRACE_SPAN_BEGIN or TRACE_SPAN_END, the id as its first integer, the name as its first string. A
 * program that calls TraceHook itself may add integers and strings that describe the span.
 */
#ifndef PITRACE_SPAN_H
#define PITRACE_SPAN_H

#include "perfutil.h"
#include "ptt.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TRACE_SPAN_BEGIN  0
#define TRACE_SPAN_END    0x80
#define TRACE_SPAN_SHARED 1 /* added to these: the id is unique across all processes */

/* These return as TraceHook does, and cost as little while no session records them. */
static inline int TraceSpanBegin(const char *name, uint64_t id)
{
	return TraceHook(0, PITRACE_HOOKIT, TRACE_SPAN_BEGIN, 1, 1, &id, 0, &name);
}

/* Ends the most recently begun span of this name and id, in any thread of the process. */
static inline int TraceSpanEnd(const char *name, uint64_t id)
{
	return TraceHook(0, PITRACE_HOOKIT, TRACE_SPAN_END, 1, 1, &id, 0, &name);
}

/*
 * The same, with the calling thread's PTT values up to now (PttInit, PttInitThread): `post -marks`
 * then shows the sum and the mean of each metric by name, for spans that begin and end in one
 * thread. The i-th metric is the i-th integer after the id, and the i-th string "ptt:UNIT:NAME"
 * after the name. Without PTT they are plain spans.
 */
int PttSpan(int minor, const char *name, uint64_t id);

static inline int PttSpanBegin(const char *name, uint64_t id)
{
	return TraceEnabled(PITRACE_HOOKIT, TRACE_SPAN_BEGIN) ?
		       PttSpan(TRACE_SPAN_BEGIN, name, id) :
		       TRACE_NOBODY;
}

static inline int PttSpanEnd(const char *name, uint64_t id)
{
	return TraceEnabled(PITRACE_HOOKIT, TRACE_SPAN_END) ? PttSpan(TRACE_SPAN_END, name, id) :
							      TRACE_NOBODY;
}

#ifdef __cplusplus
}
#endif
#endif /* PITRACE_SPAN_H */
