/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The class and the size of each object. Of these pairs, shapes, there are few: mostly two bytes an
 * object say which one it has.
 */
#ifndef HDUMP_SHAPES_H
#define HDUMP_SHAPES_H

#include "base/keys.h"

struct shape {
	uint32_t class; /* NO_CLASS: it is not in the dump */
	uint32_t units;
};

struct shapes {
	struct shape *list; /* the first is of objects that have none */
	uint32_t count, room;
	struct keys keys;
	uint32_t places;
	uint16_t *low, *high; /* by place; high: NULL while there are few shapes */
};

/* Each object has a place, from 1 on to `places`. 0 or -ENOMEM. */
int shapes_begin(struct shapes *s, uint32_t places);
void shapes_free(struct shapes *s);
/* The number of a shape, or a new one's. 0 or -ENOMEM. */
int shapes_find(struct shapes *s, uint32_t class, uint32_t units, uint32_t *shape);
/* 0 or -ENOMEM. */
int shapes_set(struct shapes *s, uint32_t place, uint32_t shape);

/* 0: it has none yet. */
static inline uint32_t shapes_number(const struct shapes *s, uint32_t place)
{
	return s->low[place] | (s->high ? (uint32_t)s->high[place] : 0) << 16;
}

static inline const struct shape *shapes_of(const struct shapes *s, uint32_t place)
{
	return &s->list[shapes_number(s, place)];
}

#endif
