/* SPDX-License-Identifier: GPL-2.0 */
/* How much of perf the machine's owner allows users: kernel.perf_event_paranoid. */
#ifndef PITRACE_PARANOID_H
#define PITRACE_PARANOID_H

#include <linux/types.h>

void paranoid_init(void);
void paranoid_exit(void);
/* May users without CAP_PERFMON have counters of whole CPUs? As it is now; no, where nobody can
 * tell. May sleep. */
bool paranoid_allows_cpu_counters(void);

#endif
