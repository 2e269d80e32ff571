/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How much of what was measured the measuring took. The least time that a sequence ever took has
 * no work of the program in it but what its glue code needs anyway, the floor; the rest is
 * overhead each time. raw = BASE + DELTA, exactly.
 */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include "call_thread.h"

/* A sequence is trained when runs before have seen it so often. */
#define CALIBRATION_TRAINED 100

struct calibration {
	uint32_t metrics;
	uint64_t *minimum; /* SEQUENCES times metrics; 0: never seen */
	uint64_t *times;   /* SEQUENCES: how often, in the runs before */
	uint64_t *floor;   /* FLOORS times metrics; 0: none, or nobody has measured it */
	uint64_t *most; /* SEQUENCES times metrics: it is not more than this; NULL: not settled */
};

/* 0 or -ENOMEM. */
int calibration_init(struct calibration *c, uint32_t metrics);
void calibration_free(struct calibration *c);
/* Learns what a thread has seen. */
void calibration_add(struct calibration *c, const struct call_thread *t);
/* Learns what others have: the lesser minima and floors, the sum of times; of minima of which one
 * has a floor, that one. How many minima are others than before. */
uint32_t calibration_merge(struct calibration *c, const struct calibration *other);

/* Of metrics whose clock goes on by steps (clock_step.h): minima are what the least stands for, by
 * all that were seen (SEQUENCES times metrics). step: of each metric; 1: none. */
void calibration_even(struct calibration *c, const struct value_spread *seen, const uint64_t *step);
/* Moves to the empty `few` what was seen too seldom to be evened, of such metrics: other runs are
 * not to learn it. */
void calibration_take_few(struct calibration *c, struct calibration *few,
			  const struct value_spread *seen, const uint64_t *step);
/* Minima that it has not, of another one. */
void calibration_fill(struct calibration *c, const struct calibration *other);

/*
 * The least of a few may be the program's work: a sequence that has been seen less than
 * CALIBRATION_TRAINED times, in this run (seen: SEQUENCES times metrics) and those before, costs no
 * more than those that have and are like it: of the same events and types; else of any type before;
 * else of the same events; else any. All that have the same events, by the same kind of code
 * (sequence_hooks()), cost as much as the least of them, but for those whose floor was measured:
 * the rest is the program's, as what a native does is. 0 or -ENOMEM.
 */
int calibration_settle(struct calibration *c, const struct value_spread *seen);
/* What a sequence has cost each time. */
uint64_t calibration_over(const struct calibration *c, uint16_t s, uint32_t metric);
/* A node's overhead by one of the metrics; never more than what was measured: then *clamped is
 * set. */
uint64_t calibration_delta(const struct calibration *c, const struct call_thread *t, uint32_t node,
			   uint32_t metric, bool *clamped);

/* What is to be thought of it, by what all threads have seen. */
struct calibration_quality {
	uint32_t trained, untrained; /* sequences of this run */
	uint64_t base, untrained_base;
	/* Had the lowest tenth of each sequence no work of the program in it, so much of BASE would
	 * be overhead. */
	uint64_t uncertain;
};

/* seen: SEQUENCES times metrics. */
struct calibration_quality calibration_judge(const struct calibration *c,
					     const struct value_spread *seen, uint32_t metric);

#endif
