/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How likely chance makes a difference of counts: exact tests, on both sides, of two samples; and
 * which of many such tests stand together (Holm: it holds however lines depend on each other, as
 * the totals of callers and callees do).
 */
#ifndef POST_CHANCE_H
#define POST_CHANCE_H

#include <stdbool.h>
#include <stdint.h>

/* a and b events, each at the same rate: given a + b, a is binomial. */
double chance_of_counts(uint64_t a, uint64_t b);
/* a of all_a and b of all_b samples, each with the same probability: given a + b, a is
 * hypergeometric (Fisher). */
double chance_of_parts(uint64_t a, uint64_t all_a, uint64_t b, uint64_t all_b);
/* The least that the same test of a line with so many in both inputs can give. */
double chance_least_of_counts(uint64_t both);
double chance_least_of_parts(uint64_t both, uint64_t all_a, uint64_t all_b);

struct chance {
	double least;    /* that its test can give: known before the difference is */
	double p;        /* of its test */
	double adjusted; /* for all that were tested */
	bool tested;     /* it could tell something */
};
/* Sets `tested` and `adjusted` of n lines. Lines that could be significant in no case are not
 * tested (Tarone), so that they do not cost the others. 0 or -ENOMEM. */
int chance_correct(struct chance *list, uint32_t n, double level);

#endif
