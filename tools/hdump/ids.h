/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds objects' numbers by their ids. Leaves, which cannot refer to anything (arrays of
 * primitives, for example), are numbered after the other, inner objects, so that dominators need
 * arrays only for those. Ids of a real VM are addresses: a bit for each possible address, with
 * counts in between, takes less than two bytes per object. Sparse ids are stored in a sorted array
 * instead.
 */
#ifndef HDUMP_IDS_H
#define HDUMP_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keys.h"

#define NO_OBJECT UINT32_MAX
#define IDS_MOST  (1u << 31)

/* The bits of 64 possible addresses. */
struct ids_line {
	uint64_t any, leaf;
	uint32_t inner_before, leaf_before; /* objects at lower addresses */
};

struct ids {
	uint64_t all;   /* all ids, or'ed */
	uint64_t added; /* number of calls of ids_add() */
	uint64_t most;  /* bytes that lines may take, in addition to 12 per id */
	bool aligned;   /* to 8; else no object is a leaf */
	bool sparse;
	unsigned int shift;
	uint32_t objects, inner; /* numbers from inner on are leaves */
	struct ids_line *lines;  /* IDS_BLOCK per block */
	uint64_t *keys;          /* of blocks: at last sorted, as blocks are */
	uint32_t blocks, lines_room, keys_room;
	struct keys by_key;   /* until ids_finish(); then only if there are no pages */
	uint64_t first, span; /* the lowest block, and blocks from it to the highest */
	uint32_t *page;       /* of IDS_PAGE blocks: index of its first one in *in_page; or NULL */
	uint32_t *in_page;    /* indexes of blocks, or NO_KEY */
	uint64_t near_key;    /* of the block used last, */
	uint32_t near_at;     /* and its index or NO_KEY */
	uint64_t *list;       /* of sparse ids */
	uint64_t count, room;
};

#define IDS_BLOCK 8u /* lines */
#define IDS_PLACE 9  /* bits of an index in a block */

#define IDS_PAGE       64u   /* blocks */
#define IDS_PAGES_FREE 4096u /* pages more than blocks */

void ids_begin(struct ids *ids, uint64_t most);
/* Returns 0, or -ENOMEM also for too many ids. */
int ids_add(struct ids *ids, uint64_t id, bool leaf);
/* Call it after the last ids_add() and before look-ups. Returns 0 or -ENOMEM. */
int ids_finish(struct ids *ids);
/* Frees all but the number of objects, when no more look-ups follow. */
void ids_forget(struct ids *ids);
void ids_free(struct ids *ids);
uint32_t ids_find(const struct ids *ids, uint64_t id);
/* Do the same in two steps; the first one prefetches. The caller keeps *step in between. */
void ids_ask(const struct ids *ids, uint64_t id, const struct ids_line **step);
uint32_t ids_answer(const struct ids *ids, uint64_t id, const struct ids_line *step);
/* Does the same for the next object of a pass, which is mostly near the previous one. *gap is set
 * as by ids_gap(), unless `gap` is NULL. */
uint32_t ids_find_near(struct ids *ids, uint64_t id, uint64_t *gap);
/* Returns the id of a number. */
uint64_t ids_of(const struct ids *ids, uint32_t number);
/* Returns the bytes from this object to the next; 0 if none is near, or ids are not aligned. */
uint64_t ids_gap(const struct ids *ids, uint64_t id);

#endif
