/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The measurements of the trainer's passes. The least value of all may be an outlier: one VM
 * compiled the code in another way, or a clock was adjusted. The second least pass of each sequence
 * counts: a value that was reached again. Two values that differ by at most a step of the metric or
 * by little are the same.
 */
#ifndef PASSES_H
#define PASSES_H

#include "calibration.h"

struct passes {
	uint32_t n;
	struct calibration least, second; /* times are least's */
	uint64_t step[CALL_METRICS];      /* resolution of each metric; 0 or 1: exact */
};

/* Returns 0 or -ENOMEM. */
int passes_init(struct passes *p, uint32_t metrics, const uint64_t *step);
void passes_free(struct passes *p);

/* Counts of values: one value for each metric of each sequence. */
struct pass_changes {
	uint32_t seen;  /* in this pass */
	uint32_t fresh; /* not seen in an earlier pass */
	uint32_t moved; /* the value that counts has changed */
	uint32_t near;  /* it has changed, but by no more than a step or little */
};
struct pass_changes passes_add(struct passes *p, const struct calibration *one);

/* Writes the values that count: for a sequence that only one pass has seen, that pass's. The caller
 * has initialized c. */
void passes_result(const struct passes *p, struct calibration *c);

#endif
