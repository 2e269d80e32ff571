/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Walks copies of user stacks with the unwind tables of their programs (libdw). liba2n knows which
 * files were mapped at the time. Without a table the walk uses frame pointers, and the result is
 * marked as guessed.
 */
#ifndef POST_UNWIND_H
#define POST_UNWIND_H

#include <a2n.h>

#include "record/stack_record.h"

enum unwind_end {
	UNWIND_WHOLE, /* reached the outermost call */
	UNWIND_CUT,   /* more calls than PITRACE_STACK_MAX */
	UNWIND_SHORT, /* the copy of the stack is too short */
	UNWIND_LOST,  /* no unwind table, or one that does not fit */
};

struct unwound {
	uint64_t address[PITRACE_STACK_MAX]; /* innermost first; all but the first are return
					      * addresses */
	uint32_t count;
	enum unwind_end end;
	bool guessed; /* some found by frame pointers, without a table */
};

struct unwind;
struct unwind_machine;

/* Finds a machine by utsname's name; NULL: unknown, its stacks cannot be walked. */
const struct unwind_machine *unwind_machine(const char *name);
struct unwind *unwind_open(struct a2n *a); /* NULL: no memory */
void unwind_close(struct unwind *u);
/* Walks a stack with a copy, of a process of that machine. epoch must change whenever the process's
 * memory may have changed. Returns 0 or -ENOMEM. */
int unwind_stack(struct unwind *u, const struct unwind_machine *machine, uint32_t pid,
		 uint64_t time, uint64_t epoch, const struct stack *s, struct unwound *out);

#endif
