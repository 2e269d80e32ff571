/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The determinants of an event's overhead: the type of the method that ran before, the event that
 * started the next one, its type, the event that ended it, and the type on top afterwards.
 */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Types of frames. The first three plus 1 are static. */
enum frame_type {
	TYPE_INTERPRETED = 0,
	TYPE_JITTED = 2,
	TYPE_NATIVE = 4,
	TYPE_COMPILING = 6,
	TYPE_OTHER = 7, /* a frame whose begin was not seen */
	TYPE_FUNCTION,  /* of compiled code: C, C++ */
	TYPES,
};

/* The first three are the paper's, which has 8 * 3 * 8 * 3 * 8 = 4,608 sequences, without the type
 * of functions, which pure Java programs do not have. */
enum call_event {
	EVENT_ENTER,
	EVENT_LEAVE,
	EVENT_UNWIND, /* an exception leaves the method */
	EVENT_CAUGHT, /* the method continues in an exception handler */
	EVENT_POPPED, /* frames ended without an event */
	EVENTS,
};

/* All five in one number: the end of a sequence is the beginning of the next one. */
#define SEQUENCE_STEP (EVENTS * TYPES) /* an event and the type on top after it */
#define SEQUENCES     (1u * TYPES * SEQUENCE_STEP * SEQUENCE_STEP)
_Static_assert(SEQUENCES <= UINT16_MAX, "the number of a sequence");

static inline uint16_t sequence_next(uint32_t s, uint32_t went, uint32_t top)
{
	return (uint16_t)(s % (SEQUENCES / SEQUENCE_STEP) * SEQUENCE_STEP + went * TYPES + top);
}

static inline uint16_t sequence(uint32_t before, uint32_t came, uint32_t ran, uint32_t went,
				uint32_t top)
{
	return sequence_next(before * SEQUENCE_STEP + came * TYPES + ran, went, top);
}

/* Returns the same sequence with another last event. */
static inline uint16_t sequence_instead(uint32_t s, uint32_t went, uint32_t top)
{
	return (uint16_t)(s / SEQUENCE_STEP * SEQUENCE_STEP + went * TYPES + top);
}

struct sequence_parts {
	uint32_t before, came, ran, went, top;
};

static inline struct sequence_parts sequence_parts(uint16_t s)
{
	return (struct sequence_parts){
		.before = s / (SEQUENCE_STEP * SEQUENCE_STEP),
		.came = s / (SEQUENCE_STEP * TYPES) % EVENTS,
		.ran = s / SEQUENCE_STEP % TYPES,
		.went = s / TYPES % EVENTS,
		.top = s % TYPES,
	};
}

/* Ends without an event do not update minima: they may be several frames at once, or a frame whose
 * begin was not seen. */
static inline bool sequence_learns(uint16_t s)
{
	struct sequence_parts p = sequence_parts(s);

	return p.came < EVENT_POPPED && p.went < EVENT_POPPED;
}

/* The events before and after a method runs, its type, and the type on top afterwards: the four
 * parts that determine a floor. */
#define FLOORS (1u * SEQUENCE_STEP * SEQUENCE_STEP)

static inline uint32_t sequence_floor(uint16_t s)
{
	return s % FLOORS;
}

/* Returns the kind of code that calls a method's hooks: compiled code for natives, too. Static
 * methods make no difference. */
static inline uint32_t hooked_by(uint32_t type)
{
	return type < TYPE_JITTED ? TYPE_INTERPRETED : type < TYPE_COMPILING ? TYPE_JITTED : type;
}

/* Returns one representative of all sequences with the same cost of events. */
static inline uint16_t sequence_hooks(uint16_t s)
{
	struct sequence_parts p = sequence_parts(s);

	return sequence(hooked_by(p.before), p.came, hooked_by(p.ran), p.went, hooked_by(p.top));
}

/* The paper's rule: a method returns to its caller, or throws an exception into it. */
static inline bool sequence_returns(struct sequence_parts p)
{
	return p.came != EVENT_ENTER || (p.went != EVENT_LEAVE && p.went != EVENT_UNWIND) ||
	       p.top == p.before;
}

/* Whether the paper has this sequence: three events, six types of Java methods; 1,584 in all. */
static inline bool sequence_of_paper(uint16_t s)
{
	struct sequence_parts p = sequence_parts(s);

	return p.came <= EVENT_UNWIND && p.went <= EVENT_UNWIND && p.before < TYPE_COMPILING &&
	       p.ran < TYPE_COMPILING && p.top < TYPE_COMPILING && sequence_returns(p);
}

#endif
