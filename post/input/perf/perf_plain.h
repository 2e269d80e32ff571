/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of few fields, told at once. */
#ifndef POST_PERF_PLAIN_H
#define POST_PERF_PLAIN_H

#include "input/perf/perf_state.h"

/* Where the samples of an event have their fields. One of them, told; false: it has other fields,
 * perf_tell() it. */
void perf_plain_find(struct perf_attr *a);
bool perf_plain_tell(struct perf *p, const struct perf_entry *e, struct pirecord *r);

#endif
