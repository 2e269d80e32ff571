/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Spans: something that has a name and an id begins, and ends later, perhaps in another thread of
 * the process: a request, a transaction. `post -marks` times them; spans that go on at the same
 * time are told apart by their ids. Each call is one record of TraceHook: major PITRACE_HOOKIT,
 * minor TRACE_SPAN_BEGIN or TRACE_SPAN_END, the id as its first integer, the name as its first
 * string. Further integers and strings, by TraceHook itself, are what the span tells about itself.
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
#define TRACE_SPAN_SHARED 1 /* added to these: the id is not the process's but of all processes */

/* They return as TraceHook does, and cost as little while nobody listens. */
static inline int TraceSpanBegin(const char *name, uint64_t id)
{
	return TraceHook(0, PITRACE_HOOKIT, TRACE_SPAN_BEGIN, 1, 1, &id, 0, &name);
}

/* Ends the span of this name and id that was begun last, in any thread of the process. */
static inline int TraceSpanEnd(const char *name, uint64_t id)
{
	return TraceHook(0, PITRACE_HOOKIT, TRACE_SPAN_END, 1, 1, &id, 0, &name);
}

/*
 * The same, with what PTT has counted for the calling thread up to now (PttInit, PttInitThread):
 * `post -marks` then has the sum and the mean of each metric by name, of spans that begin and end
 * in one thread. The i-th metric is the integer behind the id at place i, and the string
 * "ptt:UNIT:NAME" behind the name. Without PTT they are plain spans.
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
