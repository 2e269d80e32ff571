/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calls of stacks that are places in a tree (record/stack_place.h). Each place is resolved
 * once, below its caller's call, so the cost of a tree is its number of places, whatever their
 * depth.
 */
#ifndef POST_STACK_PLACES_H
#define POST_STACK_PLACES_H

#include "model/calls.h"
#include "record/stack_place.h"

struct known_places {             /* of one trace */
	struct known_place *list; /* by number */
	uint32_t count;
};

struct stack_places {
	const struct input *in;
	struct known_places *of;
	uint32_t origins;
	struct unknown_place {
		uint32_t number;
		uint64_t address;
	} * path; /* of the look-up */
	uint32_t room_path;
};

struct place_wanted {
	uint32_t origin, number;
	uint32_t process, pid;
	uint64_t time;
};

int stack_places_open(struct stack_places *s, const struct input *in); /* 0 or -ENOMEM */
/* Finds the call of the place with this number; NO_KEY: the process's root. Returns 0 or
 * -ENOMEM. */
int stack_places_call(struct stack_places *s, struct calls *calls, struct names *n,
		      const struct place_wanted *want, uint32_t *call);
void stack_places_free(struct stack_places *s);

#endif
