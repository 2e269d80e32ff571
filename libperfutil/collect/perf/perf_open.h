/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perf events as the collector opens them, and in words why one cannot be opened. */
#ifndef PITRACE_PERF_OPEN_H
#define PITRACE_PERF_OPEN_H

#include <linux/perf_event.h>
#include "collect/backend.h"
#include "collect/perf/perf_records.h"

/* The kinds of events there are, by what their rings hold. */
enum perf_use {
	PERF_NAMES,		/* processes, threads, mappings; no samples */
	PERF_SAMPLES,
	PERF_SWITCHES,		/* dispatches, of whole CPUs */
};

/* Attributes of the event of that use; of samples `number` counts config->events. */
void perf_attr(struct perf_event_attr *attr, const struct trace_config *config, enum perf_use use,
	       unsigned int number, bool user_only);
/* Samples each so many events, as config->events say: then they do not tell their periods. */
static inline bool perf_counts(const struct trace_config *config)
{
	return config->nevents && !(config->events[0].flags & PITRACE_EVENT_RATE);
}

/* What is counted, and whose code. */
void perf_attr_event(struct perf_event_attr *attr, const struct pitrace_event_args *e);
/* Does it happen in the kernel's code alone? */
bool perf_in_kernel(const struct pitrace_event_args *e);

/* A descriptor or -errno. What older kernels do not know and can be done without is left out. */
int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu);

/* perf_event_paranoid; INT_MIN when it cannot be read (a kernel without perf events). */
int perf_paranoid(void);
/* Can the configuration be opened here? As collector.check. *user_only: not the kernel's code. */
void perf_check(const struct trace_config *config, struct collector_check *check,
		bool *user_only);
/* Words and cure for an errno of perf_open. */
void perf_why(int err, const struct trace_config *config, struct collector_check *check);

#endif
