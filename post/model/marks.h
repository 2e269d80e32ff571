/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * User records, counted by thread, major and minor. Records of major 0xB0 mark begins and ends,
 * named by their first string: their duration is measured, and the activity inside. With an
 * integer, the id, a begin and an end of the same name and id form a span, in any threads of the
 * process; without one, a begin and an end of the same name form a pair in one thread; pairs may
 * nest.
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
	uint32_t thread; /* index in names */
	uint32_t minor;  /* pairs and spans: MARK_BEGIN */
	uint32_t name;   /* pairs and spans: index in the list of names; else NO_KEY */
	uint16_t major;
	uint64_t records;
	struct spread time;   /* from begin to end */
	uint64_t self;        /* part of it outside of nested pairs */
	uint64_t open;        /* without an end: the thread or tracing ended before */
	uint64_t cut;         /* the end is missing, or records were lost inside */
	uint64_t crossed;     /* part of `time`: ended in another thread */
	struct inside inside; /* of the others: activity of their threads */
};

#define MARK_DEPTH 64 /* maximum nesting of pairs in a thread; then the outermost is dropped */

struct mark_thread {
	uint32_t pid, tid;
	uint32_t life; /* changes with each owner of the tid */
	struct span_begun *open;
	uint32_t depth, room;
	struct inside did;
};

struct marks {
	struct names *names;
	struct sched *sched; /* source of times off the CPU; or NULL */
	struct mark_row *row;
	uint32_t nrow, room;
	struct keys by_key;
	struct spans spans; /* also has the list of names */
	struct slowest slowest;
	struct span_metrics metrics;
	struct mark_thread *thread;
	uint32_t nthread, room_thread;
	struct keys by_tid;
	uint64_t gap;   /* records may be missing up to this time */
	uint64_t stray; /* ends without a begin */
	struct named_events *events;
	struct named_stats named;
	uint64_t undeclared; /* named events without a declaration, counted as other records */
};

/* Processes any record, after sched and before names. Counts malformed ones in the trace. Functions
 * that return int return 0 or -ENOMEM. */
int marks_record(struct marks *m, struct trace *t, const struct pirecord *r);
/* Adds the ticks of a sample that reports count. */
void marks_sample(struct marks *m, uint32_t pid, uint32_t tid, uint64_t ticks);
void marks_end(struct marks *m);
/* Merges rows of `from` with equal keys into rows whose thread is the key; names are those of
 * `from`. */
int marks_group(struct marks *into, const struct marks *from,
		uint32_t (*key)(const struct names *n, uint32_t thread));
void marks_free(struct marks *m);

#endif
