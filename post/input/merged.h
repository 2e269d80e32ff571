/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several traces as one input: their records in one time order, each with its origin in its pids
 * (origin.h); CPUs and events are renumbered. Times follow the wall clock if all traces have it,
 * else each trace begins at 0. Facts that differ between machines (names of interrupts, the system)
 * are dropped.
 */
#ifndef POST_MERGED_H
#define POST_MERGED_H

#include "record/input.h"

/* Traces that cannot be read are reported at once and become faults of the merged input. The caller
 * sets in->program. Returns 0, -ENOMEM, or -EINVAL: none can be read. */
int merged_open(struct input *in, const char *const *paths, uint32_t count);

#endif
