/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several traces as one input: their records in one order of time, each with its origin in its pids
 * (origin.h); CPUs and events are numbered through. Times are by the wall clock where all of them
 * know it, else each trace begins at 0. What no trace of a pair of machines can share (interrupts'
 * names, facts about one of them) is left out.
 */
#ifndef POST_MERGED_H
#define POST_MERGED_H

#include "record/input.h"

/* Traces that cannot be read are reported at once and become faults of the merged input.
 * in->program is the caller's. 0; -ENOMEM; -EINVAL: none can be read. */
int merged_open(struct input *in, const char *const *paths, uint32_t count);

#endif
