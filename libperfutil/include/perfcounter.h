/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Single counters: count an event on all CPUs, whatever runs there, by the kernel's perf events.
 * Each has a hardware counter on each CPU, or is refused: nothing is scaled. Also the available
 * events, by number and name. Functions return 0 (or a value as described) or a negative enum
 * pi_rc, with a message in TraceLastError.
 */
#ifndef PITRACE_PERFCOUNTER_H
#define PITRACE_PERFCOUNTER_H

#include <stddef.h>
#include "perfutil.h"
#include "pitrace_attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PERF_COUNTERS 64 /* maximum counters at a time */

/* Starts counting an event, by a name that TraceFindEvents accepts, in the code that priv selects
 * (enum trace_priv), on the online CPUs. Returns the counter's number, 0 to PERF_COUNTERS - 1. */
int InitPerfCounterEvent(const char *event, int priv) PITRACE_USE_RESULT;
int TerminatePerfCounterEvent(int counter);
/* Both succeed if the counter is already in that state. */
int StopPerfCounterEvent(int counter);
int ResumePerfCounterEvent(int counter);
/* Resets the counter to zero, stopped or not. */
int ResetPerfCounterEvent(int counter);
/* Reads the value of one CPU, or (-1) the sum of all. PI_NOT_SUPPORTED: it was not counted all the
 * time. */
int ReadPerfCounterEvent(int counter, int cpu, uint64_t *value)
	PITRACE_WRITES(3) PITRACE_USE_RESULT;

/* Returns the number of available events. They are numbered from 0 on, unchanged as long as the
 * program runs. */
int GetPerfCounterEventCount(void);
/* Returns the number of a name, even if it is not listed ("r1a2", "page-faults:u"). */
int GetPerfCounterEventId(const char *name) PITRACE_USE_RESULT;
struct perf_counter_event {
	const char *name;        /* as InitPerfCounterEvent takes it */
	const char *description; /* what is counted; "": unknown */
	const char *source;      /* "kernel", "pmu", "libpfm4", an event file's path, "" */
};
int GetPerfCounterEvent(int id, struct perf_counter_event *event)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;

/* The same for a struct of this size: see libperfutil(3). Programs use the plain names. */
int GetPerfCounterEvent_sized(int id, struct perf_counter_event *event, size_t size)
	PITRACE_WRITES(2) PITRACE_USE_RESULT;
#ifndef PITRACE_OWN_SOURCE
#define GetPerfCounterEvent(...) \
	GetPerfCounterEvent_sized(__VA_ARGS__, sizeof(struct perf_counter_event))
#endif

#ifdef __cplusplus
}
#endif
#endif
