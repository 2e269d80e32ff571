/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What logs of calls count of each method, added up over all threads and paths; beside it the ticks
 * of traces that are read together with them. Methods are one where their names are: code that a
 * program made, and what its log calls so.
 */
#ifndef POST_METHOD_SUMS_H
#define POST_METHOD_SUMS_H

#include "model/event_kinds.h"
#include "model/trace_names.h"

struct method_sum {
	uint32_t symbol; /* the first one of that name; NO_KEY: none yet */
	uint64_t ticks, calls, base, delta;
};

struct method_sums {
	struct method_sum *sum; /* by symbol; after the end by name */
	uint32_t count;
	uint64_t ticks, calls;
	uint32_t metric;           /* that is wanted, from 1; 0: the only one */
	bool has_base;             /* not calls alone */
	uint8_t what[EVENT_KINDS]; /* of each event: what it counts; 0: not looked at yet */
};

/* The metric of an event that the user named (base2, raw2, delta2), or the first. */
void method_sums_begin(struct method_sums *m, const char *event);
/* Ticks of a kind of event. 0 or -ENOMEM. */
int method_sums_add(struct method_sums *m, const struct event *kinds, unsigned int kind,
		    uint32_t symbol, uint64_t ticks);
/* One for each name, most ticks, then most base, then most calls first. */
void method_sums_finish(struct method_sums *m, const struct names *n);
void method_sums_free(struct method_sums *m);

#endif
