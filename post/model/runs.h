/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs of instructions with their names, as reports of instruction traces read them, in the order
 * of the trace. A run is named as of the moment it began, which is the time of the record before
 * it: it may end with a call that unmaps it.
 */
#ifndef POST_RUNS_H
#define POST_RUNS_H

#include "model/callflow.h"
#include "model/frames.h"
#include "model/switches.h"

struct run {
	struct itrace_run r;
	struct sample_place place; /* of itrace_place(); symbol, thread */
	bool entered;              /* another function than the thread's run before, or the
					   same another time */
	uint32_t depth;            /* functions that the thread is in, from 1 */
	uint64_t since;            /* when it began: what it is named as of */
	uint32_t version;          /* of names at that time, see names_version */
};

struct runs_next {
	struct sample_place place;
	uint64_t address, time;
	uint32_t version, pid;
	bool kernel, is;
	bool named; /* place is, perhaps of another address */
};

struct runs {
	struct itrace itrace;
	struct frames frames;
	struct names *names;
	struct trace *trace;
	struct switches *switches;
	struct runs_next *next; /* by thread */
	uint32_t nnext;
	/* Traces of functions' entries and exits: a run is the time between two of them, in
	 * nanoseconds in place of instructions. */
	struct callflow flow;
	struct calls *calls;
	struct runs_thread *called; /* by callflow's index: its thread, its root */
	uint32_t ncalled, room_called;
	struct keys by_function;
	struct runs_function *function;
	uint32_t nfunction, room_function;
};

/* switches: of the first pass; calls: where instructions are counted, or NULL. */
void runs_begin(struct runs *rs, struct names *n, struct trace *t, const struct pifile_header *h,
		struct switches *switches, struct calls *calls);
/* Takes any record. 1: *run is set; 0: it is not; -ENOMEM. */
int runs_record(struct runs *rs, const struct pirecord *r, struct run *run);
void runs_free(struct runs *rs);

#endif
