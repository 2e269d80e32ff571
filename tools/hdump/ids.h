/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Objects' numbers by their ids. Those that can refer to nothing (leaves: arrays of primitives and
 * such) are numbered behind the others, the inner ones, so that what dominators need is only for
 * these. Ids of a real VM are addresses: a bit for each place where one can begin, with counts in
 * between, are less than two bytes an object. Ids that lie far apart are a sorted array instead.
 */
#ifndef HDUMP_IDS_H
#define HDUMP_IDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/keys.h"

#define NO_OBJECT UINT32_MAX
#define IDS_MOST  (1u << 31)

/* 64 places. */
struct ids_line {
	uint64_t any, leaf;
	uint32_t inner_before, leaf_before; /* objects at places in front of it */
};

struct ids {
	uint64_t all;   /* their bits */
	uint64_t added; /* how often one was added */
	uint64_t most;  /* bytes that lines may take, beside 12 for each id */
	bool aligned;   /* to 8; else nothing is a leaf */
	bool sparse;
	unsigned int shift;
	uint32_t objects, inner; /* numbers from inner on are leaves */
	struct ids_line *lines;  /* IDS_BLOCK of them together */
	uint64_t *keys;          /* of blocks, as they were met */
	uint32_t *order;         /* of blocks, as their keys grow */
	uint32_t blocks, lines_room, keys_room;
	struct keys by_key;
	uint64_t near_key; /* of the block that was asked for last, */
	uint32_t near_at;  /* and its place; NO_KEY */
	uint64_t *list;    /* the sparse ones */
	uint64_t count, room;
};

#define IDS_BLOCK 8u /* lines */
#define IDS_PLACE 9  /* bits of a place in a block */

void ids_begin(struct ids *ids, uint64_t most);
/* 0 or -ENOMEM (or too many). */
int ids_add(struct ids *ids, uint64_t id, bool leaf);
/* All are there: ids_find() may be used. 0 or -ENOMEM. */
int ids_finish(struct ids *ids);
/* Nothing is asked for any more but how many there are. */
void ids_forget(struct ids *ids);
void ids_free(struct ids *ids);
uint32_t ids_find(const struct ids *ids, uint64_t id);
/* The same in two steps, between which memory has time: *step is the caller's to keep. */
void ids_ask(const struct ids *ids, uint64_t id, const struct ids_line **step);
uint32_t ids_answer(const struct ids *ids, uint64_t id, const struct ids_line *step);
/* The same for an object as a pass comes to it: it is mostly near the one before. *gap: as
 * ids_gap(); NULL: it is not asked for. */
uint32_t ids_find_near(struct ids *ids, uint64_t id, uint64_t *gap);
/* The id of a number. */
uint64_t ids_of(const struct ids *ids, uint32_t number);
/* Bytes from this object to the next; 0: none is near, or nothing is aligned. */
uint64_t ids_gap(const struct ids *ids, uint64_t id);

#endif
