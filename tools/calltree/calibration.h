/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Separates the overhead of measuring from the measured values. The minimum of a sequence over all
 * its occurrences contains no work of the program except the floor, which is what its glue code
 * needs in any case; the rest is overhead of each occurrence. raw = BASE + DELTA, exactly.
 */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include "call_thread.h"

/* A sequence is trained if earlier runs have recorded it at least this often. */
#define CALIBRATION_TRAINED 100

struct calibration {
	uint32_t metrics;
	uint64_t *minimum; /* SEQUENCES times metrics; 0: not seen */
	uint64_t *times;   /* SEQUENCES: occurrences in earlier runs */
	uint64_t *floor;   /* FLOORS times metrics; 0: zero or not measured */
	uint64_t *most;    /* SEQUENCES times metrics: upper limits; NULL: not settled */
};

/* Returns 0 or -ENOMEM. */
int calibration_init(struct calibration *c, uint32_t metrics);
void calibration_free(struct calibration *c);
/* Merges the minima of a thread. */
void calibration_add(struct calibration *c, const struct call_thread *t);
/* Merges another calibration: the lesser minima and floors, and the sums of occurrences; if only
 * one side has a floor, that side's minimum. Returns the number of changed minima. */
uint32_t calibration_merge(struct calibration *c, const struct calibration *other);

/* For metrics whose clock advances in steps (clock_step.h): replaces each minimum by an estimate
 * from the distribution of all values. seen: SEQUENCES times metrics; step: per metric, 1: no
 * steps. */
void calibration_even(struct calibration *c, const struct value_spread *seen, const uint64_t *step);
/* For the same metrics: moves minima with too few values for calibration_even() to `few`, which
 * must be empty: they must not be saved for other runs. */
void calibration_take_few(struct calibration *c, struct calibration *few,
			  const struct value_spread *seen, const uint64_t *step);
/* Copies minima that c does not have from `other`. */
void calibration_fill(struct calibration *c, const struct calibration *other);

/*
 * Limits the overhead of untrained sequences. The minimum of few values may contain work of the
 * program: if a sequence has fewer than CALIBRATION_TRAINED occurrences, in this run (seen:
 * SEQUENCES times metrics) and earlier ones, its overhead is at most that of similar trained
 * sequences: of the same events and types; else of any type before; else of the same events; else
 * of any. Sequences with the same events and the same kind of code (sequence_hooks()) have the
 * least overhead among them, except if their floor was measured: the rest, such as a native's work,
 * is the program's. Returns 0 or -ENOMEM.
 */
int calibration_settle(struct calibration *c, const struct value_spread *seen);
/* Returns the overhead of one occurrence of a sequence. */
uint64_t calibration_over(const struct calibration *c, uint16_t s, uint32_t metric);
/* Returns a node's overhead by one metric, at most the measured value: *clamped is set if it was
 * limited. */
uint64_t calibration_delta(const struct calibration *c, const struct call_thread *t, uint32_t node,
			   uint32_t metric, bool *clamped);

/* The quality of a calibration, computed from the values of all threads. */
struct calibration_quality {
	uint32_t trained, untrained; /* sequences of this run */
	uint64_t base, untrained_base;
	/* The part of BASE that would be overhead if the lowest tenth of each sequence's values
	 * contained no work of the program. */
	uint64_t uncertain;
};

/* seen: SEQUENCES times metrics. */
struct calibration_quality calibration_judge(const struct calibration *c,
					     const struct value_spread *seen, uint32_t metric);

#endif
