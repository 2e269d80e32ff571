/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores ids as bits in blocks when added; if they are too sparse, collects and sorts them. */
#include "ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "bits.h"
#include "large.h"

#define SOME_MEMORY (1u << 20) /* more memory that lines may take while ids are added */

void ids_begin(struct ids *ids, uint64_t most)
{
	*ids = (struct ids){
		.aligned = true,
		.shift = 3,
		.most = most,
		.near_at = NO_KEY,
	};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Returns the index of a block, or NO_KEY. */
static inline uint32_t block_at(const struct ids *ids, uint64_t block)
{
	const uint64_t far = block - ids->first;

	if (!ids->page)
		return keys_find(&ids->by_key, hash_mix(block, 0), ids->keys, key, *key == block);
	return far < ids->span ? ids->in_page[ids->page[far / IDS_PAGE] + far % IDS_PAGE] : NO_KEY;
}

static inline struct ids_line *line_of(const struct ids *ids, uint64_t id)
{
	const uint64_t place = id >> ids->shift, block = place >> IDS_PLACE;
	const uint32_t at = block_at(ids, block);

	if (at == NO_KEY)
		return NULL;
	return &ids->lines[(size_t)at * IDS_BLOCK + (place >> 6 & (IDS_BLOCK - 1))];
}

static struct ids_line *line_near(struct ids *ids, uint64_t id)
{
	const uint64_t place = id >> ids->shift, block = place >> IDS_PLACE;

	if (ids->near_at == NO_KEY || ids->near_key != block) {
		ids->near_key = block;
		ids->near_at = block_at(ids, block);
		if (ids->near_at == NO_KEY)
			return NULL;
	}
	return &ids->lines[(size_t)ids->near_at * IDS_BLOCK + (place >> 6 & (IDS_BLOCK - 1))];
}

static unsigned int bit_of(const struct ids *ids, uint64_t id)
{
	return id >> ids->shift & 63;
}

/* Returns the id of a bit of a line; lines are numbered in the order in which they were added. */
static uint64_t id_of(const struct ids *ids, size_t line, unsigned int bit)
{
	return ((ids->keys[line / IDS_BLOCK] << IDS_PLACE) + line % IDS_BLOCK * 64 + bit)
	       << ids->shift;
}

static int add_block(struct ids *ids, uint64_t id)
{
	const uint64_t block = id >> ids->shift >> IDS_PLACE;
	const size_t lines = ((size_t)ids->blocks + 1) * IDS_BLOCK;

	if (array_room(ids->lines, ids->lines_room, lines) ||
	    keys_next(&ids->by_key, hash_mix(block, 0), ids->keys, ids->blocks, ids->keys_room))
		return -ENOMEM;
	memset(ids->lines + lines - IDS_BLOCK, 0, IDS_BLOCK * sizeof(*ids->lines));
	ids->keys[ids->blocks++] = block;
	return 0;
}

static void free_blocks(struct ids *ids)
{
	free(ids->lines);
	free(ids->keys);
	free(ids->page);
	free(ids->in_page);
	keys_free(&ids->by_key);
	ids->lines = NULL;
	ids->keys = NULL;
	ids->page = ids->in_page = NULL;
	ids->blocks = ids->lines_room = ids->keys_room = 0;
	ids->near_at = NO_KEY;
}

/* Moves all ids from blocks to the list. */
static int list_blocks(struct ids *ids)
{
	for (size_t i = 0; i < (size_t)ids->blocks * IDS_BLOCK; i++)
		for (uint64_t bits = ids->lines[i].any; bits; bits &= bits - 1) {
			if (array_next(ids->list, ids->count, ids->room))
				return -ENOMEM;
			ids->list[ids->count++] = id_of(ids, i,
							(unsigned int)__builtin_ctzll(bits));
		}
	free_blocks(ids);
	return 0;
}

static bool too_many(uint64_t blocks, uint64_t objects, uint64_t most)
{
	return blocks * IDS_BLOCK * sizeof(struct ids_line) > 12 * objects + most;
}

static int put(struct ids *ids, uint64_t id, bool leaf)
{
	struct ids_line *l = ids->sparse ? NULL : line_near(ids, id);
	const uint64_t bit = 1ull << bit_of(ids, id);

	if (!l && !ids->sparse &&
	    too_many(ids->blocks + 1ull, ids->added, ids->most + SOME_MEMORY)) {
		ids->sparse = true;
		if (list_blocks(ids))
			return -ENOMEM;
	}
	if (ids->sparse) {
		if (array_next(ids->list, ids->count, ids->room))
			return -ENOMEM;
		ids->list[ids->count++] = id;
		return 0;
	}
	if (!l) {
		if (add_block(ids, id))
			return -ENOMEM;
		l = line_near(ids, id);
	}
	/* An id that is added twice is a leaf only if both are. */
	if (!leaf || !ids->aligned)
		l->leaf &= ~bit;
	else if (!(l->any & bit))
		l->leaf |= bit;
	l->any |= bit;
	return 0;
}

/* Called for the first id that is not a multiple of 8: adds all previous ids again, with a bit for
 * every address. */
static int unalign(struct ids *ids)
{
	uint64_t *list, n;
	int rc = ids->sparse ? 0 : list_blocks(ids);

	ids->aligned = false;
	if (rc || ids->sparse)
		return rc;
	list = ids->list;
	n = ids->count;
	ids->list = NULL;
	ids->count = ids->room = 0;
	ids->shift = 0;
	for (uint64_t i = 0; i < n && !rc; i++)
		rc = put(ids, list[i], false);
	free(list);
	return rc;
}

int ids_add(struct ids *ids, uint64_t id, bool leaf)
{
	if (ids->added >= IDS_MOST)
		return -ENOMEM;
	ids->added++;
	ids->all |= id;
	if (ids->aligned && (id & 7) && unalign(ids))
		return -ENOMEM;
	return put(ids, id, leaf);
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

/* In-place radix sort by the byte at `shift`, then each part by the next byte: at most eight levels
 * of recursion. */
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

/* ---- after the last id ----------------------------------------------------------------------- */

struct ids_block {
	uint64_t key;
	uint32_t place;
};

static int by_key(const void *a, const void *b)
{
	const struct ids_block *one = a, *other = b;

	return one->key < other->key ? -1 : one->key > other->key;
}

/* Sorts blocks by address, into memory of just their size. */
static int sort_blocks(struct ids *ids)
{
	struct ids_block *list = malloc(((size_t)ids->blocks + 1) * sizeof(*list));
	struct ids_line *lines = large_alloc(((size_t)ids->blocks + 1) * IDS_BLOCK, sizeof(*lines));
	bool sorted = true;

	if (!list || !lines) {
		free(list);
		free(lines);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < ids->blocks; i++) {
		list[i] = (struct ids_block){ ids->keys[i], i };
		sorted = sorted && (!i || ids->keys[i - 1] < ids->keys[i]);
	}
	if (!sorted)
		qsort(list, ids->blocks, sizeof(*list), by_key);
	for (uint32_t i = 0; i < ids->blocks; i++) {
		ids->keys[i] = list[i].key;
		memcpy(lines + (size_t)i * IDS_BLOCK,
		       ids->lines + (size_t)list[i].place * IDS_BLOCK, IDS_BLOCK * sizeof(*lines));
	}
	free(list);
	free(ids->lines);
	ids->lines = lines;
	ids->lines_room = ids->blocks * IDS_BLOCK;
	ids->near_at = NO_KEY;
	keys_free(&ids->by_key);
	return 0;
}

/* Makes pages to find blocks by. If these would be large, because the blocks are far apart, a hash
 * table does. */
static int find_blocks_by(struct ids *ids)
{
	const uint64_t first = ids->blocks ? ids->keys[0] : 0;
	const uint64_t span = ids->blocks ? ids->keys[ids->blocks - 1] - first + 1 : 0;
	const uint64_t pages = span / IDS_PAGE + 1;
	uint32_t used = 1; /* the first page is that of addresses without blocks */

	if (pages > ids->blocks + IDS_PAGES_FREE || pages > UINT32_MAX / IDS_PAGE - 1) {
		for (uint32_t i = 0; i < ids->blocks; i++)
			if (keys_add(&ids->by_key, hash_mix(ids->keys[i], 0), i))
				return -ENOMEM;
		return 0;
	}
	ids->page = calloc(pages, sizeof(*ids->page));
	if (!ids->page)
		return -ENOMEM;
	for (uint32_t i = 0; i < ids->blocks; i++) {
		uint32_t *page = &ids->page[(ids->keys[i] - first) / IDS_PAGE];

		if (!*page)
			*page = used++ * IDS_PAGE;
	}
	ids->in_page = malloc((size_t)used * IDS_PAGE * sizeof(*ids->in_page));
	if (!ids->in_page)
		return -ENOMEM;
	memset(ids->in_page, 0xff, (size_t)used * IDS_PAGE * sizeof(*ids->in_page));
	for (uint32_t i = 0; i < ids->blocks; i++) {
		const uint64_t far = ids->keys[i] - first;

		ids->in_page[ids->page[far / IDS_PAGE] + far % IDS_PAGE] = i;
	}
	ids->first = first;
	ids->span = span;
	return 0;
}

static void finish_list(struct ids *ids)
{
	uint64_t n = 0;

	if (ids->count)
		sort(ids->list, ids->count, 56);
	for (uint64_t i = 0; i < ids->count; i++)
		if (!n || ids->list[n - 1] != ids->list[i])
			ids->list[n++] = ids->list[i];
	ids->count = n;
	ids->objects = ids->inner = (uint32_t)n;
}

static void finish_lines(struct ids *ids)
{
	uint32_t inner = 0, leaves = 0;

	for (size_t i = 0; i < (size_t)ids->blocks * IDS_BLOCK; i++) {
		struct ids_line *l = &ids->lines[i];

		l->inner_before = inner;
		l->leaf_before = leaves;
		inner += bits_of(l->any & ~l->leaf);
		leaves += bits_of(l->leaf);
	}
	ids->objects = inner + leaves;
	ids->inner = inner;
}

int ids_finish(struct ids *ids)
{
	if (!ids->sparse) {
		if (sort_blocks(ids))
			return -ENOMEM;
		finish_lines(ids);
		if (!too_many(ids->blocks, ids->objects, ids->most))
			return find_blocks_by(ids);
		ids->sparse = true;
		if (list_blocks(ids))
			return -ENOMEM;
	}
	finish_list(ids);
	return 0;
}

void ids_forget(struct ids *ids)
{
	free(ids->list);
	ids->list = NULL;
	free_blocks(ids);
}

void ids_free(struct ids *ids)
{
	ids_forget(ids);
	*ids = (struct ids){ 0 };
}

/* ---- look-ups -------------------------------------------------------------------------------- */

static uint32_t find_sparse(const struct ids *ids, uint64_t id)
{
	const uint32_t at = search_sorted(i, 0u, ids->objects, ids->list[i] < id);

	return at < ids->objects && ids->list[at] == id ? at : NO_OBJECT;
}

static inline uint32_t find_in(const struct ids *ids, uint64_t id, const struct ids_line *l)
{
	const uint64_t bit = 1ull << bit_of(ids, id);

	if (!l || !(l->any & bit) || (ids->aligned && (id & 7)))
		return NO_OBJECT;
	if (l->leaf & bit)
		return ids->inner + l->leaf_before + bits_of(l->leaf & (bit - 1));
	return l->inner_before + bits_of(l->any & ~l->leaf & (bit - 1));
}

uint32_t ids_find(const struct ids *ids, uint64_t id)
{
	return ids->sparse ? find_sparse(ids, id) : find_in(ids, id, line_of(ids, id));
}

void ids_ask(const struct ids *ids, uint64_t id, const struct ids_line **step)
{
	*step = ids->sparse ? NULL : line_of(ids, id);
	/* A line may straddle two cache lines. */
	if (*step) {
		__builtin_prefetch(*step);
		__builtin_prefetch((const char *)(*step + 1) - 1);
	}
}

uint32_t ids_answer(const struct ids *ids, uint64_t id, const struct ids_line *step)
{
	return ids->sparse ? find_sparse(ids, id) : find_in(ids, id, step);
}

uint64_t ids_of(const struct ids *ids, uint32_t number)
{
	const bool leaf = number >= ids->inner;
	const uint32_t k = leaf ? number - ids->inner : number;
	const size_t n = (size_t)ids->blocks * IDS_BLOCK;
	const struct ids_line *l;
	uint64_t bits;
	size_t at;

	if (ids->sparse)
		return ids->list[number];
#define BEFORE(line) (leaf ? (line)->leaf_before : (line)->inner_before)
	at = search_sorted(i, (size_t)0, n, BEFORE(&ids->lines[i]) <= k) - 1;
	l = &ids->lines[at];
	bits = leaf ? l->leaf : l->any & ~l->leaf;
	for (uint32_t i = BEFORE(l); i < k; i++)
		bits &= bits - 1;
#undef BEFORE
	return id_of(ids, at, (unsigned int)__builtin_ctzll(bits));
}

static uint64_t gap_in(const struct ids *ids, uint64_t id, const struct ids_line *l)
{
	const unsigned int bit = bit_of(ids, id);
	const uint64_t bits = !l || bit == 63 ? 0 : l->any >> (bit + 1) << (bit + 1);

	if (bits)
		return (uint64_t)((unsigned int)__builtin_ctzll(bits) - bit) << ids->shift;
	/* Search the next lines, of this block or the next one. */
	for (unsigned int n = 1; l && n <= 8; n++) {
		const uint64_t place = ((id >> ids->shift >> 6) + n) << 6;
		const struct ids_line *next = line_of(ids, place << ids->shift);

		if (next && next->any)
			return ((place + (unsigned int)__builtin_ctzll(next->any)) << ids->shift) -
			       id;
	}
	return 0;
}

static uint64_t gap_sparse(const struct ids *ids, uint64_t id, uint32_t at)
{
	return at == NO_OBJECT || at + 1 >= ids->objects ? 0 : ids->list[at + 1] - id;
}

uint64_t ids_gap(const struct ids *ids, uint64_t id)
{
	if (!ids->aligned)
		return 0;
	return ids->sparse ? gap_sparse(ids, id, find_sparse(ids, id)) :
			     gap_in(ids, id, line_of(ids, id));
}

uint32_t ids_find_near(struct ids *ids, uint64_t id, uint64_t *gap)
{
	const struct ids_line *l;
	uint32_t at;

	if (ids->sparse) {
		at = find_sparse(ids, id);
		if (gap)
			*gap = ids->aligned ? gap_sparse(ids, id, at) : 0;
		return at;
	}
	l = line_near(ids, id);
	if (gap)
		*gap = ids->aligned ? gap_in(ids, id, l) : 0;
	return find_in(ids, id, l);
}
