/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grouping: a level sorts its parent's range of rows by rank, so that each group is a range again
 * and groups are in order of name; then only siblings have to be sorted by ticks. Ranks are small
 * numbers and rows may be millions, so they are radix-sorted.
 */
#include "model/tree.h"

#include <string.h>

struct tree_group { /* a stretch of sorted rows with the same rank at one level */
	uint64_t ticks, unsure;
	uint32_t from, to;
};

struct sorted {
	uint64_t rank; /* at the level that was sorted last */
	uint32_t row;
};

struct build {
	const struct model *m;
	const enum level *levels;
	struct levels ranks;
	struct sorted *order, *spare;
	struct tree_group *group; /* a stack: siblings lie side by side */
	uint32_t ngroup, room;
	struct tree *tree;
};

static void sort_few(struct sorted *s, uint32_t n)
{
	uint32_t i, k;

	for (i = 1; i < n; i++) {
		struct sorted one = s[i];

		for (k = i; k && s[k - 1].rank > one.rank; k--)
			s[k] = s[k - 1];
		s[k] = one;
	}
}

/* Radix sort by the bytes in which ranks differ, lowest first; stable, so that equal input gives
 * equal trees. */
static void sort_by_rank(struct sorted *s, struct sorted *spare, uint32_t n)
{
	uint64_t differ = 0;
	uint32_t i, shift, at, count[256];

	if (n <= 32) {
		sort_few(s, n);
		return;
	}
	for (i = 1; i < n; i++)
		differ |= s[i].rank ^ s[0].rank;
	for (shift = 0; shift < 64; shift += 8) {
		if (!(differ >> shift & 0xFF))
			continue;
		memset(count, 0, sizeof(count));
		for (i = 0; i < n; i++)
			count[s[i].rank >> shift & 0xFF]++;
		for (i = 0, at = 0; i < 256; i++) {
			uint32_t c = count[i];

			count[i] = at;
			at += c;
		}
		for (i = 0; i < n; i++)
			spare[count[s[i].rank >> shift & 0xFF]++] = s[i];
		memcpy(s, spare, n * sizeof(*s));
	}
}

/* Most ticks first; groups with equal ticks keep their order by name. */
static int compare_groups(const void *pa, const void *pb)
{
	const struct tree_group *a = pa, *b = pb;

	if (a->ticks != b->ticks)
		return a->ticks > b->ticks ? -1 : 1;
	return a->from < b->from ? -1 : 1;
}

static int push_groups(struct build *b, enum level level, uint32_t from, uint32_t to)
{
	const struct row *row = b->m->counts.row;
	struct tree_group *g = NULL;
	uint32_t i;

	for (i = from; i < to; i++)
		b->order[i].rank = level_rank(&b->ranks, level, &row[b->order[i].row]);
	sort_by_rank(b->order + from, b->spare, to - from);
	for (i = from; i < to; i++) {
		const struct row *r = &row[b->order[i].row];

		if (!g || b->order[i].rank != b->order[i - 1].rank) {
			if (array_next(b->group, b->ngroup, b->room))
				return -ENOMEM;
			g = &b->group[b->ngroup++];
			*g = (struct tree_group){ .from = i };
		}
		g->ticks += r->ticks;
		g->unsure += r->unsure;
		g->to = i + 1;
	}
	return 0;
}

static int build_level(struct build *b, uint32_t depth, uint32_t from, uint32_t to)
{
	enum level level = b->levels[depth];
	struct tree *t = b->tree;
	uint32_t base = b->ngroup, i, at;
	int rc = push_groups(b, level, from, to);

	if (rc)
		return rc;
	/* The stack may be empty and unallocated: nothing to sort then. */
	if (b->ngroup > base)
		qsort(b->group + base, b->ngroup - base, sizeof(*b->group), compare_groups);
	for (i = base; i < b->ngroup; i++) {
		struct tree_group g = b->group[i]; /* the stack moves when it grows */
		uint32_t end = b->ngroup, row;

		if (array_next(t->node, t->count, t->room))
			return -ENOMEM;
		row = b->order[g.from].row;
		at = t->count++;
		t->node[at] = (struct tree_node){
			.level = level,
			.depth = depth,
			.id = level_id(&b->m->names, level, &b->m->counts.row[row]),
			.ticks = g.ticks,
			.unsure = g.unsure,
			.row = row,
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
	if (!b.order || !b.spare || levels_rank(&b.ranks, &m->names, levels))
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
	levels_free(&b.ranks);
	if (rc)
		tree_free(t);
	return rc;
}

void tree_free(struct tree *t)
{
	free(t->node);
	*t = (struct tree){ 0 };
}

const char *node_name(const struct model *m, const struct tree_node *n)
{
	return level_name(&m->names, n->level, n->id);
}
