/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The levels by which rows can be grouped, and the order of names at each. Names are compared once
 * per id rather than per row: a row's rank at a level is the rank of its id by name.
 */
#ifndef POST_LEVELS_H
#define POST_LEVELS_H

#include "model/counts.h"

enum level {
	LEVEL_END = 0,
	LEVEL_CGR,
	LEVEL_PID,
	LEVEL_TID,
	LEVEL_MOD,
	LEVEL_SYM,
	LEVEL_LIN,
	LEVEL_OFF,
};
#define LEVELS 7

/* Ranks by the row's thread (CGR, PID, TID) or symbol (MOD, SYM, LIN); NULL: unused level. */
struct levels {
	uint32_t *rank[LEVELS + 1];
};

/* Computes the missing ranks for the levels up to LEVEL_END. Call once all names are known. Returns
 * 0 or -ENOMEM, with all ranks freed. */
int levels_rank(struct levels *l, const struct names *n, const enum level *levels);
void levels_free(struct levels *l);

/* Return the id or name of a cgroup, process, thread, module, symbol (LIN: its line) or offset. */
uint64_t level_id(const struct names *n, enum level level, const struct row *r);
const char *level_name(const struct names *n, enum level level, uint64_t id);

static inline uint64_t level_rank(const struct levels *l, enum level level, const struct row *r)
{
	return level == LEVEL_OFF ? r->offset :
				    l->rank[level][level <= LEVEL_TID ? r->thread : r->symbol];
}

#endif
