/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw records in the order of time. */
#ifndef POST_PERF_ORDER_H
#define POST_PERF_ORDER_H

#include "input/perf/perf_state.h"

/* Takes a copy of a record. 0 or -errno; what is wrong with a file has been told. */
int perf_order_add(struct perf_order *o, const struct perf_raw *raw, uint32_t attr, uint64_t time);
/* A round is over; or everything is. 0 or -errno. */
int perf_order_round(struct perf_order *o, bool end);
/* The next record whose place in the order is final: 1; 0: more must be read; -errno. */
int perf_order_next(struct perf_order *o, const struct perf_entry **entry);
void perf_order_free(struct perf_order *o);

#endif
