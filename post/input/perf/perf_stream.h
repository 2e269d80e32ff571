/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a perf.data as a stream of raw records. */
#ifndef POST_PERF_STREAM_H
#define POST_PERF_STREAM_H

#include "input/perf/perf_state.h"

int perf_stream_begin(struct perf_stream *s, struct perf *p);
/* Returns 1: a record, valid until the next call; 0: the end (or damage, which is reported);
 * -errno. */
int perf_stream_next(struct perf_stream *s, struct perf_raw *raw);
void perf_stream_free(struct perf_stream *s);

#endif
