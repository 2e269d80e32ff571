/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Full nodes are split on the way down, so that each step leaves a valid tree. Empty nodes are
 * removed; others are not merged: their memory fits their content, and a node is split only after
 * as many insertions as half its capacity.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "a2n/space/space_tree.h"
#include "base/search.h"

#define MOST  16
#define LEAST 4 /* initial capacity in pieces */

struct space_node {
	uint32_t refs;
	uint8_t n, room;
	uint8_t height; /* 0: a leaf */
};

/* The start of a child is that of its first piece. */
struct child {
	uint64_t start;
	struct space_node *node;
};

struct leaf {
	struct space_node node;
	struct space_piece pieces[];
};

struct inner {
	struct space_node node;
	struct child children[];
};

static struct space_piece *pieces_of(const struct space_node *node)
{
	return ((struct leaf *)node)->pieces;
}

static struct child *children_of(const struct space_node *node)
{
	return ((struct inner *)node)->children;
}

static size_t size_of(const struct space_node *node, unsigned int room)
{
	return node->height ? sizeof(struct inner) + room * sizeof(struct child) :
			      sizeof(struct leaf) + room * sizeof(struct space_piece);
}

static uint64_t start_of(const struct space_node *node)
{
	return node->height ? children_of(node)[0].start : pieces_of(node)[0].start;
}

static uint64_t start_at(const struct space_node *node, unsigned int i)
{
	return node->height ? children_of(node)[i].start : pieces_of(node)[i].start;
}

/* Counts a node's elements that start at or below the address. */
static unsigned int below(const struct space_node *node, uint64_t address)
{
	if (node->height) {
		const struct child *c = children_of(node);

		return search_sorted(i, 0, (unsigned int)node->n, c[i].start <= address);
	}
	return search_sorted(i, 0, (unsigned int)node->n, pieces_of(node)[i].start <= address);
}

struct space_node *space_tree_get(struct space_node *tree)
{
	if (tree)
		tree->refs++;
	return tree;
}

void space_tree_put_back(struct space_node *tree)
{
	if (!tree || --tree->refs)
		return;
	for (unsigned int i = 0; tree->height && i < tree->n; i++)
		space_tree_put_back(children_of(tree)[i].node);
	free(tree);
}

const struct space_piece *space_tree_find(const struct space_node *tree, uint64_t address,
					  uint64_t *last)
{
	*last = UINT64_MAX;
	while (tree) {
		const unsigned int i = below(tree, address);

		if (i < tree->n)
			*last = start_at(tree, i) - 1;
		if (!i)
			return NULL;
		if (!tree->height)
			return &pieces_of(tree)[i - 1];
		tree = children_of(tree)[i - 1].node;
	}
	return NULL;
}

/* A piece is visited as soon as the start of the next one is known. */
struct walk {
	const struct space_piece *piece;
	uint64_t start, last;
	space_visit visit;
	void *arg;
};

static int walk(struct walk *w, const struct space_node *node)
{
	unsigned int i = below(node, w->start);
	int r = 0;

	if (node->height) {
		for (i -= i > 0; i < node->n && !r && start_at(node, i) <= w->last; i++)
			r = walk(w, children_of(node)[i].node);
		return r;
	}
	for (; i < node->n && !r && start_at(node, i) <= w->last; i++) {
		const struct space_piece *p = &pieces_of(node)[i];

		r = w->visit(w->arg, w->piece, w->start, p->start - 1);
		w->piece = p;
		w->start = p->start;
	}
	return r;
}

