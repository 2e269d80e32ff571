/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Describes a perf.data in words. */
#ifndef POST_PERF_INFO_H
#define POST_PERF_INFO_H

#include "input/perf/perf_state.h"

int perf_info(struct input *in, input_say say, void *arg);
const char *perf_type_name(unsigned int type);
/* Returns the name of the trace in an AUX area. */
const char *perf_aux_name(unsigned int kind);

#endif
