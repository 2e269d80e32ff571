/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How values spread, in memory that does not grow: how many of them lie in each quarter of a power
 * of two. A value below 4 has a place of its own; the last place has all from 114,688 on.
 */
#ifndef VALUE_SPREAD_H
#define VALUE_SPREAD_H

#include <stdint.h>

#define SPREAD_PLACES 64

struct value_spread {
	uint64_t times, sum;
	uint32_t place[SPREAD_PLACES]; /* ends at its largest number */
};

/* A place is a power of two and the two bits behind the first one: with that one they are 4 to 7,
 * and of values below 4, which are not shifted, less. */
static inline uint32_t spread_place(uint64_t value)
{
	uint32_t shift = (63 ^ (uint32_t)__builtin_clzll(value | 4)) - 2;
	uint64_t place = 4 * shift + (value >> shift);

	return place < SPREAD_PLACES ? (uint32_t)place : SPREAD_PLACES - 1;
}

/* The least value of a place. */
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

/* The value below which a tenth of all lie, as if those of a place lay evenly in it; not less than
 * the least one. */
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
