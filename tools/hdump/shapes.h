/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The class and the size of each object. There are few such pairs, called shapes: mostly two bytes
 * per object identify its shape.
 */
#ifndef HDUMP_SHAPES_H
#define HDUMP_SHAPES_H

#include "base/keys.h"

struct shape {
	uint32_t class; /* NO_CLASS: not in the dump */
	uint32_t units;
};

struct shapes {
	struct shape *list; /* the first is for objects without a shape */
	uint32_t count, room;
	struct keys keys;
	uint32_t places;
	uint16_t *low, *high; /* by object; high: NULL while there are few shapes */
};

/* Objects have the indexes 1 to `places`. Returns 0 or -ENOMEM. */
int shapes_begin(struct shapes *s, uint32_t places);
void shapes_free(struct shapes *s);
/* Finds or adds a shape and stores its number. Returns 0 or -ENOMEM. */
int shapes_find(struct shapes *s, uint32_t class, uint32_t units, uint32_t *shape);
/* Sets an object's shape. Returns 0 or -ENOMEM. */
int shapes_set(struct shapes *s, uint32_t place, uint32_t shape);

/* Returns the number of an object's shape; 0: none yet. */
static inline uint32_t shapes_number(const struct shapes *s, uint32_t place)
{
	return s->low[place] | (s->high ? (uint32_t)s->high[place] : 0) << 16;
}

static inline const struct shape *shapes_of(const struct shapes *s, uint32_t place)
{
	return &s->list[shapes_number(s, place)];
}

#endif
