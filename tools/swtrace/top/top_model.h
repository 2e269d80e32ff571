/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data of the live view: functions, threads, processes, cgroups with their counts, and calls
 * between functions. Memory is bounded by the tables (top_table.h).
 */
#ifndef TOP_MODEL_H
#define TOP_MODEL_H

#include "top_table.h"

#define TOP_FUNCTIONS 4096
#define TOP_TASKS     4096 /* threads, processes, cgroups: each */
#define TOP_CALLS     16384
#define TOP_FRAMES    64 /* frames of a stack that are counted */

/* A part of a trace file that is still being written (top_feed.h): the file's number, and its
 * sections from `first` up to `end`. */
struct top_part {
	uint32_t file;
	size_t first, end;
};

struct top_period {
	uint64_t from, to; /* CLOCK_MONOTONIC ns */
	uint64_t ticks, idle;
	uint64_t lost; /* records */
	struct top_part part;
	bool whole; /* `part` has the whole period: it does not begin in an older file */
};

struct top_model {
	struct top_table function, thread, process, cgroup;
	struct top_table call; /* key: the callee, second: the caller */
	struct top_period period[TOP_SPANS];
	uint64_t intervals, samples;
	bool no_memory; /* for a row: some counts are too low */
};

void top_model_init(struct top_model *m);
void top_model_free(struct top_model *m);
/* Begins an interval at that time and position. reset: also restarts the sum, as before the first
 * interval. */
void top_model_begin(struct top_model *m, uint64_t time, const struct top_part *part, bool reset);
/* Ends the interval. Adds the time so far of threads that are off their CPUs. */
void top_model_end(struct top_model *m, uint64_t time, const struct top_part *part);
/* Returns 0, or -ENOMEM: then the copy is empty. */
int top_model_copy(struct top_model *to, const struct top_model *from);

/* Returns the row of a function, by its name and its module's; NO_KEY without memory. */
uint32_t top_model_function(struct top_model *m, const char *name, const char *module);
/* Returns the row of a thread, or NO_KEY without memory. *fresh: the names of the thread and its
 * process must be set, once per interval. */
uint32_t top_model_thread(struct top_model *m, uint32_t pid, uint32_t tid, bool *fresh);
/* Sets the names of a thread and its process; cgroup is a path, or NULL to keep the old one. */
void top_model_name(struct top_model *m, uint32_t thread, const char *name, const char *process,
		    const char *cgroup);
/* Returns whether the cgroup of the thread's process must still be looked up. */
bool top_model_wants_cgroup(struct top_model *m, uint32_t thread);
/* Adds counts to a thread, its process and its cgroup. */
void top_model_add(struct top_model *m, uint32_t thread, const struct top_count *c);
/* Counts a tick of a thread in the first of these functions; each next one is its caller. */
void top_model_tick(struct top_model *m, uint32_t thread, const uint32_t *functions, uint32_t n);
void top_model_idle(struct top_model *m, uint64_t ticks);
void top_model_lost(struct top_model *m, uint64_t records);
/* Counts records that were skipped. After them, it is unknown which threads are off their CPUs. */
void top_model_skip(struct top_model *m, uint64_t records);
/* A thread is switched out (gone: it exits), or switched in. */
void top_model_leave(struct top_model *m, uint32_t thread, uint64_t time, bool gone);
void top_model_come(struct top_model *m, uint32_t thread, uint64_t time);

#endif
