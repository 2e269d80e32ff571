/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the Trace* functions do for their neighbours. */
#ifndef PITRACE_TRACE_INNER_H
#define PITRACE_TRACE_INNER_H

#include <tracer.h>

/* Begin a session for an instruction trace, with what was set before TraceInit, in continuous mode;
 * pid 0: of the whole system. */
int trace_begin(int pid, const uint64_t majors[PITRACE_MAJORS / 64],
		const struct tracer_itrace *itrace);
/* What ITrace traces in the session there is; it is off. */
int trace_itrace(const struct tracer_itrace *itrace);

#endif
