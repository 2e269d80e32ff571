/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks that are places in a tree: a sample holds only its innermost call (STACK_PLACE,
 * stack_record.h), and callers are looked up one by one. A stack of a million calls takes no more
 * room in a sample than a short one, and common callers are read once.
 */
#ifndef POST_STACK_PLACE_H
#define POST_STACK_PLACE_H

#include "base/keys.h"
#include "record/input.h"
#include "record/stack_record.h"

/* Finds a place; false: the input has no such place. A caller's number is less than its
 * callee's. */
static inline bool stack_place(const struct input *in, uint32_t origin, uint32_t number,
			       struct stack_place *place)
{
	return in->reader->place && in->reader->place(in, origin, number, place) &&
	       (place->caller == NO_KEY || place->caller < number);
}

/* Writes the addresses of a stack, innermost first, at most `most`. Returns their number. *cut:
 * more callers exist. */
static inline uint32_t stack_place_addresses(const struct input *in, uint32_t origin,
					     const struct stack *s, uint64_t *address,
					     uint32_t most, bool *cut)
{
	uint32_t at = stack_place_of(s), n = 0;
	struct stack_place place;

	while (n < most && at != NO_KEY && stack_place(in, origin, at, &place)) {
		address[n++] = place.address;
		at = place.caller;
	}
	*cut = n == most && at != NO_KEY;
	return n;
}

#endif
