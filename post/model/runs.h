/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Named runs of instructions, in trace order, as reports of instruction traces read them. A run is
 * named as of its start, the time of the previous record: it may end with a call that unmaps it.
 */
#ifndef POST_RUNS_H
#define POST_RUNS_H

#include "model/callflow.h"
#include "model/frames.h"
#include "model/switches.h"

struct run {
	struct itrace_run r;
	struct sample_place place; /* of itrace_place(): symbol and thread */
	bool entered;              /* another function than the thread's previous run, or a new call
				    * of the same */
	uint32_t depth;            /* functions on the thread's stack, from 1 */
	uint64_t since;            /* start time, as of which it is named */
	uint32_t version;          /* of names at that time, see names_version() */
};

struct runs_next {
	struct sample_place place;
	uint64_t address, time;
	uint32_t version, pid;
	bool kernel, is;
	bool named; /* `place` is set, perhaps for another address */
};

struct runs {
	struct itrace itrace;
	struct frames frames;
	struct names *names;
	struct trace *trace;
	struct switches *switches;
	struct runs_next *next; /* by thread */
	uint32_t nnext;
	/* Traces of function entries and exits: a run is the time between two of them, in
	 * nanoseconds instead of instructions. */
	struct callflow flow;
	bool values; /* set after runs_begin(): records have values, counted instead of time */
	struct calls *calls;
	struct runs_thread *called; /* by index in callflow */
	uint32_t ncalled, room_called;
	struct keys by_function;
	struct runs_function *function;
	uint32_t nfunction, room_function;
};

/* switches: from the first pass; calls: counts the instructions, or NULL. */
void runs_begin(struct runs *rs, struct names *n, struct trace *t, const struct pifile_header *h,
		struct switches *switches, struct calls *calls);
/* Processes any record. Returns 1 if *run is set, 0 if not, or -ENOMEM. */
int runs_record(struct runs *rs, const struct pirecord *r, struct run *run);
void runs_free(struct runs *rs);

#endif
