/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that differ only in time, added up by stack, thread, CPU and event. Memory is bounded by
 * the number of distinct combinations.
 */
#ifndef POST_SUMS_H
#define POST_SUMS_H

#include "base/keys.h"

struct sum {
	uint32_t stack; /* the innermost call, in struct calls */
	uint32_t thread;
	uint32_t cpu;
	uint32_t event; /* which of several events; 0: the chosen one */
	uint64_t ticks;
	uint64_t counted; /* the counts of their event; timer: ns */
};

struct sums {
	bool wanted;
	struct sum *sum;
	uint32_t count, room;
	uint32_t last; /* the sum last added to */
	struct keys by_key;
};

/* Returns 0 or -ENOMEM. */
int sums_add(struct sums *s, const struct sum *add);
void sums_free(struct sums *s);

#endif
