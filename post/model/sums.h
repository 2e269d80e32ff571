/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that differ only in time, added up: a stack of a thread on a CPU. Memory is bounded by
 * the number of distinct ones.
 */
#ifndef POST_SUMS_H
#define POST_SUMS_H

#include "base/keys.h"

struct sum {
	uint32_t stack; /* the innermost call, in struct calls */
	uint32_t thread;
	uint32_t cpu;
	uint64_t ticks;
	uint64_t counted; /* what their event counted; the timer: ns */
};

struct sums {
	bool wanted;
	struct sum *sum;
	uint32_t count, room;
	uint32_t last; /* the one that was added to last */
	struct keys by_key;
};

/* 0 or -ENOMEM. */
int sums_add(struct sums *s, const struct sum *add);
void sums_free(struct sums *s);

#endif
