/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records that programs wrote themselves, counted by thread, major and minor. Those of major 0xB0
 * tell begins and ends, named by their first string: durations are measured, and what else happened
 * meanwhile. With an integer, the id, a begin and an end of the same name and id are a span, in
 * whichever threads of the process; without one a begin and an end of the same name are a pair in
 * one thread, and pairs may lie in each other.
 */
#ifndef POST_MARKS_H
#define POST_MARKS_H

#include "model/named_events.h"
#include "model/named_stats.h"
#include "model/sched.h"
#include "model/slowest.h"
#include "model/span_metrics.h"
#include "model/spans.h"
#include "model/spread.h"
#include "model/trace_books.h"
#include "model/trace_names.h"

struct mark_row {
	uint32_t thread; /* names' */
	uint32_t minor;  /* pairs and spans: MARK_BEGIN */
	uint32_t name;   /* pairs and spans: of the list; else NO_KEY */
	uint16_t major;
	uint64_t records;
	struct spread time;   /* from begin to end */
	uint64_t self;        /* of it, without pairs inside */
	uint64_t open;        /* no end: the thread or tracing ended before */
	uint64_t cut;         /* the end is missing, or records were lost meanwhile */
	uint64_t crossed;     /* of those in time: ended in another thread */
	struct inside inside; /* of the others: what their threads did */
};

#define MARK_DEPTH 64 /* nesting of pairs in a thread; beyond that the outermost is dropped */

struct mark_thread {
	uint32_t pid, tid;
	uint32_t life; /* another one for each owner of the tid */
	struct span_begun *open;
	uint32_t depth, room;
	struct inside did;
};

struct marks {
	struct names *names;
	struct sched *sched; /* gives times off the CPU; or NULL */
	struct mark_row *row;
	uint32_t nrow, room;
	struct keys by_key;
	struct spans spans; /* and the list of names */
	struct slowest slowest;
	struct span_metrics metrics;
	struct mark_thread *thread;
	uint32_t nthread, room_thread;
	struct keys by_tid;
	uint64_t gap;   /* up to here records may be missing */
	uint64_t stray; /* ends without a beginning */
	struct named_events *events;
	struct named_stats named;
	uint64_t undeclared; /* named events of which nothing else is known: among the others */
};

/* Takes any record, before names get it and after sched did. Malformed ones are counted in the
 * trace's books. Each: 0 or -ENOMEM. */
int marks_record(struct marks *m, struct trace *t, const struct pirecord *r);
/* A sample of so many ticks that reports count. */
void marks_sample(struct marks *m, uint32_t pid, uint32_t tid, uint64_t ticks);
void marks_end(struct marks *m);
/* Merges rows of `from` that have one key, as rows whose thread is the key; names are those of
 * `from`. */
int marks_group(struct marks *into, const struct marks *from,
		uint32_t (*key)(const struct names *n, uint32_t thread));
void marks_free(struct marks *m);

#endif
