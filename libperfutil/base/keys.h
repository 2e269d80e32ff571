/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A hash table of indices into an array that its user keeps. Open addressing; the hash stands
 * beside the index, so that growing never looks at the elements. The comparison is inlined.
 */
#ifndef POST_KEYS_H
#define POST_KEYS_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct keys_slot {
	uint32_t hash;
	uint32_t index1; /* index + 1; 0: free */
};

struct keys {
	struct keys_slot *slots;
	uint32_t mask; /* slots - 1; 0: none yet */
	uint32_t used;
};

#define NO_KEY UINT32_MAX

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	uint64_t x = (a ^ 0x9E3779B97F4A7C15ull) * 0xD6E8FEB86659FD93ull + b;

	x ^= x >> 32;
	x *= 0xD6E8FEB86659FD93ull;
	return x ^ x >> 29;
}

/* Where the search for a hash begins: for who wants to ask memory for it early. */
static inline const struct keys_slot *keys_slot(const struct keys *t, uint64_t hash)
{
	return &t->slots[(uint32_t)hash & t->mask];
}

/* The index whose element is the same as key, or NO_KEY. */
static inline __attribute__((always_inline)) uint32_t keys_find(const struct keys *t, uint64_t hash,
								bool (*same)(const void *array,
									     uint32_t index,
									     const void *key),
								const void *array, const void *key)
{
	uint32_t h = (uint32_t)hash, i = h & t->mask;

	if (!t->slots)
		return NO_KEY;
	for (; t->slots[i].index1; i = (i + 1) & t->mask) {
		if (t->slots[i].hash == h && same(array, t->slots[i].index1 - 1, key))
			return t->slots[i].index1 - 1;
	}
	return NO_KEY;
}

/* Add an index that is not there. 0 or -ENOMEM. */
int keys_add(struct keys *t, uint64_t hash, uint32_t index);
void keys_free(struct keys *t);

/* Room for one element more in an array, which may move; *array is NULL at first. 0 or -ENOMEM. */
int keys_grow_array(void **array, uint32_t *room, uint32_t used, size_t size);

#endif
