/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Off-CPU profile: the call tree with microseconds off the CPU in place of ticks. The stack of a
 * thread is in the dispatch record that takes it off its CPU; the time is known when the thread
 * runs again.
 */
#ifndef POST_AWAY_H
#define POST_AWAY_H

#include "model/filter.h"
#include "model/sched.h"
#include "model/stacks.h"

struct away {
	struct stacks stacks;
	struct names *names;
	const struct filter *filter; /* of threads; NULL: all */
	uint32_t *call; /* call at which each of sched's threads left; NO_KEY: unknown */
	uint32_t ncall, room_call;
	uint64_t total; /* us */
};

/* Each: 0 or -ENOMEM. */
/* Call before sched gets the dispatch: the new thread runs again. */
int away_ends(struct away *a, struct sched *s, uint32_t tid, uint64_t time);
/* Call after sched got the dispatch: the old thread left. *whole is false if its stack is
 * malformed. */
int away_begins(struct away *a, struct sched *s, const struct pirecord *r,
		const struct pitrace_dispatch *d, bool *whole);
/* Tracing ends: threads that are off their CPUs are counted up to `time`. */
int away_finish(struct away *a, struct sched *s, uint64_t time);
void away_free(struct away *a);

#endif
