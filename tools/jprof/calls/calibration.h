/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much of what was measured the measuring took. The least time that a sequence ever took has
 * no work of the program in it but what its glue code needs anyway, the floor; the rest is
 * overhead each time. raw = BASE + DELTA, exactly.
 */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include "call_thread.h"

struct calibration {
	uint64_t *minimum; /* SEQUENCES times metrics; 0: never seen */
	uint32_t metrics;
};

/* 0 or -ENOMEM. */
int calibration_init(struct calibration *c, uint32_t metrics);
void calibration_free(struct calibration *c);
/* Learns what a thread has seen. */
void calibration_add(struct calibration *c, const struct call_thread *t);

/* A node's overhead by one of the metrics. */
uint64_t calibration_delta(const struct calibration *c, const struct call_thread *t, uint32_t node,
			   uint32_t metric);

#endif
