/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grouping: a level sorts its parent's range of rows by rank, so that each group is a range again
 * and groups are ordered by name; then only siblings have to be sorted by ticks. Ranks are small
 * numbers and rows may be millions, so they are radix-sorted.
 */
#include "model/tree.h"

#include <string.h>

struct tree_group { /* a range of sorted rows with the same rank at one level */
	uint64_t ticks, unsure;
	uint32_t from, to;
};

struct sorted {
	uint64_t rank; /* at the level sorted last */
	uint32_t row;
};

struct build {
	const struct model *m;
	const enum level *levels;
	const struct levels *ranks;
	struct sorted *order, *spare;
	struct tree_group *group; /* a stack in which siblings are adjacent */
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

/* Radix sort by the bytes in which ranks differ, lowest first; stable, so that equal input yields
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

/* Sorts by ticks, most first; groups with equal ticks keep their order by name. */
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
		b->order[i].rank = level_rank(b->ranks, level, &row[b->order[i].row]);
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
	/* The stack may be empty and unallocated. */
	if (b->ngroup > base)
		qsort(b->group + base, b->ngroup - base, sizeof(*b->group), compare_groups);
	for (i = base; i < b->ngroup; i++) {
		struct tree_group g = b->group[i]; /* a copy: the stack moves when it grows */
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

/* A counting sort: the rows of a CPU keep their order. */
static int sort_by_cpu(struct tree_ground *g, const struct counts *c)
{
	uint32_t cpus = 0, i;

	for (i = 0; i < c->nrow; i++)
		if (c->row[i].cpu >= cpus)
			cpus = c->row[i].cpu + 1;
	g->by_cpu = malloc(((size_t)c->nrow + 1) * sizeof(*g->by_cpu));
	g->start = calloc((size_t)cpus + 2, sizeof(*g->start));
	if (!g->by_cpu || !g->start)
		return -ENOMEM;
	for (i = 0; i < c->nrow; i++)
		g->start[c->row[i].cpu + 2]++;
	for (i = 2; i < cpus + 2; i++)
		g->start[i] += g->start[i - 1];
	for (i = 0; i < c->nrow; i++)
		g->by_cpu[g->start[c->row[i].cpu + 1]++] = i;
	g->cpus = cpus;
	return 0;
}

/* Returns a CPU's rows in their common order; NULL: all rows. */
static const uint32_t *rows_of(const struct tree_ground *g, const struct counts *c, uint32_t cpu,
			       uint32_t *n)
{
	static const uint32_t none;

	if (cpu == ANY_CPU) {
		*n = c->nrow;
		return NULL;
	}
	*n = cpu < g->cpus ? g->start[cpu + 1] - g->start[cpu] : 0;
	return *n ? g->by_cpu + g->start[cpu] : &none;
}

static int build_of(struct build *b, const struct tree_ground *g, uint32_t cpu)
{
	uint32_t n, i;
	const uint32_t *rows = rows_of(g, &b->m->counts, cpu, &n);

	b->ranks = &g->ranks;
	b->order = malloc(((size_t)n + 1) * sizeof(*b->order));
	b->spare = malloc(((size_t)n + 1) * sizeof(*b->spare));
	if (!b->order || !b->spare)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		b->order[i].row = rows ? rows[i] : i;
	return build_level(b, 0, 0, n);
}

int tree_build(struct tree *t, const struct model *m, const enum level *levels, uint32_t cpu)
{
	struct build b = { .m = m, .levels = levels, .tree = t };
	struct tree_ground own = { 0 }, *g = m->ground ? m->ground : &own;
	int rc = levels_rank(&g->ranks, &m->names, levels);

	*t = (struct tree){ 0 };
	if (!rc && cpu != ANY_CPU && !g->start)
		rc = sort_by_cpu(g, &m->counts);
	if (!rc)
		rc = build_of(&b, g, cpu);
	free(b.order);
	free(b.spare);
	free(b.group);
	tree_ground_free(&own);
	if (rc)
		tree_free(t);
	return rc;
}

void tree_ground_free(struct tree_ground *g)
{
	levels_free(&g->ranks);
	free(g->by_cpu);
	free(g->start);
	*g = (struct tree_ground){ 0 };
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
