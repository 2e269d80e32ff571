/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw records in time order. */
#ifndef POST_PERF_ORDER_H
#define POST_PERF_ORDER_H

#include "input/perf/perf_state.h"

/* Adds a copy of a record. Returns 0, or -errno after an error message about a file. */
int perf_order_add(struct perf_order *o, const struct perf_raw *raw, uint32_t attr, uint64_t time);
/* Ends a round, or the input. Returns 0 or -errno. */
int perf_order_round(struct perf_order *o, bool end);
/* Returns 1 with the next record whose position is final; 0: more must be read; -errno. */
int perf_order_next(struct perf_order *o, const struct perf_entry **entry);
void perf_order_free(struct perf_order *o);

#endif
