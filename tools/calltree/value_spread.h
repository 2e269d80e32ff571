/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The distribution of values in fixed memory: the number of values in each quarter of a power of
 * two. Values below 4 have a place each; the last place contains all from 114,688 on.
 */
#ifndef VALUE_SPREAD_H
#define VALUE_SPREAD_H

#include <stdint.h>

#define SPREAD_PLACES 64

struct value_spread {
	uint64_t times, sum;
	uint32_t place[SPREAD_PLACES]; /* saturates */
};

/* A place is a power of two and the two bits after the leading one: 4 to 7 with that bit. Values
 * below 4 are not shifted, and are below that. */
static inline uint32_t spread_place(uint64_t value)
{
	uint32_t shift = (63 ^ (uint32_t)__builtin_clzll(value | 4)) - 2;
	uint64_t place = 4 * shift + (value >> shift);

	return place < SPREAD_PLACES ? (uint32_t)place : SPREAD_PLACES - 1;
}

/* Returns the least value of a place. */
static inline uint64_t spread_from(uint32_t place)
{
	return place < 4 ? place : (uint64_t)(4 + place % 4) << (place / 4 - 1);
}

static inline void spread_count(uint32_t *place)
{
	if (__builtin_expect(!++*place, 0))
		*place = UINT32_MAX;
}

static inline void spread_add(struct value_spread *s, uint64_t value)
{
	s->times++;
	s->sum += value;
	spread_count(&s->place[spread_place(value)]);
}

static inline void spread_merge(struct value_spread *to, const struct value_spread *s)
{
	to->times += s->times;
	to->sum += s->sum;
	for (uint32_t i = 0; i < SPREAD_PLACES; i++)
		to->place[i] = to->place[i] > UINT32_MAX - s->place[i] ? UINT32_MAX :
									 to->place[i] + s->place[i];
}

/* Returns the value below which a tenth of all are, assuming an even distribution within a place;
 * at least the minimum. */
static inline uint64_t spread_tenth(const struct value_spread *s, uint64_t least)
{
	uint64_t all = 0, below = 0, from, to;
	uint32_t i;

	for (i = 0; i < SPREAD_PLACES; i++)
		all += s->place[i];
	if (!all)
		return least;
	for (i = 0; i < SPREAD_PLACES - 1; i++) {
		if ((below + s->place[i]) * 10 > all)
			break;
		below += s->place[i];
	}
	from = spread_from(i);
	if (i == SPREAD_PLACES - 1)
		return from > least ? from : least;
	to = spread_from(i + 1);
	if (least > from)
		from = least;
	if (least >= to)
		return least;
	return from + (uint64_t)((double)(to - from) * ((double)all / 10 - (double)below) /
				 (double)s->place[i]);
}

#endif
