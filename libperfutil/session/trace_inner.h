/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the Trace* files for the ITrace functions. */
#ifndef PITRACE_TRACE_INNER_H
#define PITRACE_TRACE_INNER_H

#include <tracer.h>

/* Starts a session for an instruction trace, with the settings made before TraceInit, in continuous
 * mode; pid 0: the whole system. */
int trace_begin(int pid, const uint64_t majors[PITRACE_MAJORS / 64],
		const struct tracer_itrace *itrace);
/* Sets what ITrace traces in the present session, which must be off. */
int trace_itrace(const struct tracer_itrace *itrace);

#endif
