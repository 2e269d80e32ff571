/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of day of a perf.data, from the file and this machine's clock. */
#ifndef POST_PERF_WALL_H
#define POST_PERF_WALL_H

#include "input/perf/perf_state.h"

void perf_wall(struct input *in, uint32_t origin, struct input_wall *w);
/* Returns whether this machine recorded the file: only then inodes and clocks can be compared. */
bool perf_recorded_here(struct perf *p);

#endif