int space_tree_walk(const struct space_node *tree, uint64_t first, uint64_t last, space_visit visit,
		    void *arg)
{
	uint64_t end;
	struct walk w = { space_tree_find(tree, first, &end), first, last, visit, arg };
	int r = tree ? walk(&w, tree) : 0;

	return r ? r : visit(arg, w.piece, w.start, last);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Returns the node of this slot, unshared, with room for `more` elements. NULL: no memory. */
static struct space_node *writable(struct space_node **slot, unsigned int more)
{
	struct space_node *node = *slot, *new;
	unsigned int room = node->n + more;

	if (node->refs == 1 && room <= node->room)
		return node;
	if (more)
		room = room <= LEAST ? LEAST : room * 2 < MOST ? room * 2 : MOST;
	if (node->refs == 1) {
		new = realloc(node, size_of(node, room));
		if (!new)
			return NULL;
	} else {
		new = malloc(size_of(node, room));
		if (!new)
			return NULL;
		memcpy(new, node, size_of(node, node->n));
		for (unsigned int i = 0; new->height &&i < new->n; i++)
			children_of(new)[i].node->refs++;
		node->refs--;
		new->refs = 1;
	}
	new->room = (uint8_t)room;
	*slot = new;
	return new;
}

static struct space_node *new_node(unsigned int height, unsigned int room)
{
	const struct space_node like = { .refs = 1,
					 .height = (uint8_t)height,
					 .room = (uint8_t)room };
	struct space_node *node = malloc(size_of(&like, room));

	if (node)
		*node = like;
	return node;
}

/* Splits the full child i in two; its parent is writable and has room. Insertions at ascending
 * addresses leave full nodes behind. */
static int split(struct space_node *parent, unsigned int i, bool at_end)
{
	struct child *c = children_of(parent);
	struct space_node *left = writable(&c[i].node, 0), *right;
	unsigned int keep = at_end ? MOST - 1 : MOST / 2;

	if (!left)
		return -ENOMEM;
	right = new_node(left->height, MOST);
	if (!right)
		return -ENOMEM;
	right->n = (uint8_t)(MOST - keep);
	if (left->height)
		memcpy(children_of(right), children_of(left) + keep,
		       right->n * sizeof(struct child));
	else
		memcpy(pieces_of(right), pieces_of(left) + keep,
		       right->n * sizeof(struct space_piece));
	left->n = (uint8_t)keep;
	memmove(c + i + 2, c + i + 1, (parent->n - i - 1) * sizeof(*c));
	c[i + 1] = (struct child){ start_of(right), right };
	parent->n++;
	return 0;
}

static int put_leaf(struct space_node **slot, const struct space_piece *piece)
{
	unsigned int i = below(*slot, piece->start);
	const bool replace = i && pieces_of(*slot)[i - 1].start == piece->start;
	struct space_node *node = writable(slot, replace ? 0 : 1);
	struct space_piece *p;

	if (!node)
		return -ENOMEM;
	p = pieces_of(node);
	if (replace) {
		p[i - 1] = *piece;
		return 0;
	}
	memmove(p + i + 1, p + i, (node->n - i) * sizeof(*p));
	p[i] = *piece;
	node->n++;
	return 0;
}

/* Adds a new root above a full one. */
static int grow(struct space_node **tree)
{
	struct space_node *root;

	root = new_node((*tree)->height + 1u, MOST);
	if (!root)
		return -ENOMEM;
	root->n = 1;
	children_of(root)[0] = (struct child){ start_of(*tree), *tree };
	*tree = root;
	return 0;
}

int space_tree_put(struct space_node **tree, const struct space_piece *piece)
{
	struct space_node **slot = tree;

	if (!*tree) {
		*tree = new_node(0, LEAST);
		if (!*tree)
			return -ENOMEM;
	}
	if ((*tree)->n == MOST && grow(tree))
		return -ENOMEM;
	while ((*slot)->height) {
		/* A child that is split needs room beside it, so its parent must not be full. */
		struct space_node *node = writable(slot, 1);
		unsigned int i;
		struct child *c;

		if (!node)
			return -ENOMEM;
		c = children_of(node);
		i = below(node, piece->start);
		i -= i > 0;
		if (c[i].node->n == MOST) {
			const bool last = i + 1u == node->n;

			if (split(node, i, last && start_at(c[i].node, MOST - 1) < piece->start))
				return -ENOMEM;
			i += c[i + 1].start <= piece->start;
		}
		if (piece->start < c[i].start)
			c[i].start = piece->start;
		slot = &c[i].node;
	}
	return put_leaf(slot, piece);
}

static int drop(struct space_node **slot, uint64_t first, uint64_t last)
{
	unsigned int from = below(*slot, first), to = below(*slot, last), kept;
	struct space_node *node;
	struct child *c;

	if (!(*slot)->height) {
		/* Also removes the piece that starts at `first`. */
		from -= from && pieces_of(*slot)[from - 1].start == first;
		if (from == to)
			return 0;
		node = writable(slot, 0);
		if (!node)
			return -ENOMEM;
		memmove(pieces_of(node) + from, pieces_of(node) + to,
			(node->n - to) * sizeof(struct space_piece));
		node->n = (uint8_t)(node->n - (to - from));
		return 0;
	}
	from -= from > 0;
	if (from == to)
		return 0;
	node = writable(slot, 0);
	if (!node)
		return -ENOMEM;
	c = children_of(node);
	kept = from;
	for (unsigned int i = from; i < node->n; i++) {
		const bool whole = i + 1 < to && c[i].start >= first;

		if (i < to && !whole && drop(&c[i].node, first, last)) {
			memmove(c + kept, c + i, (node->n - i) * sizeof(*c));
			node->n = (uint8_t)(node->n - (i - kept));
			return -ENOMEM;
		}
		if (whole || !c[i].node->n) {
			space_tree_put_back(c[i].node);
			continue;
		}
		c[kept++] = (struct child){ start_of(c[i].node), c[i].node };
	}
	node->n = (uint8_t)kept;
	return 0;
}

int space_tree_drop(struct space_node **tree, uint64_t first, uint64_t last)
{
	int rc = *tree ? drop(tree, first, last) : 0;

	while (*tree && (*tree)->refs == 1 &&
	       (!(*tree)->n || ((*tree)->height && (*tree)->n == 1))) {
		struct space_node *root = *tree;

		*tree = root->n ? children_of(root)[0].node : NULL;
		free(root);
	}
	return rc;
}
