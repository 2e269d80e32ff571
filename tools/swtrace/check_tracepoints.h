/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether this user is shown the kernel's tracepoints, by which records come without the module. */
#ifndef SWTRACE_CHECK_TRACEPOINTS_H
#define SWTRACE_CHECK_TRACEPOINTS_H

#include "swtrace.h"

/* Fills in state, why and cure. */
void check_tracepoints(struct trace_check *c);

#endif
