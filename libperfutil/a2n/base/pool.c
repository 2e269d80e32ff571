/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Arena, interned strings and hash table. All memory is freed at once in a2n_close, so that names
 * in answers never dangle.
 */
#include <stdlib.h>
#include <string.h>

#include "a2n/base/pool.h"

#define BLOCK 65536

struct arena_block {
	struct arena_block *next;
	size_t size;
	_Alignas(16) unsigned char data[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	struct arena_block *b = arena->blocks;
	size_t room = BLOCK;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = (size + 15) & ~(size_t)15;
	if (size <= arena->left) {
		arena->left -= size;
		return b->data + b->size - arena->left - size;
	}
	if (size > BLOCK / 4)
		room = size;
	b = calloc(1, sizeof(*b) + room);
	if (!b)
		return NULL;
	b->size = room;
	if (room == size && arena->blocks) {
		/* A large item gets its own block, linked after the one being filled. */
		b->next = arena->blocks->next;
		arena->blocks->next = b;
		return b->data;
	}
	b->next = arena->blocks;
	arena->blocks = b;
	arena->left = room - size;
	return b->data;
}

char *arena_strndup(struct arena *arena, const char *s, size_t length)
{
	char *copy = length < SIZE_MAX ? arena_alloc(arena, length + 1) : NULL;

	if (copy)
		memcpy(copy, s, length);
	return copy;
}

void arena_free(struct arena *arena)
{
	struct arena_block *b = arena->blocks;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	*arena = (struct arena){ 0 };
}

void *table_find(const struct item_table *t, uint64_t hash, table_match match, const void *key)
{
	uint32_t i = keys_find(&t->keys, hash, t->item, e, match(*e, key));

	return i == NO_KEY ? NULL : t->item[i];
}

int table_add(struct item_table *t, uint64_t hash, void *item)
{
	if (keys_next(&t->keys, hash, t->item, t->keys.used, t->room))
		return -1;
	t->item[t->keys.used - 1] = item;
	return 0;
}

void table_free(struct item_table *t)
{
	keys_free(&t->keys);
	free(t->item);
	*t = (struct item_table){ 0 };
}

uint64_t pool_hash(const void *data, size_t size, uint64_t seed)
{
	const unsigned char *p = data;
	uint64_t h = seed ^ 0xcbf29ce484222325ull;

	while (size--)
		h = (h ^ *p++) * 0x100000001b3ull;
	return hash_u64(h);
}

struct text {
	const char *s;
	size_t length;
};

static bool match_text(const void *item, const void *key)
{
	const struct text *t = key;

	return !strncmp(item, t->s, t->length) && !((const char *)item)[t->length];
}

const char *strings_intern(struct strings *s, const char *text, size_t length)
{
	const struct text key = { text, strnlen(text, length) };
	uint64_t hash = pool_hash(text, key.length, 0);
	char *copy = table_find(&s->table, hash, match_text, &key);

	if (copy)
		return copy;
	copy = arena_strndup(&s->arena, text, key.length);
	if (!copy || table_add(&s->table, hash, copy))
		return NULL;
	return copy;
}

void strings_free(struct strings *s)
{
	table_free(&s->table);
	arena_free(&s->arena);
}
