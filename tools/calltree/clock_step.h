/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clocks that go on by steps: some CPUs' counter stands still for 20 cycles and more, and then all
 * of them pass at once. What takes two and a half steps is seen to take two or three, and what
 * takes less than one, mostly nothing: the least of many is up to a step too little, but their mean
 * is right.
 */
#ifndef CLOCK_STEP_H
#define CLOCK_STEP_H

#include "value_spread.h"

/* From here on a step is one: less is within what a CPU does at other times, too. */
#define CLOCK_STEP_LEAST 8

/* times[d]: how often reads one after the other, `reads` in all, differed by d, which is less than
 * n. The step; 1: it is less than CLOCK_STEP_LEAST, or they do not show one. */
uint64_t clock_step_of(const uint32_t *times, uint32_t n, uint32_t reads);

/*
 * What the least that was seen stands for, by all that were: what takes the same each time is seen
 * as two neighbours among the steps, as often as it is near to either. Those that took longer do
 * not matter but for the few that fall on the second. A fiftieth may lie below: reads out of order.
 * With a step of 1 it is `least`.
 */
uint64_t clock_step_even(const struct value_spread *s, uint64_t least, uint64_t step);

#endif
