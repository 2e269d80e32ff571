/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The slowest spans of each name, up to ten. */
#ifndef POST_SLOWEST_H
#define POST_SLOWEST_H

#include "model/spans.h"

#define SLOWEST_MOST 10

/* The threads whose activity is inside a span. */
enum span_within {
	SPAN_OF_THREAD,    /* began and ended in one thread */
	SPAN_OF_PROCESS,   /* in several: of all threads of the process, without time off the CPU */
	SPAN_OF_PROCESSES, /* in several processes: no activity is known */
};

struct span_over {
	uint64_t id;
	uint64_t since, until;
	uint32_t name;
	uint32_t thread, last; /* indexes in names: where it began, where it ended */
	uint32_t pid, tid;     /* where it began, as in records */
	bool has_id;
	enum span_within within;
	struct inside inside;
	struct span_words *began, *ended; /* further values of the records; or NULL */
};

struct slowest {
	struct slowest_of {
		struct span_over *list;
		uint32_t count, room;
		uint32_t least; /* index of the fastest, once the list is full */
	} * of;                 /* by number of the name */
	uint32_t names;
};

static inline uint64_t span_took(const struct span_over *s)
{
	return s->until > s->since ? s->until - s->since : 0;
}

/* Returns whether a span of this name and duration would be kept. */
bool slowest_wants(const struct slowest *s, uint32_t name, uint64_t took);
/* Keeps a span that slowest_wants() accepts, and takes ownership of its words. Returns 0, or
 * -ENOMEM: the caller keeps the words. */
int slowest_add(struct slowest *s, const struct span_over *span);
/* Sorts all lists, the slowest first; equal ones by their begin. */
void slowest_sort(struct slowest *s);
void slowest_free(struct slowest *s);

#endif
