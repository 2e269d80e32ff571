/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The former mappings of addresses: facts, each a range of addresses and of time. No two facts are
 * valid at the same address and time, so one mapping is one fact, whatever it covers. n facts take
 * at most n log n memory, a look-up takes log^2 n time.
 */
#ifndef A2N_SPACE_PAST_H
#define A2N_SPACE_PAST_H

#include "a2n/space/space.h"

struct past_fact {
	uint64_t start, last;
	struct moment from, to; /* up to `to`, exclusive */
	struct mapping mapping;
	uint32_t order; /* set by space_past_add() */
	bool walk;
	bool before; /* not a fact yet: what a walk found for the time before the first fact */
};

struct space_run;

/* {0} is empty. */
struct space_past {
	struct past_fact *fresh; /* not in a run yet, in the order of space_past_add() */
	uint32_t n, room;
	struct space_run **runs; /* in descending size, each at least twice as large as the next */
	uint32_t n_runs, room_runs;
	uint32_t added;
};

/* 0 or -ENOMEM. */
int space_past_add(struct space_past *p, const struct past_fact *fact);
/* Returns the fact valid at that moment, or NULL. Facts stay valid until the next call. */
const struct past_fact *space_past_find(struct space_past *p, uint64_t address, struct moment at);
/* Returns the first fact that begins after that moment, or NULL. */
const struct past_fact *space_past_next(struct space_past *p, uint64_t address, struct moment at);
/* Visits all facts, or those of one address if it is not NULL, in any order. */
void space_past_each(const struct space_past *p, const uint64_t *address,
		     void (*take)(void *arg, const struct past_fact *fact), void *arg);
void space_past_free(struct space_past *p);

#endif
