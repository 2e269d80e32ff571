/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The distinct symbols of samples, as small numbers: as named by liba2n, and as divided into lines
 * (source_lines.h). Symbols are never removed.
 */
#ifndef POST_SYMBOLS_H
#define POST_SYMBOLS_H

#include <a2n.h>

struct symbol {
	const char *name;
	uint64_t value;
	uint32_t module;
	enum a2n_result result;
	const struct a2n_symbol *a2n; /* NULL: the name is not liba2n's */
	/* For lines and inlined functions (source_lines.h): */
	uint32_t base;                /* the symbol without a line; itself */
	bool inlined;                 /* inlined into another function */
	bool is_spot;                 /* an address of the base symbol, replaced at the end */
	bool lineless;                /* a spot without a line */
	bool asked, wanted;           /* asked: `wanted` is known; the symbol filter matches */
	uint32_t line;                /* 0: unknown */
	uint32_t order;               /* at the end: rank by name and address */
	const char *file;             /* NULL: unknown or not needed */
	uint64_t at;                  /* of a spot: its address in the module */
	uint32_t first_frame, frames; /* of a spot: the symbols shown for it */
};

struct symbols {
	struct symbol *symbol;
	uint32_t count, room;
};

/* Adds a symbol. Sets base to the symbol itself unless it is a spot or line of another. Returns
 * NO_KEY without memory or module. */
uint32_t symbols_add(struct symbols *all, const struct symbol *s);
/* Call after the last symbol: sets `order`. Returns 0 or -ENOMEM. */
int symbols_order(struct symbols *all);
void symbols_free(struct symbols *all);

#endif
