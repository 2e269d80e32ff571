/* SPDX-License-Identifier: GPL-3.0-or-later */
/* StackMapTable: what the verifier is told of locals and stack at the targets of branches. */
#ifndef STACK_MAP_H
#define STACK_MAP_H

#include "base/cursor.h"
#include "class_out.h"

#define MOVED_NOWHERE UINT32_MAX

/* Where the instructions of a method go, by their old place. */
struct moved {
	uint32_t *to;    /* up to and with the end; MOVED_NOWHERE: no instruction begins there */
	uint8_t *before; /* bytes there of what was put before the instruction itself */
	uint32_t size;   /* of the old code */
};

/* Who goes there comes to what was put before it. */

static inline uint32_t moved_to(const struct moved *m, uint32_t at)
{
	return at <= m->size ? m->to[at] : MOVED_NOWHERE;
}

/* The instruction itself. */
static inline uint32_t moved_itself(const struct moved *m, uint32_t at)
{
	return at < m->size && m->to[at] != MOVED_NOWHERE ? m->to[at] + m->before[at] :
							    MOVED_NOWHERE;
}

/* An exception handler behind the code: all that is known there. */
struct frame_handler {
	uint32_t at;        /* 0: there is none */
	uint16_t first;     /* the number of local variable 0's class; 0: it is not known */
	uint16_t throwable; /* that of the exception's class */
};

/*
 * Writes the table's content (count and frames) with the frames of b, if it has any, where their
 * code is now, and that of the handler. NULL or what is wrong with b.
 */
const char *frames_write(struct bytes *b, const struct moved *moved,
			 const struct frame_handler *handler, struct class_out *out);

#endif
