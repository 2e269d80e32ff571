/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether callers found by frame pointers can be correct. The program's unwind tables define
 * where the register is a frame pointer, where it still has the caller's value, and where it holds
 * another value, which makes the rest of the stack invalid. A return address must follow a call.
 */
#ifndef POST_FRAME_POINTERS_H
#define POST_FRAME_POINTERS_H

#include <a2n.h>

#include "record/stack_record.h"

struct frame_pointers;

struct frames_judged {
	uint16_t right; /* correct calls of the user part; the rest is wrong */
	bool wrong;     /* the stack was truncated there */
	/* Callers are missing: a function has no frame pointer, or the outermost call is not a
	 * thread's first function. */
	bool partial;
};

/* NULL: no memory. */
struct frame_pointers *frame_pointers_open(struct a2n *a);
void frame_pointers_close(struct frame_pointers *f);
/* Check a stack with at least one user address: all of it; the link from the innermost function to
 * its caller; the links of the callers. epoch must change whenever the process's memory may have
 * changed. Only frame_pointers_judge() keeps results of stacks. */
struct frames_judged frame_pointers_judge(struct frame_pointers *f, uint32_t pid, uint64_t time,
					  uint64_t epoch, const struct stack *s);
struct frames_judged frame_pointers_leaf(struct frame_pointers *f, uint32_t pid, uint64_t time,
					 uint64_t epoch, const struct stack *s);
struct frames_judged frame_pointers_callers(struct frame_pointers *f, uint32_t pid, uint64_t time,
					    uint64_t epoch, const struct stack *s);

#endif
