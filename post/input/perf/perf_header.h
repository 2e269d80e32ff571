/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a perf.data before and after its records. */
#ifndef POST_PERF_HEADER_H
#define POST_PERF_HEADER_H

#include "input/perf/perf_state.h"

bool perf_probe(const void *head, size_t size);
int perf_header_read(struct perf *p, struct pifile_fault *fault);
/* Processes features, build ids, TIME_CONV and, in a pipe, events, as records. */
int perf_header_record(struct perf *p, const struct perf_raw *raw);
/* Call once all attributes are known. */
int perf_header_finish(struct perf *p);
void perf_header_free(struct perf *p);

#endif
