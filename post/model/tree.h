/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows grouped by a list of levels: a tree of nodes in print order, parents before children,
 * siblings by ticks, then by name. Only this module decides the contents of reports.
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
	uint64_t id;    /* of the process, thread, module or symbol (LIN: with its line); or the
			 * offset */
	uint64_t ticks, unsure;
	uint32_t row;  /* one of its rows, which also has the ids of its parents */
	uint32_t next; /* the node after its last descendant */
};

struct tree {
	struct tree_node *node;
	uint32_t count, room;
	uint64_t ticks;      /* sum of the outermost level */
	uint64_t leaf_ticks; /* sum of the innermost */
};

/* Data that trees of the same rows share, kept by code that builds many of them. Zeroed memory is
 * an empty one. */
struct tree_ground {
	struct levels ranks;
	uint32_t *by_cpu; /* rows, CPU by CPU */
	uint32_t *start;  /* each CPU's first index in by_cpu, and the end */
	uint32_t cpus;
};

struct model { /* the data of reports */
	struct names names;
	struct counts counts;
	struct stacks stacks;
	struct sums sums;
	struct slices slices;
	struct times times;
	struct marks marks;
	struct switches switches;
	struct named_events named;
	struct tree_ground *ground; /* of counts; NULL: not kept */
};

#define ANY_CPU UINT32_MAX

/* levels ends with LEVEL_END. Returns 0 or -ENOMEM. */
int tree_build(struct tree *t, const struct model *m, const enum level *levels, uint32_t cpu);
void tree_free(struct tree *t);
void tree_ground_free(struct tree_ground *g);
const char *node_name(const struct model *m, const struct tree_node *n); /* not escaped */

#endif
