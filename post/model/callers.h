/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callers and callees of each symbol, over all stacks together. A recursive symbol counts once per
 * stack: its caller is that of the outermost call, its callee that of the innermost. So the ticks
 * of its callers add up to the symbol's total, and the ticks of its callees plus its own do too.
 */
#ifndef POST_CALLERS_H
#define POST_CALLERS_H

#include "model/calls.h"

struct called { /* a symbol, all its calls together */
	uint32_t symbol;
	bool kernel;
	uint64_t self, total;
	uint64_t recursive;        /* part of the total where it is on the stack more than once */
	uint32_t callers, callees; /* the first edge of each */
	uint32_t ncallers, ncallees;
};

struct edge {
	uint32_t of, other; /* indices of called[]; NO_KEY: no caller, it is the outermost */
	bool caller;        /* other called it */
	uint64_t ticks;
};

struct callers {
	struct called *called; /* most total ticks first */
	uint32_t ncalled, room_called;
	struct edge *edge;
	uint32_t nedge, room_edge;
	struct keys by_symbol, by_edge;
};

/* From a finished tree. 0 or -ENOMEM. */
int callers_build(struct callers *c, const struct calls *calls, const struct names *n);
void callers_free(struct callers *c);

#endif
