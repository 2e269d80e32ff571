/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that programs took of their own threads (records HOOKIT SAMPLE: the agent for Java's), as
 * if a collector had taken them: who reads records sees samples with stacks. Those of CPU time
 * stand for the timer's samples of the same thread from the first one on: these are left out, or
 * the thread's time would count twice. Other kinds are events of their own: wall, alloc, lock.
 *
 * The records are a program's: counts are checked against their size, and a record speaks for the
 * thread that wrote it, no other.
 */
#ifndef POST_OWN_SAMPLES_H
#define POST_OWN_SAMPLES_H

#include <pifile.h>

#include "base/keys.h"

struct own_thread {
	uint32_t tid, pid;
	bool samples; /* itself */
};

struct own_samples {
	struct own_thread *thread;
	uint32_t n, room;
	struct keys by_tid;
	uint32_t named; /* bits: events that have been named in this pass */
	struct pitrace_event_rec event;
	struct pirecord kept; /* a sample whose event is named first */
	bool has_kept;
	uint8_t *made; /* a record's data */
};

/* Another pass begins. */
void own_samples_begin(struct own_samples *o);
/* A record that was given before another one, which is next. */
bool own_samples_kept(struct own_samples *o, struct pirecord *r);
/* What a record becomes. 1: this; 0: nothing, it is left out; -ENOMEM. */
int own_samples_record(struct own_samples *o, struct pirecord *r);
void own_samples_free(struct own_samples *o);

#endif
