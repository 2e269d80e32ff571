/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idle and busy times of the CPUs from one reading of AboveIdle to another. */
#ifndef AI_SPAN_H
#define AI_SPAN_H

#include <ai.h>
#include <stdbool.h>

struct span {
	struct ai_counters *cpu; /* by number */
	int cpus;
	struct ai_counters all; /* added up */
};

/* Reads the times since AiInit. Returns 0 or a code. */
int span_read(struct span *s);
/* Computes the difference between a reading and a later one. Returns 0 or a code. */
int span_between(struct span *s, const struct span *from, const struct span *to);
void span_free(struct span *s);

/* Computes the shares in hundredths of a percent; they add up to 10000. Returns false, and zeros,
 * if no time passed. */
enum span_share { SPAN_IDLE, SPAN_BUSY, SPAN_INTERRUPT, SPAN_SHARES };
bool span_shares(const struct ai_counters *c, unsigned int share[SPAN_SHARES]);
/* "12.34" */
const char *span_percent(char room[8], unsigned int hundredths);

#endif
