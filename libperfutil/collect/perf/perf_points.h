/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's tracepoints of dispatches, wake-ups and system calls: which ones a configuration
 * needs, whether this user may use them, and the conversion of their samples to the driver's
 * records.
 */
#ifndef PITRACE_PERF_POINTS_H
#define PITRACE_PERF_POINTS_H

#include "collect/perf/perf_open.h"
#include "events/tracepoint_format.h"

enum perf_point {
	PERF_POINT_SWITCH,
	PERF_POINT_WAKING,
	PERF_POINT_WAKEUP_NEW,
	PERF_POINT_ENTER,
	PERF_POINT_EXIT,
	PERF_POINTS
};
#define PERF_POINT_FIELDS 5

struct perf_points {
	uint32_t known; /* bits of enum perf_point */
	uint64_t id[PERF_POINTS];
	struct tracepoint_place field[PERF_POINTS][PERF_POINT_FIELDS];
};

/* Reads the formats of the tracepoints in `wanted`, as far as they are readable. 0 or the first
 * error. */
int perf_points_read(struct perf_points *p, uint32_t wanted);
/* Returns the tracepoints that the majors and stacks of the configuration need. Dispatches without
 * stacks need none. */
uint32_t perf_points_needed(const struct trace_config *config);
/* Changes the attributes of an event of PERF_SWITCHES, PERF_WAKEUPS or PERF_SYSCALLS to those of
 * the tracepoint. */
void perf_points_attr(struct perf_event_attr *a, const struct perf_points *p, enum perf_point point,
		      const struct trace_config *config);
/* Checks whether this user may use what the configuration needs. False: with why and cure. */
bool perf_points_check(const struct trace_config *config, struct collector_check *check);

/* Takes a sample of sched_switch; ignores one that is too short. */
void perf_points_left(struct perf_left *l, const struct perf_points *p,
		      const struct perf_item *item, const struct perf_stacks *stacks);
/* Fills in the record of a wake-up, except the process of the woken thread; minor: its flags.
 * False: the sample is too short. */
bool perf_point_wakeup(const struct perf_points *p, enum perf_point point,
		       const struct perf_item *item, struct pitrace_wakeup *w, uint32_t *minor);
/* Converts an entry or an exit of a system call. -EBADMSG: the sample is too short. */
int perf_put_syscall(const struct perf_points *p, enum perf_point point,
		     const struct perf_item *item, perf_put put, void *arg);

#endif
