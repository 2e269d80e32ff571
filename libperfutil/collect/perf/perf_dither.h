/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The dither of perf's clocks. The kernel's clock events tick at equal distances, and children that
 * have inherited one keep its period whatever it is set to later. So each clock is two events, the
 * one a little faster and the other a little slower than what was asked for, which take turns of
 * lengths drawn at random. An event that pauses keeps the rest of its interval: what each counts is
 * the time of its own turns, and a sample stands for the period of the event that made it.
 */
#ifndef PITRACE_PERF_DITHER_H
#define PITRACE_PERF_DITHER_H

#include <stdbool.h>
#include <stdint.h>
#include "collect/backend.h"

#define PERF_DITHER	50		/* thousandths of a period, at most */
#define PERF_TURNS	2

struct perf_session;

/* Is that sampler two events in turns? */
bool perf_dithered(const struct trace_config *config, unsigned int number);
/* The period of the event of that turn (0, 1), ns. Where nothing is dithered: of both. */
uint64_t perf_dither_period(const struct trace_config *config, unsigned int number,
			    unsigned int turn);
/* What header and interval say: thousandths; 0 unless all samplers are dithered. */
uint32_t perf_dither_of(const struct trace_config *config);
/* A thread that lets the events take turns while they are enabled. 0 or -errno. */
int perf_turns_begin(struct perf_session *s);
void perf_turns_end(struct perf_session *s);

#endif
