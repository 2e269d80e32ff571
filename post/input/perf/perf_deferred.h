/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that wait for their deferred user stack. */
#ifndef POST_PERF_DEFERRED_H
#define POST_PERF_DEFERRED_H

#include "input/perf/perf_state.h"

/* A sample that waited. The callback gets the decoded sample with its stack and returns 0 or
 * -ENOMEM. */
struct perf_waiting {
	uint64_t time, offset;
	uint32_t attr, size;
};
typedef int (*perf_waited)(struct perf *p, const struct perf_waiting *w,
			   const struct perf_item *item);

/* Process a sample that waits for its user stack, with the callback for its end; a deferred stack;
 * a thread's end; the end of the file. Return 0 or -ENOMEM. */
int perf_deferred_wait(struct perf *p, const struct perf_item *item, const struct perf_entry *e,
		       uint64_t time, perf_waited ready);
int perf_deferred_stack(struct perf *p, const struct perf_item *stack);
int perf_deferred_thread_ends(struct perf *p, uint32_t tid);
int perf_deferred_end(struct perf *p);
/* Returns the number of samples without a user stack in this pass. */
uint64_t perf_deferred_alone(const struct perf *p);
void perf_deferred_free(struct perf *p);

#endif
