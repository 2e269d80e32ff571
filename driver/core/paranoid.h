/* SPDX-License-Identifier: GPL-2.0 */
/* The machine's limit on users' use of perf: kernel.perf_event_paranoid. */
#ifndef PITRACE_PARANOID_H
#define PITRACE_PARANOID_H

#include <linux/types.h>

void paranoid_init(void);
void paranoid_exit(void);
/* May users without CAP_PERFMON have counters of whole CPUs? Reads the current setting; false if it
 * cannot be read. May sleep. */
bool paranoid_allows_cpu_counters(void);

#endif
