/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Source lines and inlined functions. While records pass, each distinct address of a symbol is a
 * symbol of its own (a spot); at the end each module's spots are asked for at once, and stand for
 * the symbols that reports show: the symbol at a line, and functions that are inlined in it.
 * Memory is bounded by distinct addresses.
 */
#ifndef POST_SOURCE_LINES_H
#define POST_SOURCE_LINES_H

#include <a2n.h>

#include "model/symbols.h"
#include "base/keys.h"

struct lines {
	struct symbols *symbols;
	struct a2n *a2n;
	bool by_line, inlined; /* what is wanted */
	bool places;           /* each address is to be kept, also where it has no line */
	bool begun;            /* names are known: messages are of lines now */
	struct keys by_spot, by_shown;
	uint32_t *frame; /* symbols of spots, innermost first */
	uint32_t nframe, room_frame;
};

/* By line, inlined functions: as its user sets them after this. */
void lines_begin(struct lines *l, struct symbols *symbols, struct a2n *a2n);
static inline bool lines_wanted(const struct lines *l)
{
	return l->by_line || l->inlined;
}
/* The spot of an answer whose symbol is this one; NO_KEY: no memory. */
uint32_t lines_spot(struct lines *l, uint32_t symbol, const struct a2n_answer *answer, bool kernel);
/* After the last address: what is shown for each spot. 0 or -ENOMEM. */
int lines_finish(struct lines *l);
/* What is shown for a symbol: itself, or for a spot one or several, innermost first. */
uint32_t lines_shown(const struct lines *l, uint32_t symbol, const uint32_t **list);
void lines_free(struct lines *l);

#endif
