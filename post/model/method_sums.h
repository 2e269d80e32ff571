/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counters of each method in call logs, summed over all threads and paths, together with the
 * ticks of traces that are read at the same time. Methods with equal names are merged: generated
 * code, and its name in the log; a function of a file, and its name in the log of compiled code,
 * unless functions of several files have that name.
 */
#ifndef POST_METHOD_SUMS_H
#define POST_METHOD_SUMS_H

#include "model/event_kinds.h"
#include "model/trace_names.h"

struct method_sum {
	uint32_t symbol; /* the first one with that name; NO_KEY: none yet */
	uint64_t ticks, calls, base, delta;
};

struct method_sums {
	struct method_sum *sum; /* by symbol; after method_sums_finish() by name */
	uint32_t count;
	uint64_t ticks, calls;
	uint32_t metric;           /* requested metric, from 1; 0: the only one */
	bool has_base;             /* values other than calls exist */
	uint8_t what[EVENT_KINDS]; /* by event: what it counts; 0: not determined yet */
};

/* Selects the metric of an event that the user named (base2, raw2, delta2), or the first. */
void method_sums_begin(struct method_sums *m, const char *event);
/* Adds ticks of an event kind. Returns 0 or -ENOMEM. */
int method_sums_add(struct method_sums *m, const struct event *kinds, unsigned int kind,
		    uint32_t symbol, uint64_t ticks);
/* Merges methods by name; sorts by ticks, then base, then calls, the most first. */
void method_sums_finish(struct method_sums *m, const struct names *n);
void method_sums_free(struct method_sums *m);

#endif
