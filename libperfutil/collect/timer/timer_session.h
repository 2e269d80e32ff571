/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The timer collector's session, as its parts share it. timer_read.c reads the rings of traced
 * programs into items, timer_rescan.c knows what is mapped where, timer_write.c makes items, sorted
 * by time, into records, timer_check.c says whether all this can serve; backend_timer.c is the
 * collector.
 */
#ifndef PITRACE_TIMER_SESSION_H
#define PITRACE_TIMER_SESSION_H

#include <limits.h>
#include <time.h>
#include "collect/backend.h"
#include "collect/timer/timer_files.h"
#include "collect/timer/timer_process.h"

#define TIMER_LIBRARY	"libpitrace-timer.so"
#define TIMER_SECOND	1000000000ull
#define TIMER_GONE	0x100		/* beside enum timer_kind: the process is no more */

/* What a process told, until it is old enough. */
struct timer_item {
	uint64_t stamp, order;
	struct timer_process *p;
	uint8_t *data;
	uint32_t tid, bytes;
	uint32_t kind;			/* enum timer_kind, or TIMER_GONE */
};

struct timer_session {
	struct timer_folder folder;
	struct user_rings out;
	struct timer_processes all;
	struct timer_item *item;
	size_t nitem, item_room;
	uint64_t item_bytes;		/* of their data */
	uint64_t order, floor;		/* no stamp is before */
	uint64_t second;		/* the next */
	uint64_t off_stamp;		/* 0: it is on */
	uint32_t unsampled_threads, unsampled_processes;
	uint64_t fine, at_tick;		/* samples: drawn, and the kernel's tick's */
	/* Of the record that is being read. */
	struct timer_process *reading;
	uint32_t nread;			/* by this drain */
	/* Where the last drain stopped reading, by number in the folder, and 0: it read all. */
	uint32_t rest;
};

/* timer_check.c: where the library is that is preloaded; can the collector serve? */
bool timer_find_library(char path[PATH_MAX]);
void timer_check(const struct trace_config *config, struct collector_check *check);

/* timer_read.c: s->rest: a part of it is left for the next drain. */
void timer_read_all(struct timer_session *s);
/* One item more; without memory for it it is lost, and told. */
void timer_add_item(struct timer_session *s, struct timer_process *p, uint32_t kind, uint32_t tid,
		    uint64_t stamp, const void *data, uint32_t bytes);
void timer_each_process(struct timer_session *s,
			void (*fn)(struct timer_session *s, struct timer_process *p));
void timer_items_free(struct timer_session *s);

/* timer_rescan.c: look at a process's mappings ourselves, as if it had told them now. */
void timer_rescan(struct timer_session *s, struct timer_process *p);
/* What the sample (or a part of its stack) at item `i` needs for its name is written before it. */
void timer_require_mapping(struct timer_session *s, size_t i, uint64_t address);

/* timer_write.c: all items up to there become records. */
void timer_write_until(struct timer_session *s, uint64_t horizon);

#endif
