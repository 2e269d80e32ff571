/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dominators of inner objects: d dominates v if every path from a root to v passes d; the nearest
 * one is the immediate dominator. They are exact. Objects have numbers from 1 on in depth-first
 * order of the dominator tree: those that an object dominates follow it. 0 stands for all roots.
 * Unreachable objects come last.
 */
#ifndef HDUMP_DOMINATORS_H
#define HDUMP_DOMINATORS_H

#include "graph.h"
#include "lowest.h"

struct dominators {
	uint32_t *number;     /* of each inner object; above `count`: unreachable */
	uint32_t count;       /* reachable objects have the numbers 1 … count */
	uint32_t *idom;       /* immediate dominator of each number: a smaller one */
	struct lowest lowest; /* of idom */
};

/* `root` has a bit for each inner object. Frees the graph. Returns 0 or -ENOMEM. */
int dominators_find(struct dominators *d, struct graph *g, const uint64_t *root);
void dominators_free(struct dominators *d);
/* Returns the nearest object that dominates both, or is one of them. */
uint32_t dominators_common(const struct dominators *d, uint32_t a, uint32_t b);
/* Returns how many objects each number dominates, including itself; NULL without memory. The caller
 * frees it. */
uint32_t *dominators_sizes(const struct dominators *d);

#endif
