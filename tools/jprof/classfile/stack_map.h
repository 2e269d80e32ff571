/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StackMapTable: the types of locals and stack at branch targets, for the verifier. */
#ifndef STACK_MAP_H
#define STACK_MAP_H

#include "base/cursor.h"
#include "class_out.h"

#define MOVED_NOWHERE UINT32_MAX

/* The new positions of a method's instructions, by old position. */
struct moved {
	uint32_t *to;    /* including the end; MOVED_NOWHERE: no instruction starts here */
	uint8_t *before; /* bytes inserted before the instruction */
	uint32_t size;   /* of the old code */
};

/* Returns the new target of a branch: the code inserted before the instruction. */

static inline uint32_t moved_to(const struct moved *m, uint32_t at)
{
	return at <= m->size ? m->to[at] : MOVED_NOWHERE;
}

/* Returns the new position of the instruction itself. */
static inline uint32_t moved_itself(const struct moved *m, uint32_t at)
{
	return at < m->size && m->to[at] != MOVED_NOWHERE ? m->to[at] + m->before[at] :
							    MOVED_NOWHERE;
}

/* An exception handler after the code, and the types known there. */
struct frame_handler {
	uint32_t at;        /* 0: no handler */
	uint16_t first;     /* constant number of local variable 0's class; 0: unknown */
	uint16_t throwable; /* constant number of the exception's class */
};

/*
 * Writes the table's content (count and frames): the frames of b, if any, at their new positions,
 * and the handler's frame. Returns NULL, or an error message about b.
 */
const char *frames_write(struct bytes *b, const struct moved *moved,
			 const struct frame_handler *handler, struct class_out *out);

#endif
