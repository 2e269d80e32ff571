/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Off-CPU profile: a call tree with microseconds off the CPU instead of ticks. The dispatch record
 * that takes a thread off its CPU holds its stack; the time is known when the thread runs again.
 */
#ifndef POST_OFFCPU_H
#define POST_OFFCPU_H

#include "model/filter.h"
#include "model/sched.h"
#include "model/stacks.h"

struct offcpu {
	struct stacks stacks;
	struct names *names;
	const struct filter *filter; /* of threads; NULL: all */
	uint32_t *call; /* by index in sched: the call at which the thread left; NO_KEY: unknown */
	uint32_t ncall, room_call;
	uint64_t total; /* us */
};

/* Each returns 0 or -ENOMEM. */
/* Call before sched gets the dispatch: the new thread is running again. */
int offcpu_end(struct offcpu *a, struct sched *s, uint32_t tid, uint64_t time);
/* Call after sched got the dispatch: the old thread has left. Sets *whole to false if its stack is
 * malformed. */
int offcpu_begin(struct offcpu *a, struct sched *s, const struct pirecord *r,
		 const struct pitrace_dispatch *d, bool *whole);
/* Call when tracing ends: counts threads that are off their CPUs up to `time`. */
int offcpu_finish(struct offcpu *a, struct sched *s, uint64_t time);
void offcpu_free(struct offcpu *a);

#endif
