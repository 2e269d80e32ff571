/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dominators of inner objects: d dominates v if each way from a root to v leads over d, and is its
 * immediate dominator if it is the nearest of them. Exact, by semi-dominators and nearest common
 * ancestors. Objects have a number by depth-first order in the tree of dominators, from 1 on: what
 * one dominates follows it. 0 is all roots together. Objects that cannot be reached come last.
 */
#ifndef HDUMP_DOMINATORS_H
#define HDUMP_DOMINATORS_H

#include "graph.h"
#include "lowest.h"

struct dominators {
	uint32_t *number;     /* of each inner object; beyond `count`: it is not reached */
	uint32_t count;       /* that are reached: 1 … count */
	uint32_t *idom;       /* of each number: a smaller one */
	struct lowest lowest; /* of idom */
};

/* `root`: a bit for each inner object. The graph is given back. 0 or -ENOMEM. */
int dominators_find(struct dominators *d, struct graph *g, const uint64_t *root);
void dominators_free(struct dominators *d);
/* The nearest that dominates both or is one of them. */
uint32_t dominators_common(const struct dominators *d, uint32_t a, uint32_t b);
/* How many each number dominates, itself included; NULL: no memory. The caller's to free. */
uint32_t *dominators_sizes(const struct dominators *d);

#endif
