/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instruction trace settings of a driver session. */
#ifndef PITRACE_DRIVER_ITRACE_H
#define PITRACE_DRIVER_ITRACE_H

#include "collect/backend.h"

/* Checks whether the configuration includes an instruction trace. */
bool driver_itrace_enabled(const struct trace_config *config);
/* Configures the session, which must be off. 0 or -errno. */
int driver_itrace(int session, const struct trace_config *config);

#endif
