/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The clock of programs' records: the processor's own counter if the kernel uses it for its time,
 * because it is the cheapest for programs; else CLOCK_MONOTONIC. Stamps in the trace are
 * CLOCK_MONOTONIC: they are converted by pairs of both clocks, which the reader takes along the
 * way. A trace of the driver may use the processor's counter: then stamps are not converted.
 */
#ifndef PITRACE_HOOK_CLOCK_H
#define PITRACE_HOOK_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define HOOK_CLOCK_PAIRS 1024

struct hook_clock {
	bool tsc;
	bool raw; /* tsc, and not converted for the trace */
	pthread_mutex_t lock;
	unsigned int n;
	struct hook_clock_pair {
		uint64_t stamp, ns;
	} pair[HOOK_CLOCK_PAIRS]; /* ascending */
};

/* Chooses a clock. */
void hook_clock_begin(struct hook_clock *c);
/* … for a trace whose stamps are the processor's counter. False: programs cannot read it here. */
bool hook_clock_be_raw(struct hook_clock *c);
/* Forgets all pairs. */
void hook_clock_restart(struct hook_clock *c);
/* Takes a pair, at least one per second, and returns its stamp: all earlier stamps can be
 * converted. Any thread may call it. */
uint64_t hook_clock_pair(struct hook_clock *c);
/* Converts to CLOCK_MONOTONIC ns, or to the trace's clock. */
uint64_t hook_clock_ns(struct hook_clock *c, uint64_t stamp);

#endif
