/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table of sums by (stack, thread, CPU, event). */
#include "model/sums.h"

int sums_add(struct sums *s, const struct sum *add)
{
	uint64_t hash = hash_mix((uint64_t)add->stack << 32 | add->thread,
				 (uint64_t)add->event << 32 | add->cpu);
	uint32_t i = keys_find(&s->by_key, hash, s->sum, e,
			       e->stack == add->stack && e->thread == add->thread &&
				       e->cpu == add->cpu && e->event == add->event);

	if (i != NO_KEY) {
		s->last = i;
		s->sum[i].ticks += add->ticks;
		s->sum[i].counted += add->counted;
		return 0;
	}
	if (keys_next(&s->by_key, hash, s->sum, s->count, s->room))
		return -ENOMEM;
	s->last = s->count;
	s->sum[s->count++] = *add;
	return 0;
}

void sums_free(struct sums *s)
{
	free(s->sum);
	keys_free(&s->by_key);
	*s = (struct sums){ 0 };
}
