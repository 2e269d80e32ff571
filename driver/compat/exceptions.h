/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoints of x86's page faults: newer kernels moved them to the header that all
 * architectures share. */
#ifndef PITRACE_COMPAT_EXCEPTIONS_H
#define PITRACE_COMPAT_EXCEPTIONS_H

#ifdef PROBE_trace_exceptions
#include <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif

#endif
