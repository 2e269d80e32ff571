/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several traces as one input: their records in one order of time, each with its origin in its pids
 * (origin.h); CPUs and events get new numbers. Times are by the wall clock if all traces have it,
 * else each trace begins at 0. Facts that differ between machines (names of interrupts, the system)
 * are left out.
 */
#ifndef POST_MERGED_H
#define POST_MERGED_H

#include "record/input.h"

/* Traces that cannot be read are reported at once and become faults of the merged input.
 * in->program is the caller's. 0; -ENOMEM; -EINVAL: none can be read. */
int merged_open(struct input *in, const char *const *paths, uint32_t count);

#endif
