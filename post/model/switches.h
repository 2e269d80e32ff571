/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that switch their own instruction trace (ITraceOn, ITraceOff and the like): the trace
 * also contains the library's code, from the system call that switched it on to the return, and
 * from the call of ITraceOff to the system call that switched it off. The thread's switch records
 * hold the return address of each such call. The runs of the thread in between belong to the
 * library, and so does everything that a process ran before its first ITraceOn if its trace had
 * been on from the start.
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
	uint64_t runs, instructions; /* of the library, in this pass */
};

enum switches_run {
	SWITCHES_SHOWN, /* run of the program */
	SWITCHES_FIRST, /* the thread's first run of the program after such a call */
	SWITCHES_OWN,   /* run of the library */
};

/* First pass: processes any record. Returns 0 or -ENOMEM. */
int switches_record(struct switches *s, const struct pirecord *r);
/* Call before another pass. */
void switches_rewind(struct switches *s);
/* A thread's trace starts. */
void switches_start(struct switches *s, uint32_t pid, uint32_t tid, uint64_t time);
/* Returns whether the run is shown. *calls: the run may be the call of such a function, at this
 * address. */
enum switches_run switches_run(struct switches *s, const struct itrace_run *run, uint64_t *calls);
/* The run is that call: the following runs belong to the library. */
void switches_call(struct switches *s, const struct itrace_run *run);
/* Returns whether this thread is executing the library now. */
bool switches_own(const struct switches *s, uint32_t pid, uint32_t tid);
void switches_free(struct switches *s);

#endif
