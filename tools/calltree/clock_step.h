/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clocks that advance in steps: some CPUs' counters stay the same for 20 cycles or more and then
 * advance by all of them. An operation that takes two and a half steps is measured as two or three;
 * one that takes less than a step, mostly as 0. The minimum of many is up to a step too low, but
 * their mean is correct.
 */
#ifndef CLOCK_STEP_H
#define CLOCK_STEP_H

#include "value_spread.h"

/* The smallest recognized step: smaller differences also occur on CPUs without steps. */
#define CLOCK_STEP_LEAST 8

/* Returns the step, or 1: it is less than CLOCK_STEP_LEAST, or not visible. times[d]: how many of
 * the `reads` consecutive reads differed by d, for d < n. */
uint64_t clock_step_of(const uint32_t *times, uint32_t n, uint32_t reads);

/*
 * Estimates the true value of a minimum from the distribution of all values: an operation that
 * always takes the same time is measured as two neighbouring steps, each as often as it is near.
 * Longer values do not matter, except the few that fall on the second step. Up to a fiftieth may be
 * lower: reads out of order. With a step of 1, returns `least`.
 */
uint64_t clock_step_even(const struct value_spread *s, uint64_t least, uint64_t step);

#endif
