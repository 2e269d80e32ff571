/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_trace_call.h"

#include <pitrace.h>

#include "hookit_begin.h"
#include "perfutil.h"
#include "span.h"

void hook_trace_call(uint32_t function, bool ends)
{
	const char *name;

	if (!TraceEnabled(PITRACE_HOOKIT, 0))
		return;
	name = hookit_name(function);
	TraceHook(0, PITRACE_HOOKIT, ends ? TRACE_SPAN_END : TRACE_SPAN_BEGIN, 0, 1, NULL, NULL,
		  &name);
}
