/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A symbol table for look-ups: symbols are added in any order, then converted into ranges that do
 * not overlap. Rules: an address belongs to the innermost symbol (latest start); of several with
 * one start to the one with the best rank, then with fewer leading underscores, the shorter, the
 * alphabetically first. A symbol without a size extends to the next symbol or its limit, and is
 * used only where there is no sized symbol. A label (rank RANK_LABEL or less) is used only where
 * there is no other symbol.
 */
#ifndef A2N_SYMTAB_H
#define A2N_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symtab_symbol {
	uint64_t value, end; /* end: first address after the symbol */
	uint32_t name;       /* offset in `names` */
	uint8_t rank;
	bool sized;
};

/* A range from `start` to the start of the next one. */
struct symtab_range {
	uint64_t start;
	uint32_t owner; /* NO_SYMBOL: none */
};

struct symtab {
	struct symtab_symbol *symbols;
	uint32_t n, room;
	char *names;
	size_t names_used, names_room;

	struct symtab_range *ranges; /* after symtab_finish */
	uint32_t n_ranges;
	uint32_t *index; /* the first range of each bucket of addresses */
	uint32_t n_index, shift;
	bool failed; /* out of memory */
};

#define NO_SYMBOL UINT32_MAX

/* The higher rank wins: first by binding, then functions before others. */
#define RANK(binding, function) ((uint8_t)((binding)*2 + (function)))
enum { RANK_LOCAL = 1, RANK_WEAK, RANK_GLOBAL };
#define RANK_LABEL 1
#define RANK_FRAME 0 /* like a label, if there is no other at its start */

/* size 0: unsized. limit: the end of its section, the maximum of its end. */
void symtab_add(struct symtab *t, uint64_t value, uint64_t size, uint64_t limit, uint8_t rank,
		const char *name, size_t length);
int symtab_finish(struct symtab *t);
/* Finds the symbol of an address, or NO_SYMBOL. */
uint32_t symtab_find(const struct symtab *t, uint64_t address);
void symtab_free(struct symtab *t);

static inline const char *symtab_name(const struct symtab *t, uint32_t i)
{
	return t->names + t->symbols[i].name;
}

#endif
