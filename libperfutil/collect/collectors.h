/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The list of collectors, the one with the most functions first: to add one, add its folder here
 * and one line. A line has the collector's name, its uses (enum trace_use) and the records that it
 * can ever write.
 */
#ifndef PITRACE_COLLECTORS_H
#define PITRACE_COLLECTORS_H

#include <perfutil.h>
#include "collect/backend.h"

#define MAJOR(major) (1ull << (major) % 64)
#define ALWAYS       (MAJOR(PITRACE_MTE) | MAJOR(PITRACE_SYSINFO))
#define SAMPLES      (ALWAYS | MAJOR(PITRACE_TPROF))
/* user code only */
#define STEPS                                                              \
	(ALWAYS | MAJOR(PITRACE_BRANCH_USER) | MAJOR(PITRACE_BREAK_USER) | \
	 MAJOR(PITRACE_ITRACE_START) | MAJOR(PITRACE_ITRACE_STOP))

/* All majors; or the given ones below 64, and programs' own records, which all collectors have:
 * through the driver or through hook files. */
/* clang-format off */
#define PROGRAMS    (~0ull << PITRACE_USER_FIRST % 64 | MAJOR(PITRACE_NAMED))
#define ALL_MAJORS  { ~0ull, ~0ull, ~0ull, ~0ull }
#define MAJORS(low) \
	{ low, 0, MAJOR(PITRACE_HOOKIT), PROGRAMS }
#define PERF_MAJORS \
	{ SAMPLES | MAJOR(PITRACE_DISPATCH) | MAJOR(PITRACE_SYSCALL), 0, MAJOR(PITRACE_HOOKIT), \
	  PROGRAMS | MAJOR(PITRACE_WAKEUP) }

#define COLLECTORS(collector) \
	collector(driver, TRACE_FOR_ALL | TRACE_BY_MODULE, ALL_MAJORS) \
	collector(perf, TRACE_FOR_SAMPLES | TRACE_FOR_SESSIONS, PERF_MAJORS) \
	collector(timer, TRACE_FOR_SAMPLES, MAJORS(SAMPLES)) \
	collector(ptrace, TRACE_FOR_ITRACE | TRACE_FOR_SESSIONS | TRACE_BY_STEPS, MAJORS(STEPS))
/* clang-format on */

#define DECLARED(name, use, majors) extern const struct collector collector_##name;
COLLECTORS(DECLARED)
#undef DECLARED

#endif
