/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether callers that were found by frame pointers can be right. The unwinding tables of the
 * program say where the register is a frame pointer, where it still is the caller's, and where it
 * holds something else: from there on the stack is nonsense. A return address follows a call.
 */
#ifndef POST_FRAME_POINTERS_H
#define POST_FRAME_POINTERS_H

#include <a2n.h>

#include "record/stack_record.h"

struct frame_pointers;

struct frames_judged {
	uint16_t right; /* calls of the user part, of which the rest is wrong */
	bool wrong;     /* it was cut there */
	/* Callers are missing: a function has no frame pointer, or no thread begins with the
	 * outermost call. */
	bool partial;
};

/* NULL: no memory. */
struct frame_pointers *frame_pointers_open(struct a2n *a);
void frame_pointers_close(struct frame_pointers *f);
/* epoch changes whenever the process's memory may. */
struct frames_judged frame_pointers_judge(struct frame_pointers *f, uint32_t pid, uint64_t time,
					  uint64_t epoch, const struct stack *s);

#endif
