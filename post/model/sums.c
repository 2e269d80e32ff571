/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of sums by (stack, thread, CPU). */
#include "model/sums.h"

static bool same_sum(const void *array, uint32_t i, const void *key)
{
	const struct sum *a = (const struct sum *)array + i, *b = key;

	return a->stack == b->stack && a->thread == b->thread && a->cpu == b->cpu;
}

int sums_add(struct sums *s, const struct sum *add)
{
	uint64_t hash = hash_mix((uint64_t)add->stack << 32 | add->thread, add->cpu);
	uint32_t i = keys_find(&s->by_key, hash, same_sum, s->sum, add);

	if (i != NO_KEY) {
		s->sum[i].ticks += add->ticks;
		s->sum[i].counted += add->counted;
		return 0;
	}
	if (keys_grow_array((void **)&s->sum, &s->room, s->count, sizeof(*s->sum)) ||
	    keys_add(&s->by_key, hash, s->count))
		return -ENOMEM;
	s->sum[s->count++] = *add;
	return 0;
}

void sums_free(struct sums *s)
{
	free(s->sum);
	keys_free(&s->by_key);
	*s = (struct sums){ 0 };
}
