/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who called a symbol and whom it called, over all stacks together. A stack counts once for a
 * symbol however often it is on it: its caller is that of the outermost time, what it called is
 * what the innermost time called. So the callers' ticks add up to the symbol's total, and those of
 * what it called with its own do too.
 */
#ifndef POST_CALLERS_H
#define POST_CALLERS_H

#include "model/calls.h"

struct called { /* a symbol, all its calls together */
	uint32_t symbol;
	bool kernel;
	uint64_t self, total;
	uint64_t recursive;        /* of the total: it is on the stack more than once */
	uint32_t callers, callees; /* the first edge of each */
	uint32_t ncallers, ncallees;
};

struct edge {
	uint32_t of, other; /* of called[]; NO_KEY: nobody, it is the outermost */
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
