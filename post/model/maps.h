/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Code that programs made at run time, from their perf maps: as the trace has them, piece by piece
 * with the times between which each came, or else the files as they are now. Fed to liba2n after
 * all mappings and all jitdumps.
 */
#ifndef POST_MAPS_H
#define POST_MAPS_H

#include "model/jit_code.h"
#include "record/input.h"
#include "base/keys.h"

struct maps_process;

struct maps {
	struct jit *jit;
	struct keys by_pid; /* the newest of a pid */
	struct maps_process *process;
	uint32_t nprocess, room;
	uint64_t real;          /* CLOCK_REALTIME less the trace's time; 0: not known */
	struct input_wall wall; /* of one origin: */
	uint32_t wall_of;
	bool unchecked; /* noted that a map's age could not be checked */
	uint64_t boot;  /* CLOCK_REALTIME less CLOCK_BOOTTIME; 0: not known */
};

void maps_begin(struct maps *m, struct jit *jit);
/* Each: 0 or -ENOMEM. */
/* Notes processes that may have made code, and when they lived. */
int maps_record(struct maps *m, struct input *in, const struct pirecord *r);
int maps_finish(struct maps *m, struct input *in);
void maps_free(struct maps *m);

#endif
