/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts perf's records to ours, in p->told. */
#ifndef POST_PERF_CONVERT_H
#define POST_PERF_CONVERT_H

#include "input/perf/perf_state.h"

/* Functions return 0 or -ENOMEM. */
int perf_convert(struct perf *p, const struct perf_entry *e);
/* Calls `each` for the event of a sample, or for each event of its group with a nonzero count. */
int perf_each_sample(struct perf *p, const struct perf_item *item, uint32_t attr,
		     int (*each)(void *arg, const struct perf_item *i, uint32_t attr), void *arg);
int perf_convert_begin(struct perf *p);
int perf_convert_end(struct perf *p);

#endif
