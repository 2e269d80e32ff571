/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoints of x86's page faults: they moved to where other architectures have them, too. */
#ifndef PITRACE_COMPAT_EXCEPTIONS_H
#define PITRACE_COMPAT_EXCEPTIONS_H

#ifdef PROBE_trace_exceptions
#include <trace/events/exceptions.h>
#else
#include <asm/trace/exceptions.h>
#endif

#endif
