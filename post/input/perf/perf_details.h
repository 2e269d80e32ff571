/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Additional data of perf (record/detail.h). */
#ifndef POST_PERF_DETAILS_H
#define POST_PERF_DETAILS_H

#include "input/perf/perf_state.h"

/* Pass records to `put`. Return 0 or -ENOMEM. */
struct perf_details *perf_details_new(void);
void perf_details_free(struct perf_details *d);
int perf_details_event(struct perf *p, uint32_t attr, perf_put put, void *arg);
int perf_details_sample(struct perf *p, const struct perf_item *i, uint32_t attr, perf_put put,
			void *arg);
int perf_details_record(struct perf *p, const struct perf_item *i, perf_put put, void *arg);
/* The scheduler's tracepoints, and the processes of the threads that they name. */
bool perf_details_sched_wanted(const struct perf *p);
int perf_details_task(struct perf_details *d, uint32_t pid, uint32_t tid);
int perf_details_sched(struct perf *p, const struct perf_item *i, uint32_t attr, uint32_t cpu,
		       perf_put put, void *arg);
/* Emits the dispatch of a switch record, with data of the preceding sched_switch sample. */
int perf_details_dispatch(struct perf_details *d, uint32_t cpu, uint32_t minor,
			  const struct pitrace_dispatch *s, uint64_t time, perf_put put, void *arg);

#endif
