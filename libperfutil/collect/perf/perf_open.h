/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens perf events for the collector, and explains why one cannot be opened. */
#ifndef PITRACE_PERF_OPEN_H
#define PITRACE_PERF_OPEN_H

#include <linux/perf_event.h>
#include "collect/backend.h"
#include "collect/perf/perf_records.h"

/* The kinds of events, by the content of their rings. */
enum perf_use {
	PERF_NAMES, /* processes, threads, mappings; no samples */
	PERF_SAMPLES,
	PERF_SWITCHES, /* dispatches, for whole CPUs */
	PERF_WAKEUPS,  /* for whole CPUs */
	PERF_SYSCALLS,
	PERF_USES
};

/* Sets the attributes of an event; for samples, `number` indexes config->events. */
void perf_attr(struct perf_event_attr *attr, const struct trace_config *config, enum perf_use use,
	       unsigned int number, bool user_only);
/* Adds the parts of stacks that the configuration requests to the sample. */
void perf_attr_stacks(struct perf_event_attr *attr, const struct trace_config *config);
/* Do samples have a fixed count, as in config->events? Then they carry no periods. */
static inline bool perf_counts(const struct trace_config *config)
{
	return config->nevents && !(config->events[0].flags & PITRACE_EVENT_RATE);
}

/* Sets the event, and whether it counts in user or kernel code. */
void perf_attr_event(struct perf_event_attr *attr, const struct pitrace_event_args *e);
/* Checks whether the event counts only kernel code. */
bool perf_in_kernel(const struct pitrace_event_args *e);

/* Opens an event. Returns a descriptor or -errno. Omits optional features that an older kernel
 * lacks. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

/* Returns perf_event_paranoid; INT_MIN if it cannot be read (a kernel without perf events). */
int perf_paranoid(void);
/* Checks whether the configuration can be opened here, as collector.check. *user_only: without
 * kernel code. */
void perf_check(const struct trace_config *config, struct collector_check *check, bool *user_only);
/* Fills in why and cure for an errno of perf_open. */
void perf_why(int err, const struct trace_config *config, struct collector_check *check);

#endif
