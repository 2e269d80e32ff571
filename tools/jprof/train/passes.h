/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the trainer's passes have measured. The least value of all may have come but once: by code
 * that one VM has compiled in another way, or by a clock that was moved. Of each sequence the
 * second least pass counts: a value that was there again. Two values that differ by a step of the
 * metric, or by little, are the same.
 */
#ifndef PASSES_H
#define PASSES_H

#include "calibration.h"

struct passes {
	uint32_t n;
	struct calibration least, second; /* times are least's */
	uint64_t step[CALL_METRICS];      /* of each metric; 0 or 1: it has all values */
};

/* 0 or -ENOMEM. */
int passes_init(struct passes *p, uint32_t metrics, const uint64_t *step);
void passes_free(struct passes *p);

/* Of values, one for each metric of each sequence. */
struct pass_changes {
	uint32_t seen;  /* in this pass */
	uint32_t fresh; /* in none before */
	uint32_t moved; /* what counts is another value now */
	uint32_t near;  /* likewise, but the same but for a step or little */
};
struct pass_changes passes_add(struct passes *p, const struct calibration *one);

/* What counts: of a sequence that one pass has seen, that one's. c is initialized. */
void passes_result(const struct passes *p, struct calibration *c);

#endif
