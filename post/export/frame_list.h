/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks in the form that viewers use: a list of frames, each once, and a list of stacks (a frame
 * and the stack that called it). An address with inlined functions is several frames.
 */
#ifndef POST_FRAME_LIST_H
#define POST_FRAME_LIST_H

#include "job.h"
#include "record/whole_stacks.h"

struct list_frame {
	uint32_t symbol;  /* as shown: its name, file, line, whether it is inlined */
	uint64_t address; /* of the place; an inlined frame has its caller's */
	bool kernel;
};

struct list_stack {
	uint32_t caller; /* NO_KEY: none */
	uint32_t frame;
	uint32_t depth; /* frames */
};

struct frame_list {
	struct list_frame *frame;
	struct list_stack *stack; /* callers first */
	uint32_t frames, room_frame, stacks, room_stack;
	uint32_t *of_call, calls; /* the stack of each call of the tree; NO_KEY: a process */
	struct keys by_frame, by_stack;
	uint32_t *path, room_path; /* of the look-up */
	struct whole_stacks whole;
};

/* addresses: frames of one function differ by address; else only by line. 0 or -ENOMEM. */
int frame_list_make(struct frame_list *l, const struct job *job, bool addresses);
void frame_list_free(struct frame_list *l);
/* The frames of a stack, innermost first: how many. Of those that are written whole there is an end
 * (whole_stacks.h). */
uint32_t frame_list_path(struct frame_list *l, uint32_t stack, const uint32_t **frames);

/* A sample's stack; NO_KEY: none, or a damaged file gives other samples in this pass. */
static inline uint32_t frame_list_stack(const struct frame_list *l, uint32_t call)
{
	return call < l->calls ? l->of_call[call] : NO_KEY;
}

#endif
