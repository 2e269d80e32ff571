/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where in the code threads left their CPUs, and for how long: the tree of calls with microseconds
 * in place of ticks. A stack stands in the dispatch that leaves; its time is known when the thread
 * runs again.
 */
#ifndef POST_AWAY_H
#define POST_AWAY_H

#include "model/sched.h"
#include "model/stacks.h"

struct away {
	struct stacks stacks;
	struct names *names;
	uint32_t *call; /* by sched's threads: where it left; NO_KEY: not told */
	uint32_t ncall, room_call;
	uint64_t total; /* us */
};

/* Each: 0 or -ENOMEM. */
/* The new thread runs again: before sched is told of the dispatch. */
int away_ends(struct away *a, struct sched *s, uint32_t tid, uint64_t time);
/* The old thread left: after sched was told. false in *whole: its stack makes no sense. */
int away_begins(struct away *a, struct sched *s, const struct pirecord *r,
		const struct pitrace_dispatch *d, bool *whole);
/* Tracing ends: all that are away are so until now. */
int away_finish(struct away *a, struct sched *s, uint64_t time);
void away_free(struct away *a);

#endif
