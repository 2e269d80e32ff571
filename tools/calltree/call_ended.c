/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "call_ended.h"

#include <stdlib.h>
#include <string.h>

/* Parts of one allocation, each aligned to 16 bytes. */
struct parts {
	char *memory;
	size_t used;
};

static void *part(struct parts *p, size_t n, size_t size)
{
	void *at = p->memory ? p->memory + p->used : NULL;

	p->used += (n * size + 15) & ~(size_t)15;
	return at;
}

/* The node for calls that exceed the tree's limit comes last, as in a running thread. */
static void copy_nodes(struct call_thread *to, const struct call_thread *t)
{
	size_t value = t->metrics * sizeof(*t->raw);

	memcpy(to->nodes, t->nodes, t->used * sizeof(*t->nodes));
	memcpy(to->raw, t->raw, t->used * value);
	memcpy(to->more, t->more, t->more_used * sizeof(*t->more));
	to->beyond = to->room = t->used;
	to->nodes[to->beyond] = t->nodes[t->beyond];
	memcpy(to->raw + (size_t)to->beyond * t->metrics, t->raw + (size_t)t->beyond * t->metrics,
	       value);
	if (t->too_many && to->nodes[0].child == t->beyond)
		to->nodes[0].child = to->beyond;
}

struct call_thread *call_ended(struct call_thread *t)
{
	struct call_thread copy = *t, *to = NULL;
	struct parts p = { 0 };

	call_settle(t);
	/* The first pass computes the size, the second one the addresses. */
	for (int turn = 0; turn < 2; turn++) {
		p.used = 0;
		to = part(&p, 1, sizeof(*to));
		copy.nodes = part(&p, t->used + 1, sizeof(*t->nodes));
		copy.raw = part(&p, (size_t)(t->used + 1) * t->metrics, sizeof(*t->raw));
		copy.more = part(&p, t->more_used, sizeof(*t->more));
		if (!turn)
			p.memory = malloc(p.used);
		if (!p.memory)
			return NULL;
	}
	copy.frames = NULL;
	copy.minimum = NULL;
	copy.spread = NULL;
	copy.table = NULL;
	copy.memory = NULL;
	*to = copy;
	for (uint32_t i = 0; i < CALL_METRICS; i++)
		to->place[i] = &to->no_place;
	copy_nodes(to, t);
	return to;
}

/* Every sequence that was seen has a nonzero minimum: the much larger spreads of others are not
 * read. */
void call_learn(struct call_thread *to, const struct call_thread *t)
{
	for (size_t i = 0; i < (size_t)SEQUENCES * t->metrics; i++) {
		uint64_t least = t->minimum[i];

		if (!least)
			continue;
		if (!to->minimum[i] || least < to->minimum[i])
			to->minimum[i] = least;
		spread_merge(&to->spread[i], &t->spread[i]);
	}
}
