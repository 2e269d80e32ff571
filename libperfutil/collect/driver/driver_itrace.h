/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a session of the driver's traces of instructions. */
#ifndef PITRACE_DRIVER_ITRACE_H
#define PITRACE_DRIVER_ITRACE_H

#include "collect/backend.h"

/* Does the configuration want any? */
bool driver_itrace_enabled(const struct trace_config *config);
/* Tell the session, which is off. 0 or -errno. */
int driver_itrace(int session, const struct trace_config *config);

#endif
