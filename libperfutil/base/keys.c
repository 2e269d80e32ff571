/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables grow when they are three quarters full; small ones by a larger factor, because each growth
 * reinserts all keys. */
#include "base/keys.h"

#define SMALL (1u << 16)

static void put(struct keys *t, uint32_t hash, uint32_t index1)
{
	uint32_t i = hash & t->mask;

	while (t->slots[i].index1)
		i = (i + 1) & t->mask;
	t->slots[i] = (struct keys_slot){ .hash = hash, .index1 = index1 };
}

static int grow(struct keys *t)
{
	struct keys old = *t;
	uint32_t i, n = old.slots ? old.mask + 1 : 0;

	if (n > UINT32_MAX / 2)
		return -ENOMEM;
	t->mask = !n ? 255 : n < SMALL ? n * 4 - 1 : n * 2 - 1;
	t->slots = calloc((size_t)t->mask + 1, sizeof(*t->slots));
	if (!t->slots) {
		*t = old;
		return -ENOMEM;
	}
	for (i = 0; i < n; i++) {
		if (old.slots[i].index1)
			put(t, old.slots[i].hash, old.slots[i].index1);
	}
	free(old.slots);
	return 0;
}

int keys_add(struct keys *t, uint64_t hash, uint32_t index)
{
	if (!t->slots || t->used > t->mask / 4 * 3) {
		int rc = grow(t);

		if (rc)
			return rc;
	}
	put(t, (uint32_t)hash, index + 1);
	t->used++;
	return 0;
}

void keys_free(struct keys *t)
{
	free(t->slots);
	*t = (struct keys){ 0 };
}
