/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Memory that lives as long as an a2n: an arena for small objects, one copy of every distinct
 * string, and a table of pointers by hash.
 */
#ifndef A2N_POOL_H
#define A2N_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keys.h"

struct arena {
	struct arena_block *blocks;
	size_t left; /* of the first block */
};

void *arena_alloc(struct arena *arena, size_t size); /* zeroed */
char *arena_strndup(struct arena *arena, const char *s, size_t length);
void arena_free(struct arena *arena);

/* Items, item[0] to item[keys.used - 1] in the order of insertion, are never removed. Zeroed memory
 * is an empty table. */
struct item_table {
	struct keys keys;
	void **item;
	uint32_t room;
};

typedef bool (*table_match)(const void *item, const void *key);

void *table_find(const struct item_table *t, uint64_t hash, table_match match, const void *key);
int table_add(struct item_table *t, uint64_t hash, void *item);
void table_free(struct item_table *t);

struct strings {
	struct arena arena;
	struct item_table table;
};

/* Returns the one copy of this string, or NULL without memory. */
const char *strings_intern(struct strings *s, const char *text, size_t length);
void strings_free(struct strings *s);

static inline uint64_t hash_u64(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

uint64_t pool_hash(const void *data, size_t size, uint64_t seed);

#endif
