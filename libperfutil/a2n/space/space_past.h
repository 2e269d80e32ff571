/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was at an address once: facts, each a range of addresses and of time. No two of them are
 * true at one address and time, so that one mapping is one fact, whatever it lies above or below.
 * n facts take n log n memory at most, a look-up log^2 n time.
 */
#ifndef A2N_SPACE_PAST_H
#define A2N_SPACE_PAST_H

#include "a2n/space/space.h"

struct past_fact {
	uint64_t start, last;
	struct moment from, to; /* up to `to`, without it */
	struct mapping mapping;
	uint32_t order; /* set by space_past_add() */
	bool walk;
	bool before; /* no fact yet: what a walk says of the time before the first one */
};

struct space_run;

/* {0} is empty. */
struct space_past {
	struct past_fact *fresh; /* in no run yet, in the order of space_past_add() */
	uint32_t n, room;
	struct space_run **runs; /* of falling size, each at least twice the next one's */
	uint32_t n_runs, room_runs;
	uint32_t added;
};

/* 0 or -ENOMEM. */
int space_past_add(struct space_past *p, const struct past_fact *fact);
/* What held at that moment, or NULL. Facts are valid until the next call. */
const struct past_fact *space_past_find(struct space_past *p, uint64_t address, struct moment at);
/* The first fact that begins after that moment, or NULL. */
const struct past_fact *space_past_next(struct space_past *p, uint64_t address, struct moment at);
/* Visits all facts; of one address if there is one. Their order is any. */
void space_past_each(const struct space_past *p, const uint64_t *address,
		     void (*take)(void *arg, const struct past_fact *fact), void *arg);
void space_past_free(struct space_past *p);

#endif
