/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The present state: pieces, each up to the next one's start, in a copy-on-write B+ tree. A
 * reference keeps the tree as it is at that time, for the cost of one pointer.
 */
#ifndef A2N_SPACE_TREE_H
#define A2N_SPACE_TREE_H

#include "a2n/space/space.h"

struct space_piece {
	uint64_t start;
	struct mapping mapping;
	struct moment from;
	uint32_t owner; /* the space that owns the fact; 0: nothing is known */
	bool walk;
};

/* NULL is the empty tree. Reference counts are not atomic. */
struct space_node;

/* Returns the piece that contains this address, or NULL: nothing begins at or below it. *last: its
 * end; without a piece, the end of the gap. Valid until the tree is changed. */
const struct space_piece *space_tree_find(const struct space_node *tree, uint64_t address,
					  uint64_t *last);
/* Visits the pieces in [first, last] in sequence, until a visit returns a value other than 0, which
 * is returned; `piece` is NULL where nothing is known. The tree must not be changed. */
typedef int (*space_visit)(void *arg, const struct space_piece *piece, uint64_t start,
			   uint64_t last);
int space_tree_walk(const struct space_node *tree, uint64_t first, uint64_t last, space_visit visit,
		    void *arg);
/* Inserts a piece, or replaces the one with the same start. 0 or -ENOMEM: the tree is unchanged. */
int space_tree_put(struct space_node **tree, const struct space_piece *piece);
/* Removes the pieces that begin in [first, last]: the previous piece then extends further. 0 or
 * -ENOMEM: some of them may be removed. */
int space_tree_drop(struct space_node **tree, uint64_t first, uint64_t last);

struct space_node *space_tree_get(struct space_node *tree);
void space_tree_put_back(struct space_node *tree);

#endif
