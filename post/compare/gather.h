/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds the calls in a trace's model to a comparison, as one input. */
#ifndef POST_GATHER_H
#define POST_GATHER_H

#include "compare/comparison.h"
#include "job.h"

/* Returns what the model must have been read with. */
static inline unsigned int gather_needs(bool instructions)
{
	return instructions ? NEED_INSTRUCTIONS : NEED_SAMPLES | NEED_STACKS | NEED_SUMS;
}

/* Ticks of idle CPUs are left out. Returns 0 or -errno. */
int gather_model(struct comparison *c, uint32_t input, enum compare_key key, const struct job *job);

#endif
