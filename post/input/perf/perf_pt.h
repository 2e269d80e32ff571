/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intel PT of a perf.data, decoded. */
#ifndef POST_PERF_PT_H
#define POST_PERF_PT_H

#include "input/perf/perf_state.h"

/* For a pass: process perf's records in order; decode the trace up to a time, returning 1 if there
 * may be more, 0 if not. Return 0 or -ENOMEM otherwise. */
#ifdef HAVE_LIBIPT
int perf_pt_record(struct perf *p, const struct perf_item *item);
int perf_pt_step(struct perf *p, uint64_t until);
#else
static inline int perf_pt_record(struct perf *p, const struct perf_item *item)
{
	return (void)p, (void)item, 0;
}

static inline int perf_pt_step(struct perf *p, uint64_t until)
{
	return (void)p, (void)until, 0;
}
#endif

#endif
