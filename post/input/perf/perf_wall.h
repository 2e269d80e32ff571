/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of day of a perf.data's times, from the file and this machine's clock. */
#ifndef POST_PERF_WALL_H
#define POST_PERF_WALL_H

#include "input/perf/perf_state.h"

void perf_wall(struct input *in, uint32_t origin, struct input_wall *w);
/* Inodes and clocks can be compared only on the machine that recorded. */
bool perf_recorded_here(struct perf *p);

#endif
