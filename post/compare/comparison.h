/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Merged call trees of several inputs: a call is a name below its caller, with one value per input.
 * The outermost element (a process, a thread) is a call, too.
 */
#ifndef POST_COMPARISON_H
#define POST_COMPARISON_H

#include "base/keys.h"

#define COMPARED_MOST 64 /* maximum number of inputs */

/* When calls of two inputs are the same. */
enum compare_key {
	BY_NAME,    /* functions, regardless of callers */
	BY_PATH,    /* the same callers */
	BY_PROCESS, /* the same callers and process name */
	BY_THREAD,  /* the same callers and thread name */
	BY_DEFAULT, /* not chosen yet */
};

struct compared { /* an input */
	char *name;
	char *unit;    /* unit of its values */
	uint64_t idle; /* idle ticks, which are left out */
	int64_t total;
	bool exact;   /* counted one by one, not sampled */
	bool damaged; /* damaged, or records were lost */
};

struct merged_call {
	uint32_t parent; /* NO_KEY: outermost */
	uint32_t name;
	uint32_t first, next; /* child, sibling: greatest first; NO_KEY: none */
	uint32_t depth;
	bool function; /* neither a process nor a thread */
};

struct comparison {
	struct compared input[COMPARED_MOST];
	uint32_t inputs;
	char **name; /* as in folded stacks: no semicolon, _[k] after kernel symbols */
	uint32_t names, room_name;
	struct keys by_name;
	struct merged_call *call; /* callers before callees */
	uint32_t calls, room_call;
	struct keys by_call;
	int64_t *self, *total; /* `inputs` values per call */
	uint64_t room_self;
};

/* Returns the values of one line: of the i-th call or function. */
static inline int64_t *values_at(const struct comparison *c, int64_t *values, uint32_t i)
{
	return values + (uint64_t)i * c->inputs;
}

/* Return 0, -ENOMEM, or -EOVERFLOW: sums exceed 63 bits. */
int comparison_name(struct comparison *c, const char *text, size_t length, uint32_t *name);
int comparison_call(struct comparison *c, uint32_t parent, uint32_t name, bool function,
		    uint32_t *call);
int comparison_add(struct comparison *c, uint32_t call, uint32_t input, int64_t value);
/* Computes totals and sorts siblings. Call once all values are there. */
int comparison_finish(struct comparison *c);
void comparison_free(struct comparison *c);

/* Returns the next call in the order in which a tree is printed. Start with NO_KEY; NO_KEY ends
 * it. */
uint32_t comparison_next(const struct comparison *c, uint32_t call);

/* Values of functions, regardless of callers: own ones, and totals including callees, where
 * recursive calls count once. Processes and threads keep their own values, which include no
 * callees. The arrays are indexed by name. */
struct functions_compared {
	int64_t *self, *total;
};
int comparison_functions(const struct comparison *c, struct functions_compared *f);
void functions_compared_free(struct functions_compared *f);

enum combine { COMBINE_ADD, COMBINE_SUBTRACT, COMBINE_MINIMUM };
/* Combines the inputs from `first` on into one, by the own values of each call: their sum, the
 * first one minus all others, or their minimum. Call before comparison_finish(). */
int comparison_combine(struct comparison *c, uint32_t first, enum combine how);

#endif
