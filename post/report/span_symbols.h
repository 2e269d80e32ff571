/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In which functions the samples of the slowest spans are: another pass over the samples. */
#ifndef POST_SPAN_SYMBOLS_H
#define POST_SPAN_SYMBOLS_H

#include "job.h"

#define SPAN_SYMBOLS_MOST 3  /* of a span that are told */
#define SPAN_NAMES_MOST   20 /* whose spans they are told of: the pass is bounded */

struct span_symbols {
	struct span_watched {
		const struct span_over *span;
		uint32_t next; /* of those that are open for its thread or process; index + 1 */
		uint32_t symbol[SPAN_SYMBOLS_MOST];
		uint64_t ticks[SPAN_SYMBOLS_MOST]; /* the greatest first */
		uint32_t symbols;
	} * watched; /* in the order in which they began */
	uint32_t count, room, begun;
	struct keys by_span; /* places in `watched` by span */
	struct keys by_owner;
	struct span_owner {
		uint32_t id; /* a tid; a pid, of spans of a process */
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

/* Of the slowest spans of these names, the first ones. 0, -errno, or what reading gives. */
int span_symbols_read(struct span_symbols *s, const struct job *job, const uint32_t *names,
		      uint32_t count);
/* NULL: the span is not of such a name. */
const struct span_watched *span_symbols_of(const struct span_symbols *s,
					   const struct span_over *span);
void span_symbols_free(struct span_symbols *s);

#endif
