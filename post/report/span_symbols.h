/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions with most samples in the slowest spans: another pass over the samples. */
#ifndef POST_SPAN_SYMBOLS_H
#define POST_SPAN_SYMBOLS_H

#include "job.h"

#define SPAN_SYMBOLS_MOST 3  /* symbols shown per span */
#define SPAN_NAMES_MOST   20 /* limit on the names whose spans get symbols: bounds the pass */

struct span_symbols {
	struct span_watched {
		const struct span_over *span;
		uint32_t next; /* in the list of open spans of its thread or process; index + 1 */
		uint32_t symbol[SPAN_SYMBOLS_MOST];
		uint64_t ticks[SPAN_SYMBOLS_MOST]; /* the greatest first */
		uint32_t symbols;
	} * watched; /* in order of their begin */
	uint32_t count, room, begun;
	struct keys by_span; /* indexes in `watched` by span */
	struct keys by_owner;
	struct span_owner {
		uint32_t id; /* a tid, or the pid for spans of a process */
		bool process;
		uint32_t open; /* index + 1 */
	} * owner;
	uint32_t nowner, room_owner;
	struct keys by_hit;
	struct span_hit {
		uint32_t span, symbol;
		uint64_t ticks;
	} * hit;
	uint32_t nhit, room_hit;
};

/* Reads the samples of the slowest spans of the first names. Returns 0, -errno, or an error of
 * reading. */
int span_symbols_read(struct span_symbols *s, const struct job *job, const uint32_t *names,
		      uint32_t count);
/* Returns NULL if the span's name is not among them. */
const struct span_watched *span_symbols_of(const struct span_symbols *s,
					   const struct span_over *span);
void span_symbols_free(struct span_symbols *s);

#endif
