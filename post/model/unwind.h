/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of user stacks, walked by the unwinding tables of their programs (libdw). liba2n knows
 * which files were mapped at the time. Without a table the walk uses frame pointers, and the result
 * is marked as guessed.
 */
#ifndef POST_UNWIND_H
#define POST_UNWIND_H

#include <a2n.h>

#include "record/stack_record.h"

enum unwind_end {
	UNWIND_WHOLE, /* to the outermost call */
	UNWIND_CUT,   /* more calls than PITRACE_STACK_MAX */
	UNWIND_SHORT, /* the copy of the stack ends before */
	UNWIND_LOST,  /* no unwinding table, or one that doesn't fit */
};

struct unwound {
	uint64_t address[PITRACE_STACK_MAX]; /* innermost first; all but the first are where
						   calls return to */
	uint32_t count;
	enum unwind_end end;
	bool guessed; /* some by frame pointers, where no table is */
};

struct unwind;
struct unwind_machine;

/* By utsname's name; NULL: not known, its stacks cannot be walked. */
const struct unwind_machine *unwind_machine(const char *name);
struct unwind *unwind_open(struct a2n *a); /* NULL: no memory */
void unwind_close(struct unwind *u);
/* Walks a stack with a copy, of a process of that machine. epoch changes whenever the process's
 * memory may. 0 or -ENOMEM. */
int unwind_stack(struct unwind *u, const struct unwind_machine *machine, uint32_t pid,
		 uint64_t time, uint64_t epoch, const struct stack *s, struct unwound *out);

#endif
