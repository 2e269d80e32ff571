/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The probability that a difference of counts arises by chance: exact two-sided tests of two
 * samples, and the correction for many tests (Holm: valid for any dependence between lines, such as
 * between the totals of callers and callees).
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
/* Return the least p-value that the same test can yield for a line with `both` events in total. */
double chance_least_of_counts(uint64_t both);
double chance_least_of_parts(uint64_t both, uint64_t all_a, uint64_t all_b);

struct chance {
	double least;    /* least possible p-value: known before the difference is */
	double p;        /* p-value of the test */
	double adjusted; /* p-value corrected for all tests */
	bool tested;     /* the test could be significant */
};
/* Sets `tested` and `adjusted` of n lines. Lines that cannot become significant are not tested
 * (Tarone), so that they do not weaken the other tests. Returns 0 or -ENOMEM. */
int chance_correct(struct chance *list, uint32_t n, double level);

#endif
