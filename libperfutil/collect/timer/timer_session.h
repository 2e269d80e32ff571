/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The timer collector's session, shared by its files. timer_read.c reads the rings of traced
 * programs into items, timer_rescan.c reads mappings, timer_write.c converts items, sorted by time,
 * to records, timer_check.c checks whether the collector works here; backend_timer.c is the
 * collector.
 */
#ifndef PITRACE_TIMER_SESSION_H
#define PITRACE_TIMER_SESSION_H

#include <limits.h>
#include <time.h>
#include "collect/backend.h"
#include "collect/timer/timer_files.h"
#include "collect/timer/timer_process.h"

#define TIMER_LIBRARY "libpitrace-timer.so"
#define TIMER_SECOND  1000000000ull
#define TIMER_EXITED  0x100 /* in addition to enum timer_kind: the process has exited */

/* A record of a process, kept until it is old enough. */
struct timer_item {
	uint64_t stamp, order;
	struct timer_process *p;
	uint8_t *data;
	uint32_t tid, bytes;
	uint32_t kind; /* enum timer_kind, or TIMER_EXITED */
};

struct timer_session {
	struct timer_folder folder;
	struct user_rings out;
	struct timer_processes all;
	struct timer_item *item;
	size_t nitem, item_room;
	uint64_t item_bytes;   /* bytes of their data */
	uint64_t order, floor; /* lower limit of stamps */
	uint64_t second;       /* next sequence number */
	uint64_t off_stamp;    /* 0: it is on */
	uint32_t unsampled_threads, unsampled_processes;
	uint64_t fine, at_tick; /* samples: at a random time, and at the kernel's tick */
	/* State of the record being read. */
	struct timer_process *reading;
	uint32_t nread; /* records read by this drain */
	/* Position in the folder at which the last drain stopped; 0: it read everything. */
	uint32_t rest;
};

/* timer_check.c: finds the library to preload; checks whether the collector works. */
bool timer_find_library(char path[PATH_MAX]);
void timer_check(const struct trace_config *config, struct collector_check *check);

/* timer_read.c: s->rest: data is left for the next drain. */
void timer_read_all(struct timer_session *s);
/* Adds an item; without memory it is lost and counted. */
void timer_add_item(struct timer_session *s, struct timer_process *p, uint32_t kind, uint32_t tid,
		    uint64_t stamp, const void *data, uint32_t bytes);
void timer_each_process(struct timer_session *s,
			void (*fn)(struct timer_session *s, struct timer_process *p));
void timer_items_free(struct timer_session *s);

/* timer_rescan.c: reads a process's mappings, as if it had reported them now. */
void timer_rescan(struct timer_session *s, struct timer_process *p);
/* Writes the mapping that the sample at item `i`, or a part of its stack, needs for its name. */
void timer_require_mapping(struct timer_session *s, size_t i, uint64_t address);

/* timer_write.c: converts all items up to `horizon` to records. */
void timer_write_until(struct timer_session *s, uint64_t horizon);

#endif
