/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intel PT data of a perf.data, before decoding. */
#ifndef POST_PERF_PT_DATA_H
#define POST_PERF_PT_DATA_H

#include "input/perf/perf_state.h"

/* Process AUXTRACE_INFO and AUXTRACE of the file; start a pass, and end it. Return 0 or -ENOMEM. */
#ifdef HAVE_LIBIPT
int perf_pt_info(struct perf *p, const struct perf_raw *raw);
int perf_pt_piece(struct perf *p, const struct perf_raw *raw);
int perf_pt_begin(struct perf *p);
void perf_pt_end(struct perf *p);
void perf_pt_free(struct perf *p);
#else
static inline int perf_pt_info(struct perf *p, const struct perf_raw *raw)
{
	return (void)p, (void)raw, 0;
}

static inline int perf_pt_piece(struct perf *p, const struct perf_raw *raw)
{
	return (void)p, (void)raw, 0;
}

static inline int perf_pt_begin(struct perf *p)
{
	return (void)p, 0;
}

static inline void perf_pt_free(struct perf *p)
{
	(void)p;
}
#endif

#endif
