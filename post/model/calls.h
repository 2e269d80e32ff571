/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Call stacks as a tree of symbols: roots are processes, each node is a symbol called by its
 * parent. The tree is bounded by the number of distinct stacks rather than samples; and by the
 * file's size, because in formats whose stacks share parts a small file can describe any number of
 * calls.
 */
#ifndef POST_CALLS_H
#define POST_CALLS_H

#include "model/trace_names.h"

#define CALLS_START (1u << 21) /* nodes, plus one for each byte of the file */

struct call {
	uint32_t parent;      /* NO_KEY: a root */
	uint32_t id;          /* of the symbol; for a root, of the process */
	bool kernel;          /* address space of the symbol */
	uint32_t depth;       /* 0: a root */
	uint32_t first, next; /* child, sibling: most ticks first; NO_KEY: none */
	uint64_t self, total; /* total is set at the end */
	uint64_t times;       /* number of calls, if records count them */
};

struct calls {
	struct call *call; /* parents before children */
	uint32_t ncall, room;
	uint32_t most;    /* 0: CALLS_START */
	uint64_t refused; /* calls beyond the limit, counted for their callers */
	struct keys by_call;
	uint32_t first; /* root; NO_KEY: none */
	uint64_t total;
};

void calls_begin(struct calls *c, uint64_t file_size);
/* Returns the node of a call, creating it if necessary; NO_KEY: no memory. parent NO_KEY: the root
 * of a process. Returns the parent itself when the tree is full. */
uint32_t calls_get(struct calls *c, uint32_t parent, uint32_t id, bool kernel);
/* Returns the call after i, callers first: its first callee, unless `down` is false; else the next
 * sibling of it or of the nearest caller that has one. NO_KEY: no more calls. */
uint32_t calls_after(const struct calls *c, uint32_t i, bool down);
/* Returns the greatest depth of a call. */
uint32_t calls_deepest(const struct calls *c);
/* Call after the last tick: merges processes of a group, replaces addresses by the symbols that
 * reports show (source_lines.h), computes totals, sorts siblings. Returns 0 or -ENOMEM. */
int calls_finish(struct calls *c, const struct names *n);
void calls_free(struct calls *c);

#endif
