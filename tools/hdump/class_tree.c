/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the dominator tree by class, in one walk: dominators have smaller numbers. */
#include "class_tree.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t key_of(const struct heap *h, uint32_t object)
{
	const uint32_t class = heap_class_of(h, object);
	uint32_t self;

	if (class == NO_CLASS)
		return CLASS_TREE_UNKNOWN;
	if (class != h->classes.of_class)
		return class;
	self = classes_find(&h->classes, ids_of(&h->ids, object));
	return self == NO_CLASS ? class : self | CLASS_TREE_SELF;
}

/* Returns the place of a list or a deep structure that goes on in this class; NO_KEY: none. */
static uint32_t folded_place(const struct class_tree *t, uint32_t parent, uint32_t key)
{
	if (parent == NO_KEY || t->place[parent].key == key)
		return parent;
	if (t->place[parent].depth < CLASS_TREE_FOLDS)
		return NO_KEY;
	do
		parent = t->place[parent].parent;
	while (parent != NO_KEY && t->place[parent].key != key);
	return parent;
}

/* Returns the place below `parent`; NO_KEY: no memory. */
static uint32_t place_below(struct class_tree *t, uint32_t parent, uint32_t key)
{
	const uint32_t folded = folded_place(t, parent, key);
	uint64_t hash;
	uint32_t i;

	if (folded != NO_KEY)
		return folded;
	if (parent != NO_KEY && t->place[parent].depth == CLASS_TREE_DEPTH)
		parent = t->place[parent].parent;
	hash = hash_mix(parent, key);
	i = keys_find(&t->by_place, hash, t->place, e, e->parent == parent && e->key == key);
	if (i != NO_KEY)
		return i;
	if (keys_next(&t->by_place, hash, t->place, t->count, t->room))
		return NO_KEY;
	t->place[t->count] = (struct class_place){
		.parent = parent,
		.key = key,
		.depth = parent == NO_KEY ? 0 : t->place[parent].depth + 1,
	};
	return t->count++;
}

static void add(struct class_tree *t, uint32_t place, uint64_t bytes)
{
	if (place == NO_KEY) {
		t->unreachable++;
		t->unreachable_bytes += bytes;
	} else {
		t->place[place].objects++;
		t->place[place].bytes += bytes;
	}
}

/* Replaces the keys of numbers by their places. */
static int add_inner(struct class_tree *t, const struct heap *h, uint32_t *of)
{
	for (uint32_t n = 1; n <= h->dom.count; n++) {
		const struct shape *shape = shapes_of(&h->shapes, n);
		const uint32_t idom = h->dom.idom[n];

		of[n] = place_below(t, idom ? of[idom] : NO_KEY, of[n]);
		if (of[n] == NO_KEY)
			return -ENOMEM;
		if (shapes_number(&h->shapes, n))
			add(t, of[n], (uint64_t)shape->units * UNIT);
	}
	return 0;
}

static int add_leaves(struct class_tree *t, const struct heap *h, const uint32_t *of)
{
	for (uint32_t i = h->ids.inner; i < h->ids.objects; i++) {
		const uint32_t idom = h->leaf_idom[i - h->ids.inner];
		uint32_t place = NO_KEY;

		if (!heap_is_dumped(h, i))
			continue;
		if (idom != NO_OBJECT) {
			place = place_below(t, idom ? of[idom] : NO_KEY, key_of(h, i));
			if (place == NO_KEY)
				return -ENOMEM;
		}
		add(t, place, heap_bytes_of(h, i));
	}
	return 0;
}

int class_tree_make(struct class_tree *t, const struct heap *h)
{
	uint32_t *of = calloc((size_t)h->dom.count + 1, sizeof(*of));
	int rc = of ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < h->ids.inner && !rc; i++) {
		if (h->dom.number[i] <= h->dom.count)
			of[h->dom.number[i]] = key_of(h, i);
		else if (heap_is_dumped(h, i))
			add(t, NO_KEY, heap_bytes_of(h, i));
	}
	if (!rc)
		rc = add_inner(t, h, of);
	if (!rc)
		rc = add_leaves(t, h, of);
	free(of);
	return rc;
}

void class_tree_free(struct class_tree *t)
{
	free(t->place);
	keys_free(&t->by_place);
	*t = (struct class_tree){ 0 };
}
