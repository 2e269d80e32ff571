/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trees of calls of several inputs, laid over each other: a call is a name below its caller's, and
 * has a value of each input. What is outermost (a process, a thread) is a call, too.
 */
#ifndef POST_COMPARISON_H
#define POST_COMPARISON_H

#include "base/keys.h"

#define COMPARED_MOST 64 /* inputs */

/* Which calls of two inputs are the same. */
enum compare_key {
	BY_NAME,    /* functions, whoever calls them */
	BY_PATH,    /* … below the same callers */
	BY_PROCESS, /* … in processes of one name */
	BY_THREAD,  /* … in threads of one name */
	BY_DEFAULT, /* nobody chose: no key */
};

struct compared { /* an input */
	char *name;
	char *unit;    /* what its values are */
	uint64_t idle; /* ticks that were left out */
	int64_t total;
	bool exact;   /* counted one by one: no sample */
	bool damaged; /* or something was lost */
};

struct merged_call {
	uint32_t parent; /* NO_KEY: outermost */
	uint32_t name;
	uint32_t first, next; /* child, sibling: greatest first; NO_KEY: none */
	uint32_t depth;
	bool function; /* no process and no thread */
};

struct comparison {
	struct compared input[COMPARED_MOST];
	uint32_t inputs;
	char **name; /* as folded stacks have them: no semicolon, _[k] behind those of the kernel */
	uint32_t names, room_name;
	struct keys by_name;
	struct merged_call *call; /* callers first */
	uint32_t calls, room_call;
	struct keys by_call;
	int64_t *self, *total; /* of each call, `inputs` of them */
	uint64_t room_self;
};

/* Values of one line: of the i-th call, or function. */
static inline int64_t *values_at(const struct comparison *c, int64_t *values, uint32_t i)
{
	return values + (uint64_t)i * c->inputs;
}

/* Each returns 0, -ENOMEM, or -EOVERFLOW: sums are beyond 63 bits. */
int comparison_name(struct comparison *c, const char *text, size_t length, uint32_t *name);
int comparison_call(struct comparison *c, uint32_t parent, uint32_t name, bool function,
		    uint32_t *call);
int comparison_add(struct comparison *c, uint32_t call, uint32_t input, int64_t value);
/* Computes totals, puts siblings into their order. Once all values are there. */
int comparison_finish(struct comparison *c);
void comparison_free(struct comparison *c);

/* The next call in the order in which a tree is shown: NO_KEY first, and at the end. */
uint32_t comparison_next(const struct comparison *c, uint32_t call);

/* Values of functions, whoever calls them: own ones, and of all that is below, each once where a
 * function calls itself. Of processes and threads own ones are kept, and nothing is below. The
 * arrays are indexed by names. */
struct functions_compared {
	int64_t *self, *total;
};
int comparison_functions(const struct comparison *c, struct functions_compared *f);
void functions_compared_free(struct functions_compared *f);

enum combine { COMBINE_ADD, COMBINE_SUBTRACT, COMBINE_MINIMUM };
/* One input of the inputs from `first` on: their sum, the first one less all others, of each call's
 * own value the least. Before comparison_finish(). */
int comparison_combine(struct comparison *c, uint32_t first, enum combine how);

#endif
