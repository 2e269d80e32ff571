/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What spans used of PTT's metrics, by name. Their records have a metric's value so far as the
 * integer behind the id, and "ptt:UNIT:NAME" as the string behind the name, at the same place.
 */
#ifndef POST_SPAN_METRICS_H
#define POST_SPAN_METRICS_H

#include "model/named_stats.h"
#include "model/spans.h"

struct span_metric {
	uint32_t name;   /* the spans', of the list */
	uint32_t metric; /* "UNIT:NAME", of the same list */
	struct named_stat used;
};

struct span_metrics {
	struct span_metric *metric;
	uint32_t count, room;
	struct keys by_key;
};

/* A span of this name has ended, in the thread that it began in. ints: 1 of the record's integers
 * is its id, or 0. 0 or -ENOMEM. */
int span_metrics_add(struct span_metrics *m, struct spans *s, uint32_t name,
		     const struct span_words *began, const struct pifile_user *ended,
		     unsigned int ints);
void span_metrics_free(struct span_metrics *m);

#endif
