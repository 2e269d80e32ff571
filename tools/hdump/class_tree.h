/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dominator tree merged by class: a place is the classes from a root down to an object, and has
 * the objects there and their bytes. An object dominated by one of its own class adds to that one's
 * place, so that a list of a million nodes is one place; deep down the same holds for any place
 * above. A class's places and those below them have the bytes that the class retains, except for
 * what is placed higher up in this way.
 */
#ifndef HDUMP_CLASS_TREE_H
#define HDUMP_CLASS_TREE_H

#include "heap.h"

#define CLASS_TREE_FOLDS   250 /* from this depth on, a class has the place above that it has */
#define CLASS_TREE_DEPTH   500 /* deeper objects have places at this depth */
#define CLASS_TREE_SELF    0x80000000u /* in a key: an object that is this class */
#define CLASS_TREE_UNKNOWN (NO_CLASS & ~CLASS_TREE_SELF)

struct class_place {
	uint32_t parent; /* NO_KEY: a root; else a smaller index */
	uint32_t key;    /* a class's index, possibly with CLASS_TREE_SELF; CLASS_TREE_UNKNOWN */
	uint32_t depth;
	uint64_t objects, bytes;
};

struct class_tree {
	struct class_place *place;
	uint32_t count, room;
	struct keys by_place;
	uint64_t unreachable, unreachable_bytes; /* objects in no place */
};

/* Zeroed memory is an empty tree. Returns 0 or -ENOMEM. Needs heap_dominators(). */
int class_tree_make(struct class_tree *t, const struct heap *h);
void class_tree_free(struct class_tree *t);

#endif
