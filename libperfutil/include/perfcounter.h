/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Single counters: an event counted on all CPUs, whoever runs there, by the kernel's perf events.
 * Each has a counter of its own on each CPU, or is refused: nothing is scaled. And the events there
 * are, by number and name. Functions return 0 (or what is said) or a negative enum pi_rc, with a
 * sentence in TraceLastError.
 */
#ifndef PITRACE_PERFCOUNTER_H
#define PITRACE_PERFCOUNTER_H

#include <perfutil.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PERF_COUNTERS	64		/* at most, at a time */

/* Begin to count, an event as TraceFindEvents knows it, of whose code priv says (enum trace_priv),
 * on the CPUs that are on line: the counter's number, 0 to PERF_COUNTERS - 1. */
int InitPerfCounterEvent(const char *event, int priv);
int TerminatePerfCounterEvent(int counter);
/* In the state already reached they succeed. */
int StopPerfCounterEvent(int counter);
int ResumePerfCounterEvent(int counter);
/* It is zero again, stopped or not. */
int ResetPerfCounterEvent(int counter);
/* Of a CPU, or (-1) of all together. PI_NOT_SUPPORTED: it was not counted all the time. */
int ReadPerfCounterEvent(int counter, int cpu, uint64_t *value);

/* The events there are have numbers, 0 and up, which stay as long as the program runs: how many. */
int GetPerfCounterEventCount(void);
/* A name's number; also of one that has no place in lists ("r1a2", "page-faults:u"). */
int GetPerfCounterEventId(const char *name);
struct perf_counter_event {
	const char *name;		/* as InitPerfCounterEvent takes it */
	const char *description;	/* what is counted; "": unknown */
	const char *source;		/* "kernel", "pmu", "libpfm4", an event file's path, "" */
};
int GetPerfCounterEvent(int id, struct perf_counter_event *event);

#ifdef __cplusplus
}
#endif
#endif
