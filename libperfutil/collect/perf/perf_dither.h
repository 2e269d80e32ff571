/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Dither for perf's clocks. The kernel's clock events tick at equal periods, and inherited events
 * of children keep their period whatever it is changed to later. So each clock is two events, one
 * slightly faster and one slightly slower than requested, which take turns of random length. A
 * disabled event keeps the rest of its interval: each counts the time of its own turns, and a
 * sample represents the period of its event.
 */
#ifndef PITRACE_PERF_DITHER_H
#define PITRACE_PERF_DITHER_H

#include <stdbool.h>
#include <stdint.h>
#include "collect/backend.h"

#define PERF_DITHER 50 /* largest dither, in thousandths of a period */
#define PERF_TURNS  2

struct perf_session;

/* Checks whether this sampler is a pair of events. */
bool perf_dithered(const struct trace_config *config, unsigned int number);
/* Returns the period in ns of the event of that turn (0, 1); without dither the same for both. */
uint64_t perf_dither_period(const struct trace_config *config, unsigned int number,
			    unsigned int turn);
/* Returns the dither for header and interval records, in thousandths; 0 unless all samplers are
 * dithered. */
uint32_t perf_dither_of(const struct trace_config *config);
/* Starts the thread that switches the events while they are enabled. 0 or -errno. */
int perf_turns_begin(struct perf_session *s);
void perf_turns_end(struct perf_session *s);

#endif
