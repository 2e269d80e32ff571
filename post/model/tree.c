/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grouping: a level sorts its parent's stretch of rows by their ids, so that each group is a
 * stretch again; then only siblings have to be put in the order of ticks. Ids are small numbers,
 * and the rows may be millions: they are sorted by digits.
 */
#include "model/tree.h"

#include <string.h>

struct group {			/* a stretch of sorted rows with the same id at one level */
	uint64_t id;
	uint64_t ticks, unsure;
	uint32_t from, to;
	const char *name;
	uint64_t tie;		/* decides between equal names: pid, tid, order, offset */
};

struct sorted {
	uint64_t id;		/* at the level that was sorted last */
	uint32_t row;
};

struct build {
	const struct model *m;
	const enum level *levels;
	struct sorted *order, *spare;
	struct group *group;	/* a stack: siblings lie side by side */
	uint32_t ngroup, room;
	struct tree *tree;
};

static uint64_t id_at(const struct model *m, const struct row *r, enum level level)
{
	const struct names *n = &m->names;

	switch (level) {
	case LEVEL_PID:
		return n->process[n->thread[r->thread].process].group;
	case LEVEL_TID:
		return n->thread[r->thread].group;
	case LEVEL_MOD:
		return n->symbols.symbol[r->symbol].module;
	case LEVEL_SYM:
		return n->symbols.symbol[r->symbol].base;
	case LEVEL_LIN:
		return r->symbol;
	case LEVEL_OFF:
		return r->offset;
	case LEVEL_END:
		break;
	}
	return 0;
}

static void sort_few(struct sorted *s, uint32_t n)
{
	uint32_t i, k;

	for (i = 1; i < n; i++) {
		struct sorted one = s[i];

		for (k = i; k && s[k - 1].id > one.id; k--)
			s[k] = s[k - 1];
		s[k] = one;
	}
}

/* By the bytes in which ids differ, least first; stable, so that equal trees come out equal. */
static void sort_by_id(struct sorted *s, struct sorted *spare, uint32_t n)
{
	uint64_t differ = 0;
	uint32_t i, shift, at, count[256];

	if (n <= 32) {
		sort_few(s, n);
		return;
	}
	for (i = 1; i < n; i++)
		differ |= s[i].id ^ s[0].id;
	for (shift = 0; shift < 64; shift += 8) {
		if (!(differ >> shift & 0xFF))
			continue;
		memset(count, 0, sizeof(count));
		for (i = 0; i < n; i++)
			count[s[i].id >> shift & 0xFF]++;
		for (i = 0, at = 0; i < 256; i++) {
			uint32_t c = count[i];

			count[i] = at;
			at += c;
		}
		for (i = 0; i < n; i++)
			spare[count[s[i].id >> shift & 0xFF]++] = s[i];
		memcpy(s, spare, n * sizeof(*s));
	}
}

static void name_group(const struct model *m, struct group *g, enum level level)
{
	const struct names *n = &m->names;

	g->name = "";
	g->tie = g->id;
	switch (level) {
	case LEVEL_PID:
		g->name = n->process[g->id].name;
		g->tie = n->process[g->id].pid;
		break;
	case LEVEL_TID:
		g->name = n->thread[g->id].name;
		g->tie = n->thread[g->id].tid;
		break;
	case LEVEL_MOD:
		g->name = n->module[g->id].name;
		break;
	case LEVEL_SYM:
		/* Many: each name was compared once, for all trees. */
		g->tie = n->symbols.symbol[g->id].order;
		break;
	case LEVEL_LIN:
		g->name = n->symbols.symbol[g->id].file ? n->symbols.symbol[g->id].file : "";
		g->tie = n->symbols.symbol[g->id].line;
		break;
	default:
		break;
	}
}

static int compare_groups(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;
	int c;

	if (a->ticks != b->ticks)
		return a->ticks > b->ticks ? -1 : 1;
	c = strcmp(a->name, b->name);
	if (c)
		return c;
	if (a->tie != b->tie)
		return a->tie < b->tie ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static int push_groups(struct build *b, uint32_t depth, uint32_t from, uint32_t to)
{
	enum level level = b->levels[depth];
	uint32_t i;

	for (i = from; i < to; i++)
		b->order[i].id = id_at(b->m, &b->m->counts.row[b->order[i].row], level);
	sort_by_id(b->order + from, b->spare, to - from);
	for (i = from; i < to; i++) {
		const struct row *r = &b->m->counts.row[b->order[i].row];
		uint64_t id = b->order[i].id;
		struct group *g = b->ngroup ? &b->group[b->ngroup - 1] : NULL;

		if (i == from || g->id != id) {
			if (keys_grow_array((void **)&b->group, &b->room, b->ngroup, sizeof(*g)))
				return -ENOMEM;
			g = &b->group[b->ngroup++];
			*g = (struct group){ .id = id, .from = i };
			name_group(b->m, g, level);
		}
		g->ticks += r->ticks;
		g->unsure += r->unsure;
		g->to = i + 1;
	}
	return 0;
}

static int build_level(struct build *b, uint32_t depth, uint32_t from, uint32_t to)
{
	struct tree *t = b->tree;
	uint32_t base = b->ngroup, i, at;
	int rc = push_groups(b, depth, from, to);

	if (rc)
		return rc;
	/* The stack may be empty and not there at all: nothing to sort then. */
	if (b->ngroup > base)
		qsort(b->group + base, b->ngroup - base, sizeof(*b->group), compare_groups);
	for (i = base; i < b->ngroup; i++) {
		struct group g = b->group[i];		/* the stack moves when it grows */
		uint32_t end = b->ngroup;

		if (keys_grow_array((void **)&t->node, &t->room, t->count, sizeof(*t->node)))
			return -ENOMEM;
		at = t->count++;
		t->node[at] = (struct node){
			.level = b->levels[depth], .depth = depth, .id = g.id, .ticks = g.ticks,
			.unsure = g.unsure, .row = b->order[g.from].row,
		};
		if (depth == 0)
			t->ticks += g.ticks;
		if (b->levels[depth + 1]) {
			rc = build_level(b, depth + 1, g.from, g.to);
			if (rc)
				return rc;
			b->ngroup = end;
		} else {
			t->leaf_ticks += g.ticks;
		}
		t->node[at].next = t->count;
	}
	return 0;
}

int tree_build(struct tree *t, const struct model *m, const enum level *levels, uint32_t cpu)
{
	struct build b = { .m = m, .levels = levels, .tree = t };
	uint32_t i, n = 0;
	int rc = -ENOMEM;

	*t = (struct tree){ 0 };
	b.order = malloc(((size_t)m->counts.nrow + 1) * sizeof(*b.order));
	b.spare = malloc(((size_t)m->counts.nrow + 1) * sizeof(*b.spare));
	if (!b.order || !b.spare)
		goto out;
	for (i = 0; i < m->counts.nrow; i++) {
		if (cpu == ANY_CPU || m->counts.row[i].cpu == cpu)
			b.order[n++].row = i;
	}
	rc = build_level(&b, 0, 0, n);
out:
	free(b.order);
	free(b.spare);
	free(b.group);
	if (rc)
		tree_free(t);
	return rc;
}

void tree_free(struct tree *t)
{
	free(t->node);
	*t = (struct tree){ 0 };
}

const char *node_name(const struct model *m, const struct node *n)
{
	struct group g = { .id = n->id };

	if (n->level == LEVEL_SYM)
		return m->names.symbols.symbol[n->id].name;
	name_group(m, &g, n->level);
	return g.name;
}
