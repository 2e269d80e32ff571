/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of events. */
#ifndef POST_PERF_NAMES_H
#define POST_PERF_NAMES_H

#include "input/perf/perf_state.h"

/* Names events that have no name yet. Returns 0 or -ENOMEM. */
int perf_names_rest(struct perf *p);

#endif
