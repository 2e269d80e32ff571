/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source lines and inlined functions. While records are read, each distinct address of a symbol
 * becomes a symbol of its own (a spot). At the end the spots of each module are looked up at once,
 * and each is replaced by the symbols that reports show: the symbol at a line, and the functions
 * inlined there. Memory is bounded by the number of distinct addresses.
 */
#ifndef POST_SOURCE_LINES_H
#define POST_SOURCE_LINES_H

#include <a2n.h>

#include "model/symbols.h"
#include "base/keys.h"

struct source_lines {
	struct symbols *symbols;
	struct a2n *a2n;
	bool by_line, inlined; /* which to show */
	bool places;           /* keep each address, even without a line */
	bool begun;            /* names are complete: from now on messages concern lines */
	struct keys by_spot, by_shown;
	uint32_t *frame; /* symbols of spots, innermost first */
	uint32_t nframe, room_frame;
};

/* Set by_line, inlined and places after this call. */
void lines_begin(struct source_lines *l, struct symbols *symbols, struct a2n *a2n);
static inline bool lines_wanted(const struct source_lines *l)
{
	return l->by_line || l->inlined;
}
/* Returns the spot for an answer with this symbol; NO_KEY: no memory. */
uint32_t lines_spot(struct source_lines *l, uint32_t symbol, const struct a2n_answer *answer,
		    bool kernel);
/* Call after the last address: looks up the symbols to show for each spot. Returns 0 or -ENOMEM. */
int lines_finish(struct source_lines *l);
/* Returns the symbols shown for a symbol: itself, or for a spot one or several, innermost first. */
uint32_t lines_shown(const struct source_lines *l, uint32_t symbol, const uint32_t **list);
void lines_free(struct source_lines *l);

#endif
