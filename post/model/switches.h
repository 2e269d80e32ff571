/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that switch their own instruction trace (ITraceOn, ITraceOff and such): the trace has
 * the library's code too, from the system call that turned it on to the return, from the call of
 * ITraceOff to the system call that turned it off. Records of the switches, by that thread, tell
 * where each such call returns to. Of a thread's runs those between are the library's own; so is
 * all that a process ran before the first ITraceOn of a trace that had been on since it began.
 */
#ifndef POST_SWITCHES_H
#define POST_SWITCHES_H

#include "model/itrace_runs.h"

struct switches_made;
struct switches_thread;
struct switches_process;

struct switches {
	bool ignored; /* the user wants all runs */
	struct switches_made *made;
	uint32_t n, room;
	struct switches_thread *thread;
	uint32_t nthread, room_thread;
	struct switches_process *process;
	uint32_t nprocess, room_process;
	struct keys by_tid, by_pid;
	uint64_t runs, instructions; /* the library's own, of this pass */
};

enum switches_run {
	SWITCHES_SHOWN, /* the program's */
	SWITCHES_FIRST, /* … the thread's first after such a call */
	SWITCHES_OWN,   /* the library's */
};

/* The first pass: takes any record. 0 or -ENOMEM. */
int switches_record(struct switches *s, const struct pirecord *r);
/* Before another pass. */
void switches_rewind(struct switches *s);
/* A thread's trace starts. */
void switches_start(struct switches *s, uint32_t pid, uint32_t tid, uint64_t time);
/* Whether the run is shown. *calls: it may be the call of such a function, at this address. */
enum switches_run switches_run(struct switches *s, const struct itrace_run *run, uint64_t *calls);
/* It is that call: what follows is the library's. */
void switches_call(struct switches *s, const struct itrace_run *run);
/* Whether what this thread executes now is the library's. */
bool switches_own(const struct switches *s, uint32_t pid, uint32_t tid);
void switches_free(struct switches *s);

#endif
