/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hook_tell.h"

#include <pitrace.h>

#include "hook_functions.h"
#include "modules.h"
#include "perfutil.h"
#include "span.h"

void hook_tell(uint32_t function, bool ends)
{
	const char *name;

	if (!TraceEnabled(PITRACE_HOOKIT, 0))
		return;
	name = modules_name(functions_get(function));
	TraceHook(0, PITRACE_HOOKIT, ends ? TRACE_SPAN_END : TRACE_SPAN_BEGIN, 0, 1, NULL, NULL,
		  &name);
}
