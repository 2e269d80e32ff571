/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fast path for samples of few fields. */
#ifndef POST_PERF_PLAIN_H
#define POST_PERF_PLAIN_H

#include "input/perf/perf_state.h"

/* Finds the offsets of fields in the samples of an event. Converts one sample; false: it has other
 * fields, use perf_tell(). */
void perf_plain_find(struct perf_attr *a);
bool perf_plain_tell(struct perf *p, const struct perf_entry *e, struct pirecord *r);

#endif
