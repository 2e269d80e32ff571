/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds shapes by class and size. */
#include "shapes.h"

#include <stdlib.h>

#include "classes.h"
#include "large.h"

static uint64_t hash_of(uint32_t class, uint32_t units)
{
	return hash_mix((uint64_t) class << 32 | units, 2);
}

int shapes_begin(struct shapes *s, uint32_t places)
{
	*s = (struct shapes){ .places = places };
	s->low = large_zeroed((size_t)places + 1, sizeof(*s->low));
	if (!s->low || array_next(s->list, s->count, s->room))
		return -ENOMEM;
	s->list[s->count++] = (struct shape){ .class = NO_CLASS };
	return 0;
}

void shapes_free(struct shapes *s)
{
	free(s->list);
	free(s->low);
	free(s->high);
	keys_free(&s->keys);
	*s = (struct shapes){ 0 };
}

int shapes_find(struct shapes *s, uint32_t class, uint32_t units, uint32_t *shape)
{
	const uint64_t hash = hash_of(class, units);

	*shape = keys_find(&s->keys, hash, s->list, e, e->class == class && e->units == units);
	if (*shape != NO_KEY)
		return 0;
	if (keys_next(&s->keys, hash, s->list, s->count, s->room))
		return -ENOMEM;
	*shape = s->count++;
	s->list[*shape] = (struct shape){ class, units };
	return 0;
}

int shapes_set(struct shapes *s, uint32_t place, uint32_t shape)
{
	s->low[place] = (uint16_t)shape;
	if (shape > UINT16_MAX && !s->high) {
		s->high = calloc((size_t)s->places + 1, sizeof(*s->high));
		if (!s->high)
			return -ENOMEM;
	}
	if (s->high)
		s->high[place] = (uint16_t)(shape >> 16);
	return 0;
}
