/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records that programs wrote themselves, counted by thread, major and minor. Those of major 0xB0
 * are pairs, minor 0 for the begin and 0x80 for the end, named by their first string: their
 * duration is measured, and how much of it nested pairs took.
 */
#ifndef POST_MARKS_H
#define POST_MARKS_H

#include "model/spread.h"
#include "model/trace_books.h"
#include "model/trace_names.h"

#define MARK_BEGIN 0u
#define MARK_END   0x80u

struct mark_row {
	uint32_t thread; /* names' */
	uint32_t minor;  /* pairs: MARK_BEGIN */
	uint32_t name;   /* pairs: of the list; else NO_KEY */
	uint16_t major;
	uint64_t records;
	struct spread time; /* of pairs, from begin to end */
	uint64_t self;      /* of it, without pairs inside */
	uint64_t open;      /* no end: the thread or tracing ended before */
	uint64_t cut;       /* the end is missing, or records were lost meanwhile */
};

#define MARK_DEPTH 64 /* nesting of pairs in a thread; beyond that the outermost is dropped */

struct mark_thread {
	uint32_t pid, tid, depth;
	struct mark_open {
		uint32_t row;
		uint64_t since, inner;
	} open[MARK_DEPTH];
};

struct marks {
	struct names *names;
	struct mark_row *row;
	uint32_t nrow, room;
	struct keys by_key;
	char **name;
	uint32_t nname, room_name;
	struct keys by_name;
	struct mark_thread *thread;
	uint32_t nthread, room_thread;
	struct keys by_tid;
	uint64_t gap;   /* up to here records may be missing */
	uint64_t stray; /* ends without a beginning */
};

/* Takes any record, before names get it. Malformed ones are counted in the trace's books. Each: 0
 * or -ENOMEM. */
int marks_record(struct marks *m, struct trace *t, const struct pirecord *r);
void marks_end(struct marks *m);
/* Merges rows of `from` that have one key, as rows whose thread is the key; names are those of
 * `from`. */
int marks_group(struct marks *into, const struct marks *from,
		uint32_t (*key)(const struct names *n, uint32_t thread));
void marks_free(struct marks *m);

#endif
