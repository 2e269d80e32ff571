/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call stacks as a tree of symbols: roots are processes, a node is a symbol called from its
 * parent's. Its size is bounded by the number of different stacks, not by samples; and by the
 * file's size, because in formats in which stacks share their parts a small file could ask for any
 * number of calls.
 */
#ifndef POST_CALLS_H
#define POST_CALLS_H

#include "model/trace_names.h"

#define CALLS_START (1u << 21) /* and one for each byte of the file */

struct call {
	uint32_t parent;      /* NO_KEY: a root */
	uint32_t id;          /* of the symbol; of a root's process */
	bool kernel;          /* where the symbol was met */
	uint32_t depth;       /* 0: a root */
	uint32_t first, next; /* child and sibling, most ticks first; NO_KEY: none */
	uint64_t self, total; /* total: at the end */
	uint64_t times;       /* calls, where records count them */
};

struct calls {
	struct call *call; /* parents before children */
	uint32_t ncall, room;
	uint32_t most;    /* 0: CALLS_START */
	uint64_t refused; /* calls beyond the limit, which count for their callers */
	struct keys by_call;
	uint32_t first; /* root; NO_KEY: none */
	uint64_t total;
};

void calls_begin(struct calls *c, uint64_t file_size);
/* The node of a call, created if need be; NO_KEY: no memory. parent NO_KEY: the root of a process.
 * Returns the parent itself when the tree is full. */
uint32_t calls_get(struct calls *c, uint32_t parent, uint32_t id, bool kernel);
/* The call after i, callers first: its first callee, unless `down` is false; else the next sibling
 * of it or of the nearest caller that has one. NO_KEY: there are no more. */
uint32_t calls_after(const struct calls *c, uint32_t i, bool down);
/* The greatest depth of a call. */
uint32_t calls_deepest(const struct calls *c);
/* Call after the last tick: merges processes of one group, replaces addresses by what reports show
 * (source_lines.h), computes totals, sorts siblings. 0 or -ENOMEM. */
int calls_finish(struct calls *c, const struct names *n);
void calls_free(struct calls *c);

#endif
