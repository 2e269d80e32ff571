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

#define NO_OBJECT UINT32_MAX
#define IDS_MOST  (1u << 31)

/* 64 places. */
struct ids_line {
	uint64_t any, leaf;
	uint32_t any_before, leaf_before;
};

struct ids {
	uint64_t *list; /* while they are collected, and when they are sparse */
	uint64_t count, room;
	uint64_t all; /* their bits */
	bool aligned; /* to 8: bit 0 of the list says leaf; else nothing is one */
	bool sparse;
	unsigned int shift;
	uint32_t objects, inner; /* numbers from inner on are leaves */
	struct ids_line *lines;  /* IDS_BLOCK of them together */
	uint32_t blocks;
	uint64_t first, span; /* of blocks */
	uint32_t *direct;     /* place of each block from `first` on; or NULL and */
	uint64_t *keys;       /* blocks, sorted */
};

#define IDS_BLOCK 8u /* lines */
#define IDS_PLACE 9  /* bits of a place in a block */

void ids_begin(struct ids *ids);
/* 0 or -ENOMEM (or too many). */
int ids_add(struct ids *ids, uint64_t id, bool leaf);
/* All are there: ids_find() may be used. `most` is what lines may take. */
int ids_finish(struct ids *ids, uint64_t most);
void ids_free(struct ids *ids);
uint32_t ids_find(const struct ids *ids, uint64_t id);
/* The id of a number. */
uint64_t ids_of(const struct ids *ids, uint32_t number);
/* Bytes from this object to the next; 0: none is near. */
uint64_t ids_gap(const struct ids *ids, uint64_t id);

#endif
