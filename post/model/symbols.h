/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols that samples fell on, each once, as small numbers: as liba2n names them, and as lines
 * (source_lines.h) divide them. Symbols are never removed.
 */
#ifndef POST_SYMBOLS_H
#define POST_SYMBOLS_H

#include <a2n.h>

struct symbol {
	const char *name;
	uint64_t value;
	uint32_t module;
	enum a2n_result result;
	const struct a2n_symbol *a2n; /* NULL: a name of our own */
	/* If lines or inlined functions are wanted (source_lines.h): */
	uint32_t base;                /* the symbol without a line; itself */
	bool inlined;                 /* a function within others */
	bool is_spot;                 /* an address of it, replaced at the end */
	bool lineless;                /* a spot without a line */
	bool asked, wanted;           /* whether the filter of symbols has it, once asked */
	uint32_t line;                /* 0: none */
	uint32_t order;               /* at the end: its rank among all, by name and address */
	const char *file;             /* NULL: not known, or not wanted */
	uint64_t at;                  /* of a spot: its module's address */
	uint32_t first_frame, frames; /* of a spot: the symbols shown for it */
};

struct symbols {
	struct symbol *symbol;
	uint32_t count, room;
};

/* base is set to the symbol itself unless it is a spot or line of another. NO_KEY: no memory, or no
 * module. */
uint32_t symbols_add(struct symbols *all, const struct symbol *s);
/* Call after the last symbol: sets `order`. 0 or -ENOMEM. */
int symbols_order(struct symbols *all);
void symbols_free(struct symbols *all);

#endif
