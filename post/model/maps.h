/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code generated at run time, from perf maps: those in the trace, piece by piece with the times
 * between which each was added, or else the current files. Fed to liba2n after all mappings and
 * jitdumps.
 */
#ifndef POST_MAPS_H
#define POST_MAPS_H

#include "model/jit_code.h"
#include "record/input.h"
#include "base/keys.h"

struct maps_process;

struct maps {
	struct jit *jit;
	struct keys by_pid; /* the newest process of a pid */
	struct maps_process *process;
	uint32_t nprocess, room;
	uint64_t real;          /* CLOCK_REALTIME minus trace time; 0: unknown */
	struct input_wall wall; /* of origin `wall_of` */
	uint32_t wall_of;
	bool unchecked; /* noted that the age of a map could not be checked */
	uint64_t boot;  /* CLOCK_REALTIME minus CLOCK_BOOTTIME; 0: unknown */
};

void maps_begin(struct maps *m, struct jit *jit);
/* Return 0 or -ENOMEM. */
/* Records processes that may have generated code, and their lifetimes. */
int maps_record(struct maps *m, struct input *in, const struct pirecord *r);
int maps_finish(struct maps *m, struct input *in);
void maps_free(struct maps *m);

#endif
