/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the cost of measuring depends on: the type of the method that ran before, the event that led
 * to the next one, its type, the event that ended it, and the type on top afterwards.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <stdint.h>

/* Types of frames. One more than the first three is static. */
enum frame_type {
	TYPE_INTERPRETED = 0,
	TYPE_JITTED = 2,
	TYPE_NATIVE = 4,
	TYPE_COMPILING = 6,
	TYPE_OTHER = 7, /* what was not seen to begin */
	TYPES = 8,
};

/* The first three are the paper's, whose sequences are 8 * 3 * 8 * 3 * 8 = 4,608. */
enum call_event {
	EVENT_ENTER,
	EVENT_LEAVE,
	EVENT_UNWIND, /* an exception leaves the method */
	EVENT_CAUGHT, /* the method goes on in an exception handler */
	EVENT_POPPED, /* frames are over of which nobody has said so */
	EVENTS,
};

#define SEQUENCES (TYPES * EVENTS * TYPES * EVENTS * TYPES)

static inline uint16_t sequence(uint32_t before, uint32_t came, uint32_t ran, uint32_t went,
				uint32_t top)
{
	return (uint16_t)((((before * EVENTS + came) * TYPES + ran) * EVENTS + went) * TYPES + top);
}

#endif
