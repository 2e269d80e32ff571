/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A symbol table ready for look-ups: symbols are added in any order, then finished into ranges that
 * don't overlap. Rules: the innermost symbol (latest start) that covers an address has it; of
 * several with one start the best rank, then the one with fewer leading underscores, the shorter,
 * the alphabetically first. A symbol without a size reaches to the next symbol or its limit, and
 * counts only where no sized symbol lies. A label (rank RANK_LABEL) names what nothing else does.
 */
#ifndef A2N_SYMTAB_H
#define A2N_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t value, end;		/* end: the first address behind it */
	uint32_t name;			/* in names */
	uint8_t rank;
	bool sized;
};

/* From `start` to the next one's start. */
struct symtab_range {
	uint64_t start;
	uint32_t owner;			/* NO_SYMBOL: nobody */
};

struct symtab {
	struct symbol *symbols;
	uint32_t n, room;
	char *names;
	size_t names_used, names_room;

	struct symtab_range *ranges;	/* after symtab_finish */
	uint32_t n_ranges;
	uint32_t *index;		/* the first range of each bucket of addresses */
	uint32_t n_index, shift;
	bool failed;			/* no memory */
};

#define NO_SYMBOL UINT32_MAX

/* Higher ranks win: binding first, functions before others. */
#define RANK(binding, function)	((uint8_t)((binding) * 2 + (function)))
enum { RANK_LOCAL = 1, RANK_WEAK, RANK_GLOBAL };
#define RANK_LABEL 0

/* size 0: unsized. limit: the end of its section, where it ends at the latest. */
void symtab_add(struct symtab *t, uint64_t value, uint64_t size, uint64_t limit, uint8_t rank,
		const char *name, size_t length);
int symtab_finish(struct symtab *t);
/* The symbol that has this address, or NO_SYMBOL. */
uint32_t symtab_find(const struct symtab *t, uint64_t address);
void symtab_free(struct symtab *t);

static inline const char *symtab_name(const struct symtab *t, uint32_t i)
{
	return t->names + t->symbols[i].name;
}

#endif
