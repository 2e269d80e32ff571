/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slowest spans of each name: ten of each are kept. */
#ifndef POST_SLOWEST_H
#define POST_SLOWEST_H

#include "model/spans.h"

#define SLOWEST_MOST 10

/* Whose time lies in a span. */
enum span_within {
	SPAN_OF_THREAD,    /* it began and ended in one thread */
	SPAN_OF_PROCESS,   /* in several: all threads of the process, and no time off the CPU */
	SPAN_OF_PROCESSES, /* in several of these: nothing is told */
};

struct span_over {
	uint64_t id;
	uint64_t since, until;
	uint32_t name;
	uint32_t thread, last; /* names' threads: where it began, where it ended */
	uint32_t pid, tid;     /* where it began, as records have them */
	bool has_id;
	enum span_within within;
	struct inside inside;
	struct span_words *began, *ended; /* what else the records told; or NULL */
};

struct slowest {
	struct slowest_of {
		struct span_over *list;
		uint32_t count, room;
		uint32_t least; /* place of the fastest, once the list is full */
	} * of;                 /* by number of the name */
	uint32_t names;
};

static inline uint64_t span_took(const struct span_over *s)
{
	return s->until > s->since ? s->until - s->since : 0;
}

/* Whether one of this name that took so long would be kept. */
bool slowest_wants(const struct slowest *s, uint32_t name, uint64_t took);
/* Keeps one that is wanted, with its words. 0 or -ENOMEM, then the words are the caller's. */
int slowest_add(struct slowest *s, const struct span_over *span);
/* Sorts all, the slowest first; equal ones as they began. */
void slowest_sort(struct slowest *s);
void slowest_free(struct slowest *s);

#endif
