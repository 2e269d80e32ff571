/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fast path for samples with few fields. */
#ifndef POST_PERF_PLAIN_H
#define POST_PERF_PLAIN_H

#include "input/perf/perf_state.h"

/* perf_plain_find() finds the offsets of fields in an event's samples. perf_plain_convert()
 * converts a sample; false: it has other fields, use perf_convert(). */
void perf_plain_find(struct perf_attr *a);
bool perf_plain_convert(struct perf *p, const struct perf_entry *e, struct pirecord *r);

#endif
