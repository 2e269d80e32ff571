/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counters, for programs whose structs have another size: base/sized.h. */
#include <counters.h>
#include <stdlib.h>
#include "base/rc.h"
#include "base/sized.h"

#define ANSWERS 65536u /* more than any daemon keeps */

#undef counters_open
#undef counters_hold
#undef counters_read
#undef counters_ask

struct counters *counters_open_sized(const struct counters_options *options, int *rc, size_t size)
{
	struct counters_options own = { 0 };

	if (!options)
		return whole_counters_open(NULL, rc);
	options = sized_take(options, size, &own, sizeof(own));
	if (options)
		return whole_counters_open(options, rc);
	*rc = rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct counters_options));
	return NULL;
}

FIRST(struct counters *, counters_open, const struct counters_options *options, int *rc)
{
	return counters_open_sized(options, rc, UP_TO(struct counters_options, events));
}

int counters_hold_sized(const struct counters_options *options, size_t size)
{
	struct counters_options own = { 0 };

	if (!options)
		return whole_counters_hold(NULL);
	options = sized_take(options, size, &own, sizeof(own));
	if (!options)
		return rc_say(PI_NOT_SUPPORTED, SIZED_UNKNOWN(struct counters_options));
	return whole_counters_hold(options);
}

FIRST(int, counters_hold, const struct counters_options *options)
{
	return counters_hold_sized(options, UP_TO(struct counters_options, events));
}

int counters_read_sized(struct counters *c, struct counter_value *list, unsigned int room,
			size_t size)
{
	int most = 0, n;
	struct counter_value *own;

	if (!list || size == sizeof(*own))
		return whole_counters_read(c, list, room);
	/* As many as exist, whatever the caller's room is. */
	n = whole_counters_read(c, NULL, 0);
	if (n > 0 && room)
		most = (unsigned int)n < room ? n : (int)room;
	own = calloc((size_t)most + 1, sizeof(*own));
	if (!own)
		return rc_fail(PI_NO_MEMORY, "no memory for the answer");
	n = whole_counters_read(c, own, (unsigned int)most);
	for (int i = 0; i < n && i < most; i++)
		sized_copy(list, (size_t)i, size, &own[i], sizeof(*own));
	free(own);
	return n;
}

FIRST(int, counters_read, struct counters *c, struct counter_value *list, unsigned int room)
{
	return counters_read_sized(c, list, room, UP_TO(struct counter_value, counted));
}

int counters_ask_sized(int stop, struct counters_held *held, struct counter_value *list,
		       unsigned int room, size_t held_size, size_t size)
{
	struct counters_held own;
	struct counter_value *values;
	int n;

	if (!list || size == sizeof(*values)) {
		n = whole_counters_ask(stop, sized_place(held, held_size, &own, sizeof(own)), list,
				       room);
	} else {
		if (room > ANSWERS)
			room = ANSWERS;
		values = calloc((size_t)room + 1, sizeof(*values));
		if (!values)
			return rc_fail(PI_NO_MEMORY, "no memory for the answer");
		n = whole_counters_ask(stop, sized_place(held, held_size, &own, sizeof(own)),
				       values, room);
		for (unsigned int i = 0; n > 0 && i < (unsigned int)n && i < room; i++)
			sized_copy(list, (size_t)i, size, &values[i], sizeof(*values));
		free(values);
	}
	if (n >= 0)
		sized_give(held, held_size, &own, sizeof(own));
	return n;
}

FIRST(int, counters_ask, int stop, struct counters_held *held, struct counter_value *list,
      unsigned int room)
{
	return counters_ask_sized(stop, held, list, room, UP_TO(struct counters_held, elapsed),
				  UP_TO(struct counter_value, counted));
}
