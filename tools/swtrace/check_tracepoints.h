/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks whether this user may read the kernel's tracepoints, the source of some records when the
 * kernel module is not used. */
#ifndef SWTRACE_CHECK_TRACEPOINTS_H
#define SWTRACE_CHECK_TRACEPOINTS_H

#include "swtrace.h"

/* Fills in state, why and cure. */
void check_tracepoints(struct trace_check *c);

#endif
