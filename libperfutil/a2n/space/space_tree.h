/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is at each address now: pieces, each up to the next one's start, in a tree (B+) that is
 * copied where it is written. Who takes a reference has the tree as it is at that time, for the
 * price of one pointer.
 */
#ifndef A2N_SPACE_TREE_H
#define A2N_SPACE_TREE_H

#include "a2n/space/space.h"

struct space_piece {
	uint64_t start;
	struct mapping mapping;
	struct moment from;
	uint32_t owner; /* the space whose fact it is; 0: nothing is known */
	bool walk;
};

/* NULL is the empty tree. Counts of references are not atomic. */
struct space_node;

/* The piece of this address, or NULL: nothing begins at or below it. *last: its end; or, without a
 * piece, where nothing ends. Valid until the tree is changed. */
const struct space_piece *space_tree_find(const struct space_node *tree, uint64_t address,
					  uint64_t *last);
/* Visits what there is in [first, last] in sequence, as far as that goes, until a visit returns
 * other than 0, which is returned; `piece` is NULL where nothing is known. The tree must not be
 * changed. */
typedef int (*space_visit)(void *arg, const struct space_piece *piece, uint64_t start,
			   uint64_t last);
int space_tree_walk(const struct space_node *tree, uint64_t first, uint64_t last, space_visit visit,
		    void *arg);
/* Inserts a piece, or replaces the one of the same start. 0 or -ENOMEM: the tree is as before. */
int space_tree_put(struct space_node **tree, const struct space_piece *piece);
/* Removes what begins in [first, last]: the piece before reaches further. 0 or -ENOMEM: some of it
 * may be removed. */
int space_tree_drop(struct space_node **tree, uint64_t first, uint64_t last);

struct space_node *space_tree_get(struct space_node *tree);
void space_tree_put_back(struct space_node *tree);

#endif
