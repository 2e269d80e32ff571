/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The clock of programs' records: the processor's own, where the kernel keeps its time by it, for
 * it costs a program least; else CLOCK_MONOTONIC. In the trace stamps are CLOCK_MONOTONIC: they are
 * converted by pairs of both clocks, which the reader takes as it goes along. A trace of the
 * driver's may have the processor's own clock: stamps stay as they are.
 */
#ifndef PITRACE_HOOK_CLOCK_H
#define PITRACE_HOOK_CLOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define HOOK_CLOCK_PAIRS 1024

struct hook_clock {
	bool tsc;
	bool raw; /* tsc, and so the trace has it */
	pthread_mutex_t lock;
	unsigned int n;
	struct hook_clock_pair {
		uint64_t stamp, ns;
	} pair[HOOK_CLOCK_PAIRS]; /* rising */
};

/* Chooses a clock. */
void hook_clock_begin(struct hook_clock *c);
/* … of a trace whose stamps are the processor's own. False: programs cannot read it here. */
bool hook_clock_be_raw(struct hook_clock *c);
/* Forgets all pairs. */
void hook_clock_restart(struct hook_clock *c);
/* Takes a pair, at least one a second, and returns its stamp: all up to it can be converted. Any
 * thread may call it. */
uint64_t hook_clock_pair(struct hook_clock *c);
/* To CLOCK_MONOTONIC ns, or whatever the trace has. */
uint64_t hook_clock_ns(struct hook_clock *c, uint64_t stamp);

#endif
