/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that wait for their deferred user stack. */
#ifndef POST_PERF_DEFERRED_H
#define POST_PERF_DEFERRED_H

#include "input/perf/perf_state.h"

/* A sample that waited, and its stack. 0 or -ENOMEM. */
struct perf_waiting {
	uint64_t time, offset;
	uint32_t attr, size;
};
typedef int (*perf_waited)(struct perf *p, const struct perf_waiting *w,
			   const struct perf_item *item);

/* A sample whose user stack is still to come, and the callback for when it has waited; such a
 * stack; a thread's end; the end of the file. 0 or -ENOMEM. */
int perf_deferred_wait(struct perf *p, const struct perf_item *item, const struct perf_entry *e,
		       uint64_t time, perf_waited told);
int perf_deferred_stack(struct perf *p, const struct perf_item *stack);
int perf_deferred_thread_ends(struct perf *p, uint32_t tid);
int perf_deferred_end(struct perf *p);
/* Number of samples given without a user stack in this pass. */
uint64_t perf_deferred_alone(const struct perf *p);
void perf_deferred_free(struct perf *p);

#endif
