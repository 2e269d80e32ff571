/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/stack_places.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

struct known_place {
	uint32_t process; /* at the root; for another one the place is looked up again */
	uint32_t call;    /* index + 1; 0: unknown */
};

int stack_places_open(struct stack_places *s, const struct input *in)
{
	s->in = in;
	s->origins = in->origins ? in->origins : 1;
	s->of = calloc(s->origins, sizeof(*s->of));
	return s->of ? 0 : -ENOMEM;
}

void stack_places_free(struct stack_places *s)
{
	for (uint32_t i = 0; s->of && i < s->origins; i++)
		free(s->of[i].list);
	free(s->of);
	free(s->path);
	*s = (struct stack_places){ NULL };
}

/* Collects the places without a call, innermost first; *call: the call below which they belong. */
static int climb(struct stack_places *s, struct calls *calls, const struct place_wanted *want,
		 uint32_t *call, uint32_t *n)
{
	const struct known_places *known = &s->of[want->origin];
	struct stack_place place;
	uint32_t at;

	for (*n = 0, at = want->number; at != NO_KEY; at = place.caller) {
		if (at < known->count && known->list[at].call &&
		    known->list[at].process == want->process) {
			*call = known->list[at].call - 1;
			return 0;
		}
		if (!stack_place(s->in, want->origin, at, &place))
			break;
		if (array_next(s->path, *n, s->room_path))
			return -ENOMEM;
		s->path[(*n)++] = (struct unknown_place){ at, place.address };
	}
	*call = calls_get(calls, NO_KEY, want->process, false);
	return *call == NO_KEY ? -ENOMEM : 0;
}

int stack_places_call(struct stack_places *s, struct calls *calls, struct names *n,
		      const struct place_wanted *want, uint32_t *call)
{
	struct known_places *known = &s->of[want->origin];
	uint32_t left, symbol;
	int rc = climb(s, calls, want, call, &left);

	/* A caller's address is its return address: the call is before it. */
	while (!rc && left--) {
		const struct unknown_place *p = &s->path[left];

		rc = names_address(n, want->pid, p->address - 1, want->time, false, &symbol);
		if (rc)
			break;
		*call = calls_get(calls, *call, symbol, false);
		if (*call == NO_KEY || array_reach(known->list, known->count, p->number))
			return -ENOMEM;
		known->list[p->number] = (struct known_place){ want->process, *call + 1 };
	}
	return rc;
}
