/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sorts the ids of each level by name once; each thread or symbol gets its id's rank. */
#include "model/levels.h"

#include <string.h>

struct level_named {
	const char *name;
	uint64_t tie; /* decides between equal names: pid, tid or line */
	uint32_t id;
};

uint64_t level_id(const struct names *n, enum level level, const struct row *r)
{
	switch (level) {
	case LEVEL_CGR:
		return n->process[n->thread[r->thread].process].cgroup;
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

const char *level_name(const struct names *n, enum level level, uint64_t id)
{
	switch (level) {
	case LEVEL_CGR:
		return n->cgroups.list[id].name;
	case LEVEL_PID:
		return n->process[id].name;
	case LEVEL_TID:
		return n->thread[id].name;
	case LEVEL_MOD:
		return n->module[id].name;
	case LEVEL_SYM:
		return n->symbols.symbol[id].name;
	case LEVEL_LIN:
		return n->symbols.symbol[id].file ? n->symbols.symbol[id].file : "";
	default:
		return "";
	}
}

static uint64_t tie_of(const struct names *n, enum level level, uint32_t id)
{
	return level == LEVEL_PID ? n->process[id].pid :
	       level == LEVEL_TID ? n->thread[id].tid :
	       level == LEVEL_LIN ? n->symbols.symbol[id].line :
				    0;
}

static int compare_named(const void *pa, const void *pb)
{
	const struct level_named *a = pa, *b = pb;
	int c = a->name == b->name ? 0 : strcmp(a->name, b->name);

	if (c)
		return c;
	if (a->tie != b->tie)
		return a->tie < b->tie ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Returns the ranks of `count` ids; NULL: no memory. */
static uint32_t *places(const struct names *n, enum level level, uint32_t count)
{
	struct level_named *list = malloc((count + 1ul) * sizeof(*list));
	uint32_t *place = malloc((count + 1ul) * sizeof(*place)), i;

	if (!list || !place) {
		free(list);
		free(place);
		return NULL;
	}
	for (i = 0; i < count; i++)
		list[i] = (struct level_named){ level_name(n, level, i), tie_of(n, level, i), i };
	qsort(list, count, sizeof(*list), compare_named);
	for (i = 0; i < count; i++)
		place[list[i].id] = i;
	free(list);
	return place;
}

static uint32_t ids(const struct names *n, enum level level)
{
	return level == LEVEL_CGR ? n->cgroups.count :
	       level == LEVEL_PID ? n->nprocess :
	       level == LEVEL_TID ? n->nthread :
	       level == LEVEL_MOD ? n->nmodule :
				    n->symbols.count;
}

static int rank_level(struct levels *l, const struct names *n, enum level level)
{
	bool by_thread = level <= LEVEL_TID;
	uint32_t count = by_thread ? n->nthread : n->symbols.count, i;
	uint32_t *rank = malloc((count + 1ul) * sizeof(*rank)), *place = NULL;

	l->rank[level] = rank;
	if (!rank)
		return -ENOMEM;
	/* Symbols are already sorted, once for all trees. */
	if (level != LEVEL_SYM) {
		place = places(n, level, ids(n, level));
		if (!place)
			return -ENOMEM;
	}
	for (i = 0; i < count; i++) {
		struct row r = { .thread = by_thread ? i : 0, .symbol = by_thread ? 0 : i };
		uint64_t id = level_id(n, level, &r);

		rank[i] = place ? place[id] : n->symbols.symbol[id].order;
	}
	free(place);
	return 0;
}

int levels_rank(struct levels *l, const struct names *n, const enum level *levels)
{
	int rc = 0;

	for (; !rc && *levels; levels++) {
		if (*levels != LEVEL_OFF && !l->rank[*levels])
			rc = rank_level(l, n, *levels);
	}
	if (rc)
		levels_free(l);
	return rc;
}

void levels_free(struct levels *l)
{
	for (size_t i = 0; i <= LEVELS; i++)
		free(l->rank[i]);
	*l = (struct levels){ 0 };
}
