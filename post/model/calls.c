/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of calls: a table of nodes by (parent, symbol). */
#include "model/calls.h"

#include <string.h>

void calls_begin(struct calls *c, uint64_t file_size)
{
	const uint64_t most = UINT32_MAX / 2 - CALLS_START;

	c->most = CALLS_START + (uint32_t)(file_size < most ? file_size : most);
}

uint32_t calls_get(struct calls *c, uint32_t parent, uint32_t id, bool kernel)
{
	struct call new = {
		.parent = parent,
		.id = id,
		.kernel = kernel,
		.first = NO_KEY,
		.next = NO_KEY,
	};
	uint64_t hash = hash_mix((uint64_t)parent << 32 | id, kernel);
	uint32_t i = keys_find(&c->by_call, hash, c->call, e,
			       e->parent == new.parent && e->id == new.id &&
				       e->kernel == new.kernel);

	if (i != NO_KEY)
		return i;
	if (parent != NO_KEY) {
		if (c->ncall >= (c->most ? c->most : CALLS_START)) {
			c->refused++;
			return parent;
		}
		new.depth = c->call[parent].depth + 1;
	}
	if (keys_next(&c->by_call, hash, c->call, c->ncall, c->room))
		return NO_KEY;
	c->call[c->ncall] = new;
	return c->ncall++;
}

uint32_t calls_after(const struct calls *c, uint32_t i, bool down)
{
	if (down && c->call[i].first != NO_KEY)
		return c->call[i].first;
	while (i != NO_KEY && c->call[i].next == NO_KEY)
		i = c->call[i].parent;
	return i == NO_KEY ? i : c->call[i].next;
}

uint32_t calls_deepest(const struct calls *c)
{
	uint32_t deepest = 0;

	for (uint32_t i = 0; i < c->ncall; i++)
		deepest = c->call[i].depth > deepest ? c->call[i].depth : deepest;
	return deepest;
}

void calls_free(struct calls *c)
{
	free(c->call);
	keys_free(&c->by_call);
	*c = (struct calls){ .first = NO_KEY };
}

/* Copies a node of the old tree to the new one, below the parent's new node. */
static uint32_t move_call(struct calls *to, const struct call *from, uint32_t parent,
			  const struct names *n)
{
	const uint32_t *list;
	uint32_t k;

	if (from->parent == NO_KEY)
		return calls_get(to, NO_KEY, n->process[from->id].group, from->kernel);
	for (k = lines_shown(&n->lines, from->id, &list); k-- > 0 && parent != NO_KEY;)
		parent = calls_get(to, parent, list[k], from->kernel);
	return parent;
}

/* Rebuilds the tree with groups instead of processes, and the symbols that reports show instead of
 * addresses. */
static int make_shown(struct calls *c, const struct names *n)
{
	uint32_t *moved = malloc(((size_t)c->ncall + 1) * sizeof(*moved));
	struct calls to = { .first = NO_KEY, .most = c->most, .refused = c->refused };
	uint32_t i;

	if (!moved)
		return -ENOMEM;
	for (i = 0; i < c->ncall; i++) {
		const struct call *from = &c->call[i];

		moved[i] = move_call(&to, from,
				     from->parent == NO_KEY ? NO_KEY : moved[from->parent], n);
		if (moved[i] == NO_KEY) {
			free(moved);
			calls_free(&to);
			return -ENOMEM;
		}
		to.call[moved[i]].self += from->self;
		to.call[moved[i]].times += from->times;
	}
	free(moved);
	calls_free(c);
	*c = to;
	return 0;
}

struct sorting {
	const struct calls *calls;
	const struct names *names;
};

/* Order: by parent, then as reports show siblings. */
static int compare(const void *pa, const void *pb, void *arg)
{
	const struct sorting *s = arg;
	uint32_t ia = *(const uint32_t *)pa, ib = *(const uint32_t *)pb;
	const struct call *a = &s->calls->call[ia], *b = &s->calls->call[ib];
	int c;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	if (a->parent == NO_KEY) {
		const struct trace_process *p = &s->names->process[a->id],
					   *q = &s->names->process[b->id];

		c = strcmp(p->name, q->name);
		if (!c && p->pid != q->pid)
			c = p->pid < q->pid ? -1 : 1;
	} else {
		const struct symbol *symbol = s->names->symbols.symbol;

		c = strcmp(symbol[a->id].name, symbol[b->id].name);
	}
	return c ? c : ia < ib ? -1 : 1;
}

static int link_siblings(struct calls *c, const struct names *n)
{
	uint32_t *order = malloc(((size_t)c->ncall + 1) * sizeof(*order)), i;
	struct sorting s = { c, n };

	if (!order)
		return -ENOMEM;
	for (i = 0; i < c->ncall; i++)
		order[i] = i;
	if (c->ncall)
		qsort_r(order, c->ncall, sizeof(*order), compare, &s);
	for (i = c->ncall; i-- > 0;) {
		struct call *call = &c->call[order[i]];
		uint32_t *first = call->parent == NO_KEY ? &c->first : &c->call[call->parent].first;

		call->next = *first;
		*first = order[i];
	}
	free(order);
	return 0;
}

int calls_finish(struct calls *c, const struct names *n)
{
	bool grouped = lines_wanted(&n->lines);
	uint32_t i;

	c->first = NO_KEY;
	for (i = 0; i < n->nprocess; i++)
		grouped |= n->process[i].group != i;
	/* If places are needed, the caller maps them to symbols. */
	if (grouped && !n->lines.places && make_shown(c, n))
		return -ENOMEM;
	for (i = c->ncall; i-- > 0;) {
		struct call *call = &c->call[i];

		call->total += call->self;
		if (call->parent == NO_KEY)
			c->total += call->total;
		else
			c->call[call->parent].total += call->total;
	}
	return link_siblings(c, n);
}
