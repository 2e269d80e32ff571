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

/*
 * Writes the table's content (count and frames) with the frames of b, if it has any, where their
 * code is now, and one of an exception handler at `handler` behind it (0: there is none), where
 * nothing is known but the exception, whose class's number is `throwable`. NULL or what is wrong
 * with b.
 */
const char *frames_write(struct bytes *b, const struct moved *moved, uint32_t handler,
			 uint16_t throwable, struct class_out *out);

#endif
