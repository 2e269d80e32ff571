/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table with open addressing, at most half full; a removal closes the gap. */
#include <errno.h>
#include <stdlib.h>

#include "java_sizes.h"

static uint32_t home(const struct sizes *s, uint64_t address)
{
	return (uint32_t)(address * 0x9e3779b97f4a7c15ull >> 32) & (s->slots - 1);
}

/* Returns the slot of the address, or the free slot where it belongs. */
static struct size *find(const struct sizes *s, uint64_t address)
{
	uint32_t i = home(s, address);

	while (s->slot[i].size && s->slot[i].address != address)
		i = (i + 1) & (s->slots - 1);
	return &s->slot[i];
}

static int grow(struct sizes *s)
{
	struct sizes more = { .slots = s->slots ? 2 * s->slots : 1024, .n = s->n };
	uint32_t i;

	more.slot = calloc(more.slots, sizeof(*more.slot));
	if (!more.slot)
		return -ENOMEM;
	for (i = 0; i < s->slots; i++)
		if (s->slot[i].size)
			*find(&more, s->slot[i].address) = s->slot[i];
	free(s->slot);
	*s = more;
	return 0;
}

int sizes_put(struct sizes *s, uint64_t address, uint64_t size)
{
	struct size *to;

	if (!size)
		return 0;
	if (2 * s->n >= s->slots && grow(s))
		return -ENOMEM;
	to = find(s, address);
	s->n += !to->size;
	*to = (struct size){ address, size };
	return 0;
}

uint64_t sizes_take(struct sizes *s, uint64_t address)
{
	struct size *gap = s->slots ? find(s, address) : NULL;
	uint64_t size = gap ? gap->size : 0;
	uint32_t hole, i;

	if (!size)
		return 0;
	s->n--;
	hole = (uint32_t)(gap - s->slot);
	for (i = (hole + 1) & (s->slots - 1); s->slot[i].size; i = (i + 1) & (s->slots - 1)) {
		uint32_t wanted = home(s, s->slot[i].address);

		/* An entry may move into the hole unless its home is after the hole. */
		if (((i - wanted) & (s->slots - 1)) < ((i - hole) & (s->slots - 1)))
			continue;
		s->slot[hole] = s->slot[i];
		hole = i;
	}
	s->slot[hole].size = 0;
	return size;
}

void sizes_free(struct sizes *s)
{
	free(s->slot);
	*s = (struct sizes){ 0 };
}
