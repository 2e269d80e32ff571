/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that programs took of their own threads (HOOKIT SAMPLE records: the agent for Java),
 * converted to collector samples: users of the records see samples with stacks. Samples of CPU time
 * replace the timer's samples of the same thread from the first one on: these are dropped, else the
 * thread's time would count twice. Other kinds are events of their own: wall, alloc, lock.
 *
 * The records come from a program: counts are checked against their size, and a record only affects
 * the thread that wrote it.
 */
#ifndef POST_OWN_SAMPLES_H
#define POST_OWN_SAMPLES_H

#include <pifile.h>

#include "base/keys.h"

struct own_thread {
	uint32_t tid, pid;
	bool samples; /* takes its own samples */
};

struct own_samples {
	struct own_thread *thread;
	uint32_t n, room;
	struct keys by_tid;
	uint32_t named; /* bit mask of the events named in this pass */
	struct pitrace_event_rec event;
	struct pirecord kept; /* a sample that waits for its event's name record */
	bool has_kept;
	uint8_t *made; /* a record's data */
};

/* Starts another pass. */
void own_samples_begin(struct own_samples *o);
/* Returns the sample that waited for its event's name record. */
bool own_samples_kept(struct own_samples *o, struct pirecord *r);
/* Converts a record. Returns 1: use it; 0: drop it; -ENOMEM. */
int own_samples_record(struct own_samples *o, struct pirecord *r);
void own_samples_free(struct own_samples *o);

#endif
