/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The service that keeps counters, for the holder program. */
#ifndef PITRACE_COUNTERS_HELD_H
#define PITRACE_COUNTERS_HELD_H

#include <counters.h>
#include "base/service.h"

extern const struct service held_counters;

/* Reads the packet sent by counters_hold. The options point into the packet, which is aligned as
 * its integers. 0 or a return code. */
int held_counters_read(const void *packet, size_t size, struct counters_options *o);

#endif
