/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear buckets: the position of the leading one bit, and the five bits after it. */
#include "model/spread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BITS  5
#define STEPS (1u << BITS)

static uint16_t bucket_of(uint64_t value)
{
	unsigned int power;

	if (value < STEPS)
		return (uint16_t)value;
	power = 63 - (unsigned int)__builtin_clzll(value);
	return (uint16_t)((power - BITS + 1) * STEPS + ((value >> (power - BITS)) & (STEPS - 1)));
}

/* Returns the greatest value of a bucket. */
static uint64_t top_of(uint32_t bucket)
{
	unsigned int shift;

	if (bucket < STEPS)
		return bucket;
	shift = bucket / STEPS - 1;
	return ((uint64_t)(STEPS + bucket % STEPS + 1) << shift) - 1;
}

/* Makes room for buckets [from, to). */
static int make_room(struct spread *s, uint32_t from, uint32_t to)
{
	uint32_t base = s->buckets && s->base < from ? s->base : from;
	uint32_t end = s->buckets && s->base + s->buckets > to ? s->base + s->buckets : to;
	uint32_t *more;

	if (s->buckets && base == s->base && end == base + s->buckets)
		return 0;
	more = calloc(end - base, sizeof(*more));
	if (!more)
		return -ENOMEM;
	if (s->buckets)
		memcpy(more + (s->base - base), s->bucket, s->buckets * sizeof(*more));
	free(s->bucket);
	s->bucket = more;
	s->base = (uint16_t)base;
	s->buckets = (uint16_t)(end - base);
	return 0;
}

int spread_add(struct spread *s, uint64_t value)
{
	uint32_t b = bucket_of(value);
	int rc;

	if (b < s->base || b >= (uint32_t)s->base + s->buckets) {
		/* Grows by groups of eight buckets, so that nearby values need no new memory. */
		rc = make_room(s, b & ~7u, (b & ~7u) + 8);
		if (rc)
			return rc;
	}
	s->bucket[b - s->base]++;
	if (!s->count++ || value < s->min)
		s->min = value;
	if (value > s->max)
		s->max = value;
	s->total += value;
	return 0;
}

int spread_merge(struct spread *into, const struct spread *from)
{
	uint32_t i;
	int rc;

	if (!from->count)
		return 0;
	rc = make_room(into, from->base, (uint32_t)from->base + from->buckets);
	if (rc)
		return rc;
	for (i = 0; i < from->buckets; i++)
		into->bucket[from->base + i - into->base] += from->bucket[i];
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->total += from->total;
	return 0;
}

uint64_t spread_mean(const struct spread *s)
{
	return s->count ? s->total / s->count : 0;
}

uint64_t spread_percentile(const struct spread *s, unsigned int permille)
{
	uint64_t rank = (s->count * permille + 999) / 1000, below = 0, top;
	uint32_t i;

	if (!s->count)
		return 0;
	for (i = 0; i < s->buckets; i++) {
		below += s->bucket[i];
		if (below >= rank && below)
			break;
	}
	top = i < s->buckets ? top_of((uint32_t)s->base + i) : s->max;
	return top > s->max ? s->max : top < s->min ? s->min : top;
}

void spread_free(struct spread *s)
{
	free(s->bucket);
	*s = (struct spread){ 0 };
}
