/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ids are collected, sorted in place, and put into lines. */
#include "ids.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"

void ids_begin(struct ids *ids)
{
	*ids = (struct ids){ .aligned = true };
}

int ids_add(struct ids *ids, uint64_t id, bool leaf)
{
	if (ids->count >= IDS_MOST || array_next(ids->list, ids->count, ids->room))
		return -ENOMEM;
	ids->all |= id;
	if (ids->aligned && (id & 7)) {
		ids->aligned = false;
		for (uint64_t i = 0; i < ids->count; i++)
			ids->list[i] &= ~7ull;
	}
	ids->list[ids->count++] = id | (ids->aligned && leaf);
	return 0;
}

/* ---- sorting --------------------------------------------------------------------------------- */

#define FEW 32

static void sort_few(uint64_t *p, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		uint64_t v = p[i];
		size_t j = i;

		for (; j && p[j - 1] > v; j--)
			p[j] = p[j - 1];
		p[j] = v;
	}
}

/* By the byte at `shift`, in place, then each part by the next one: at most eight deep. */
static void sort(uint64_t *p, size_t n, int shift)
{
	size_t begin[257] = { 0 }, next[256], i;

	for (i = 1; i < n && p[i - 1] <= p[i]; i++)
		;
	if (i >= n)
		return;
	if (n <= FEW) {
		sort_few(p, n);
		return;
	}
	for (i = 0; i < n; i++)
		begin[(p[i] >> shift & 255) + 1]++;
	for (i = 0; i < 256; i++) {
		begin[i + 1] += begin[i];
		next[i] = begin[i];
	}
	for (unsigned int b = 0; b < 256; b++)
		while (next[b] < begin[b + 1]) {
			uint64_t v = p[next[b]];
			unsigned int to = v >> shift & 255;

			if (to == b) {
				next[b]++;
				continue;
			}
			p[next[b]] = p[next[to]];
			p[next[to]++] = v;
		}
	for (i = 0; shift && i < 256; i++)
		sort(p + begin[i], begin[i + 1] - begin[i], shift - 8);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static uint64_t block_of(const struct ids *ids, uint64_t id)
{
	return id >> ids->shift >> IDS_PLACE;
}

static const struct ids_line *line_of(const struct ids *ids, uint64_t id, unsigned int *bit)
{
	uint64_t place = id >> ids->shift, block = place >> IDS_PLACE;
	uint32_t at;

	if (ids->direct) {
		if (block - ids->first >= ids->span)
			return NULL;
		at = ids->direct[block - ids->first];
		if (at == NO_OBJECT)
			return NULL;
	} else {
		at = search_sorted(i, 0u, ids->blocks, ids->keys[i] < block);
		if (at == ids->blocks || ids->keys[at] != block)
			return NULL;
	}
	*bit = place & 63;
	return &ids->lines[(size_t)at * IDS_BLOCK + (place >> 6 & (IDS_BLOCK - 1))];
}

static int find_blocks(struct ids *ids)
{
	uint64_t block, last = 0;
	uint32_t n = 0;

	ids->first = ids->count ? block_of(ids, ids->list[0]) : 0;
	ids->span = ids->count ? block_of(ids, ids->list[ids->count - 1]) - ids->first + 1 : 0;
	ids->lines = calloc((size_t)ids->blocks * IDS_BLOCK + 1, sizeof(*ids->lines));
	if (!ids->lines)
		return -ENOMEM;
	if (ids->span / 8 <= ids->blocks + 1000ull) {
		ids->direct = malloc((ids->span + 1) * sizeof(*ids->direct));
		if (!ids->direct)
			return -ENOMEM;
		memset(ids->direct, 0xff, (ids->span + 1) * sizeof(*ids->direct));
	} else {
		ids->keys = malloc(((size_t)ids->blocks + 1) * sizeof(*ids->keys));
		if (!ids->keys)
			return -ENOMEM;
	}
	for (uint64_t i = 0; i < ids->count; i++) {
		block = block_of(ids, ids->list[i]);
		if (n && block == last)
			continue;
		last = block;
		if (ids->direct)
			ids->direct[block - ids->first] = n++;
		else
			ids->keys[n++] = block;
	}
	return 0;
}

static void fill_lines(struct ids *ids)
{
	uint32_t any = 0, leaves = 0;
	struct ids_line *l;
	unsigned int bit = 0;

	for (uint64_t i = 0; i < ids->count; i++) {
		l = (struct ids_line *)line_of(ids, ids->list[i], &bit);
		l->any |= 1ull << bit;
		l->leaf |= (uint64_t)(ids->aligned && (ids->list[i] & 1)) << bit;
	}
	for (size_t i = 0; i < (size_t)ids->blocks * IDS_BLOCK; i++) {
		l = &ids->lines[i];
		l->any_before = any;
		l->leaf_before = leaves;
		any += (uint32_t)__builtin_popcountll(l->any);
		leaves += (uint32_t)__builtin_popcountll(l->leaf);
	}
	ids->objects = any;
	ids->inner = any - leaves;
}

int ids_finish(struct ids *ids, uint64_t most)
{
	uint64_t n = 0, block, last = 0;
	const uint64_t flag = ids->aligned ? 1 : 0;
	int rc;

	if (ids->count)
		sort(ids->list, ids->count, 56);
	for (uint64_t i = 0; i < ids->count; i++)
		if (!n || (ids->list[n - 1] | flag) != (ids->list[i] | flag))
			ids->list[n++] = ids->list[i];
	ids->count = n;
	ids->shift = ids->aligned ? 3 : 0;
	for (uint64_t i = 0; i < n; i++) {
		block = block_of(ids, ids->list[i]);
		ids->blocks += !i || block != last;
		last = block;
	}
	if ((uint64_t)ids->blocks * IDS_BLOCK * sizeof(*ids->lines) > 12 * n + most) {
		ids->sparse = true;
		for (uint64_t i = 0; i < n; i++)
			ids->list[i] &= ~flag;
		ids->objects = ids->inner = (uint32_t)n;
		return 0;
	}
	rc = find_blocks(ids);
	if (rc)
		return rc;
	fill_lines(ids);
	free(ids->list);
	ids->list = NULL;
	return 0;
}

void ids_free(struct ids *ids)
{
	free(ids->list);
	free(ids->lines);
	free(ids->direct);
	free(ids->keys);
	*ids = (struct ids){ 0 };
}

/* ---- asking ---------------------------------------------------------------------------------- */

uint32_t ids_find(const struct ids *ids, uint64_t id)
{
	const struct ids_line *l;
	unsigned int bit = 0;
	uint64_t below;

	if (ids->sparse) {
		uint32_t at = search_sorted(i, 0u, ids->objects, ids->list[i] < id);

		return at < ids->objects && ids->list[at] == id ? at : NO_OBJECT;
	}
	l = line_of(ids, id, &bit);
	if (!l || !(l->any >> bit & 1) || (ids->shift && (id & 7)))
		return NO_OBJECT;
	below = (1ull << bit) - 1;
	if (l->leaf >> bit & 1)
		return ids->inner + l->leaf_before +
		       (uint32_t)__builtin_popcountll(l->leaf & below);
	return l->any_before - l->leaf_before +
	       (uint32_t)__builtin_popcountll(l->any & ~l->leaf & below);
}

uint64_t ids_of(const struct ids *ids, uint32_t number)
{
	const bool leaf = number >= ids->inner;
	const uint32_t k = leaf ? number - ids->inner : number;
	const size_t n = (size_t)ids->blocks * IDS_BLOCK;
	uint64_t bits, block;
	uint32_t before;
	size_t at;

	if (ids->sparse)
		return ids->list[number];
#define BEFORE(i) \
	(leaf ? ids->lines[i].leaf_before : ids->lines[i].any_before - ids->lines[i].leaf_before)
	at = search_sorted(i, (size_t)0, n, BEFORE(i) <= k) - 1;
	before = BEFORE(at);
#undef BEFORE
	bits = leaf ? ids->lines[at].leaf : ids->lines[at].any & ~ids->lines[at].leaf;
	for (uint32_t i = before; i < k; i++)
		bits &= bits - 1;
	if (ids->direct) {
		/* The places of blocks grow with them. */
		const uint32_t place = (uint32_t)(at / IDS_BLOCK);

		for (block = 0; ids->direct[block] != place; block++)
			;
		block += ids->first;
	} else {
		block = ids->keys[at / IDS_BLOCK];
	}
	return ((block << IDS_PLACE) + (at % IDS_BLOCK) * 64 + (unsigned int)__builtin_ctzll(bits))
	       << ids->shift;
}

uint64_t ids_gap(const struct ids *ids, uint64_t id)
{
	const struct ids_line *l;
	unsigned int bit = 0, n;
	uint64_t bits;
	uint32_t at;

	if (ids->sparse) {
		at = ids_find(ids, id);
		return at == NO_OBJECT || at + 1 >= ids->objects ? 0 : ids->list[at + 1] - id;
	}
	l = line_of(ids, id, &bit);
	if (!l)
		return 0;
	bits = bit == 63 ? 0 : l->any >> (bit + 1) << (bit + 1);
	if (bits)
		return (uint64_t)((unsigned int)__builtin_ctzll(bits) - bit) << ids->shift;
	/* In the next line, of this block or the next. */
	for (n = 1; n <= 8; n++) {
		unsigned int first = 0;
		uint64_t place = ((id >> ids->shift >> 6) + n) << 6;

		l = line_of(ids, place << ids->shift, &first);
		if (l && l->any)
			return ((place + (unsigned int)__builtin_ctzll(l->any)) << ids->shift) - id;
	}
	return 0;
}
