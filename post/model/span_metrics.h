/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * PTT metrics used by spans, by span name. Span records have the current value of each metric as an
 * integer after the id, and "ptt:UNIT:NAME" as the string after the name, at the same index.
 */
#ifndef POST_SPAN_METRICS_H
#define POST_SPAN_METRICS_H

#include "model/named_stats.h"
#include "model/spans.h"

struct span_metric {
	uint32_t name;   /* of the span, in the list of names */
	uint32_t metric; /* "UNIT:NAME", in the same list */
	struct named_stat used;
};

struct span_metrics {
	struct span_metric *metric;
	uint32_t count, room;
	struct keys by_key;
};

/* Adds a span of this name that ended in the thread where it began. ints: 1 if the record's first
 * integer is its id, else 0. Returns 0 or -ENOMEM. */
int span_metrics_add(struct span_metrics *m, struct spans *s, uint32_t name,
		     const struct span_words *began, const struct pifile_user *ended,
		     unsigned int ints);
void span_metrics_free(struct span_metrics *m);

#endif
