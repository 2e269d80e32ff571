/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks in the form that viewers use: a list of distinct frames, and a list of distinct stacks (a
 * frame and its caller's stack). An address with inlined functions yields several frames.
 */
#ifndef POST_FRAME_LIST_H
#define POST_FRAME_LIST_H

#include "job.h"
#include "record/whole_stacks.h"

struct list_frame {
	uint32_t symbol;  /* as shown: name, file, line, inlined or not */
	uint64_t address; /* of the sample or call; an inlined frame has its caller's */
	bool kernel;
};

struct list_stack {
	uint32_t caller; /* NO_KEY: none */
	uint32_t frame;
	uint32_t depth; /* number of frames */
};

struct frame_list {
	struct list_frame *frame;
	struct list_stack *stack; /* callers before callees */
	uint32_t frames, room_frame, stacks, room_stack;
	uint32_t *of_call, calls; /* by call of the tree: its stack; NO_KEY: a process */
	struct keys by_frame, by_stack;
	uint32_t *path, room_path; /* buffer of frame_list_path(): room for the deepest stack */
	struct whole_stacks whole;
};

/* addresses: frames of a function are distinct by address; else only by line. Returns 0 or
 * -ENOMEM. */
int frame_list_make(struct frame_list *l, const struct job *job, bool addresses);
void frame_list_free(struct frame_list *l);
/* Returns the number of a stack's frames and sets *frames, innermost first. The total number of
 * frames is limited (whole_stacks.h). */
uint32_t frame_list_path(struct frame_list *l, uint32_t stack, const uint32_t **frames);

/* Returns a sample's stack; NO_KEY: none, or a damaged file returned other samples in this pass. */
static inline uint32_t frame_list_stack(const struct frame_list *l, uint32_t call)
{
	return call < l->calls ? l->of_call[call] : NO_KEY;
}

#endif
