/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callers and callees of each symbol, over all stacks. A recursive symbol counts once per stack:
 * its caller is that of the outermost call, its callee that of the innermost. Thus the ticks of its
 * callers add up to the symbol's total, as do the ticks of its callees plus its own.
 */
#ifndef POST_CALLERS_H
#define POST_CALLERS_H

#include "model/calls.h"

struct called { /* a symbol with all its calls */
	uint32_t symbol;
	bool kernel;
	uint64_t self, total;
	uint64_t recursive;        /* part of the total with several calls on the stack */
	uint32_t callers, callees; /* index of the first edge of each kind */
	uint32_t ncallers, ncallees;
};

struct edge {
	uint32_t of, other; /* indexes in called[]; NO_KEY: no caller, `of` is outermost */
	bool caller;        /* `other` is the caller */
	uint64_t ticks;
};

struct callers {
	struct called *called; /* most total ticks first */
	uint32_t ncalled, room_called;
	struct edge *edge;
	uint32_t nedge, room_edge;
	struct keys by_symbol, by_edge;
};

/* Builds the lists from a finished tree. Returns 0 or -ENOMEM. */
int callers_build(struct callers *c, const struct calls *calls, const struct names *n);
void callers_free(struct callers *c);

#endif
