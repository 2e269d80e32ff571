/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of the Trace* files for the ITrace functions. */
#ifndef PITRACE_TRACE_INNER_H
#define PITRACE_TRACE_INNER_H

#include <tracer.h>

/* Makes the settings usable in a forked child. At a fork, locks registered later are taken earlier:
 * call this before registering one that is held around these functions. */
void trace_watch_forks(void);
/* Starts a session for an instruction trace, with the settings made before TraceInit, in continuous
 * mode; pid 0: the whole system. */
int trace_begin(int pid, const uint64_t majors[PITRACE_MAJORS / 64],
		const struct tracer_itrace *itrace);
/* Sets what ITrace traces in the present session, which must be off. */
int trace_itrace(const struct tracer_itrace *itrace);
/* Each works as the public function, without a record of the switch. */
int trace_on(void);
int trace_resume(void);
int trace_suspend(void);
int trace_off(void);
int trace_terminate(void);

/* Writes a record of the switch into the trace, so that reports leave out the library's own code:
 * from the call of `function`, which returns to `caller`, or up to its return. A macro, for the
 * public function's own return address. */
#define trace_switched(how, function)                \
	trace_put_switch(how, (uintptr_t)(function), \
			 (uintptr_t)__builtin_extract_return_addr(__builtin_return_address(0)))
void trace_put_switch(enum pitrace_itrace_switched how, uintptr_t function, uintptr_t caller);

#endif
