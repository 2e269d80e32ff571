/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts call stacks to the tree of calls. The same addresses in the same memory have the same
 * symbols, so each distinct stack is resolved once and then found by its addresses.
 */
#ifndef POST_STACKS_H
#define POST_STACKS_H

#include "model/calls.h"
#include "model/frame_pointers.h"
#include "model/stack_places.h"
#include "model/unwind.h"
#include "record/stack_record.h"

/* Why a stack is truncated or missing; ticks are counted for each. */
enum stacks_end {
	STACKS_CUT_KERNEL,
	STACKS_CUT_USER,
	STACKS_FAULT,
	STACKS_NONE_KERNEL,
	STACKS_NONE_USER,
	STACKS_COPY_SHORT,
	STACKS_NO_TABLE,
	STACKS_GUESSED,
	STACKS_WRONG,
	STACKS_PARTIAL,
	STACKS_ENDS
};

struct raw_stack;

struct stacks_from {
	const struct unwind_machine *machine;
	bool judged; /* its stacks come from frame pointers and can be checked */
};

struct stacks {
	bool wanted;
	struct calls calls;
	uint64_t with, without; /* ticks with a stack; without one */
	uint64_t malformed;     /* part of `without`: malformed stacks */
	uint64_t ended[STACKS_ENDS];
	uint64_t too_deep; /* instructions in functions below the tree's depth limit */
	uint32_t last;     /* the call added to last */

	/* Private to stacks.c: */
	struct unwind *unwind;
	struct frame_pointers *frame_pointers; /* or NULL: no stack is checked */
	struct stacks_from *from;              /* by trace */
	uint32_t nfrom;
	struct stack_places places;
	struct unwound *unwound;
	struct pitrace_stack *made; /* a stack as if it had been recorded */
	struct raw_stack *raw;
	uint32_t nraw, room_raw;
	struct keys by_raw;
	uint64_t *word;
	uint32_t nword, room_word;
};

struct stacks_hit {
	uint32_t process, pid;
	uint32_t leaf;    /* symbol of the sampled address */
	uint64_t address; /* the sampled address */
	bool kernel;      /* address space of that address */
	uint64_t time;
	uint64_t ticks;
};

int stacks_open(struct stacks *st, struct names *n, const struct input *in); /* 0 or -ENOMEM */
/* Walks a stack with a memory copy. Returns 0 or -ENOMEM. */
int stacks_unwind(struct stacks *st, struct names *n, uint32_t pid, uint64_t time,
		  const struct stack *stack, struct unwound *out);
/* Finds the node of a stack, for ticks that are known later. Returns 0 or -ENOMEM. */
int stacks_find(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		const struct stack *stack, uint32_t *call);
/* Adds ticks; stack NULL: the record has none. Returns 0 or -ENOMEM. */
int stacks_add(struct stacks *st, struct names *n, const struct stacks_hit *hit,
	       const struct stack *stack);
/* The same without counting anything. */
int stacks_call(struct stacks *st, struct names *n, const struct stacks_hit *hit,
		const struct stack *stack, uint32_t *call);
/* Adds ticks that cannot have a stack. */
int stacks_leaf(struct stacks *st, uint32_t process, uint32_t symbol, bool kernel, uint64_t ticks);
const char *stacks_end_words(enum stacks_end end);
int stacks_finish(struct stacks *st, const struct names *n);
void stacks_free(struct stacks *st);

#endif
