/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The levels by which rows can be grouped, and the order of names at each. Names are compared once
 * for each id, not for each row: a row's rank at a level is the rank of its id by name.
 */
#ifndef POST_LEVELS_H
#define POST_LEVELS_H

#include "model/counts.h"

enum level { LEVEL_END = 0, LEVEL_PID, LEVEL_TID, LEVEL_MOD, LEVEL_SYM, LEVEL_LIN, LEVEL_OFF };
#define LEVELS 6

/* Ranks by a row's thread (PID, TID) or its symbol (MOD, SYM, LIN); NULL: the level is not used. */
struct levels {
	uint32_t *rank[LEVELS + 1];
};

/* Computes ranks for the levels up to LEVEL_END, of those that have none yet; the names are all
 * there by then. 0 or -ENOMEM: it has none. */
int levels_rank(struct levels *l, const struct names *n, const enum level *levels);
void levels_free(struct levels *l);

/* A process, thread, module or symbol (LIN: with its line); the offset. */
uint64_t level_id(const struct names *n, enum level level, const struct row *r);
const char *level_name(const struct names *n, enum level level, uint64_t id);

static inline uint64_t level_rank(const struct levels *l, enum level level, const struct row *r)
{
	return level == LEVEL_OFF ? r->offset :
				    l->rank[level][level <= LEVEL_TID ? r->thread : r->symbol];
}

#endif
