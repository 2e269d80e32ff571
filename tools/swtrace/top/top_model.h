/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the live view knows: functions, threads, processes, cgroups with their counts, and who
 * called whom. Memory is bounded by the tables (top_table.h).
 */
#ifndef TOP_MODEL_H
#define TOP_MODEL_H

#include "top_table.h"

#define TOP_FUNCTIONS 4096
#define TOP_TASKS     4096 /* threads, processes, cgroups: each */
#define TOP_CALLS     16384
#define TOP_FRAMES    64 /* of a stack that are looked at */

/* A part of a trace file that is being written (top_feed.h): the file's number, and its sections
 * from `first` up to `end`. */
struct top_part {
	uint32_t file;
	size_t first, end;
};

struct top_period {
	uint64_t from, to; /* CLOCK_MONOTONIC ns */
	uint64_t ticks, idle;
	uint64_t lost; /* records */
	struct top_part part;
	bool whole; /* part has all of it: no older file had some */
};

struct top_model {
	struct top_table function, thread, process, cgroup;
	struct top_table call; /* key: the function called, second: who calls it */
	struct top_period period[TOP_SPANS];
	uint64_t intervals, samples;
	bool no_memory; /* for some row: counts are too low */
};

void top_model_init(struct top_model *m);
void top_model_free(struct top_model *m);
/* The interval that begins at that time and place; the first one, or after a reset: so does the
 * sum. */
void top_model_begin(struct top_model *m, uint64_t time, const struct top_part *part, bool reset);
/* It ends. Threads that are off their CPUs were so up to now. */
void top_model_end(struct top_model *m, uint64_t time, const struct top_part *part);
/* 0 or -ENOMEM: then the copy is empty. */
int top_model_copy(struct top_model *to, const struct top_model *from);

/* The row of a function, by its name and its module's. NO_KEY: no memory. */
uint32_t top_model_function(struct top_model *m, const char *name, const char *module);
/* The row of a thread. *fresh: its names are to be set, and its process's: once an interval.
 * NO_KEY: no memory. */
uint32_t top_model_thread(struct top_model *m, uint32_t pid, uint32_t tid, bool *fresh);
/* Names of a thread and its process; cgroup is the path, NULL: as it was. */
void top_model_name(struct top_model *m, uint32_t thread, const char *name, const char *process,
		    const char *cgroup);
/* Whether the cgroup of a thread's process is to be looked up. */
bool top_model_wants_cgroup(struct top_model *m, uint32_t thread);
/* Counts of a thread, its process and its cgroup. */
void top_model_add(struct top_model *m, uint32_t thread, const struct top_count *c);
/* A tick in the first of these functions, which the next ones called; thread: whose. */
void top_model_tick(struct top_model *m, uint32_t thread, const uint32_t *functions, uint32_t n);
void top_model_idle(struct top_model *m, uint64_t ticks);
void top_model_lost(struct top_model *m, uint64_t records);
/* So many records are not looked at: who is off his CPU is not known after them. */
void top_model_skip(struct top_model *m, uint64_t records);
/* A thread leaves its CPU (gone: for good), and one comes to a CPU. */
void top_model_leave(struct top_model *m, uint32_t thread, uint64_t time, bool gone);
void top_model_come(struct top_model *m, uint32_t thread, uint64_t time);

#endif
