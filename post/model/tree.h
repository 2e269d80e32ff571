/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows grouped by a list of levels: a tree of nodes in the order they are printed, parents before
 * children, siblings by ticks, then by name. The contents of reports are decided here alone.
 */
#ifndef POST_TREE_H
#define POST_TREE_H

#include "model/levels.h"
#include "model/marks.h"
#include "model/slices.h"
#include "model/stacks.h"
#include "model/sums.h"
#include "model/switches.h"
#include "model/times.h"

struct tree_node {
	enum level level;
	uint32_t depth; /* from 0 */
	uint64_t id;    /* of the process, thread, module or symbol (LIN:
					   with its line); the offset */
	uint64_t ticks, unsure;
	uint32_t row;  /* one of its rows, which has its parents too */
	uint32_t next; /* the node after its last descendant */
};

struct tree {
	struct tree_node *node;
	uint32_t count, room;
	uint64_t ticks;      /* sum of the outermost level */
	uint64_t leaf_ticks; /* sum of the innermost */
};

/* What trees of the same rows have in common: whoever builds many of them keeps it. Zeroed memory
 * is one of which nothing is known yet. */
struct tree_ground {
	struct levels ranks;
	uint32_t *by_cpu; /* rows, CPU after CPU */
	uint32_t *start;  /* each CPU's first in by_cpu, and the end */
	uint32_t cpus;
};

struct model { /* what reports read */
	struct names names;
	struct counts counts;
	struct stacks stacks;
	struct sums sums;
	struct slices slices;
	struct times times;
	struct marks marks;
	struct switches switches;
	struct named_events named;
	struct tree_ground *ground; /* of counts; NULL: it is not kept */
};

#define ANY_CPU UINT32_MAX

/* levels ends with LEVEL_END. 0 or -ENOMEM. */
int tree_build(struct tree *t, const struct model *m, const enum level *levels, uint32_t cpu);
void tree_free(struct tree *t);
void tree_ground_free(struct tree_ground *g);
const char *node_name(const struct model *m, const struct tree_node *n); /* raw: escape it */

#endif
