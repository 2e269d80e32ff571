/* SPDX-License-Identifier: GPL-2.0 */
/* Sampling by perf events in place of the timer: a counter on each CPU that interrupts. */
#ifndef PITRACE_EVENT_H
#define PITRACE_EVENT_H

#include <linux/types.h>
#include "pitrace.h"

struct session;

void event_init(struct session *s);
/* PITRACE_IOC_EVENT: 0 or -errno, including perf's own. The session is off. */
int event_set(struct session *s, const struct pitrace_event_args *args);
bool event_wanted(const struct session *s);
/* Creates the counters of all CPUs and enables them; disables or enables them; releases them, after
 * no hook can see the session any more. */
int event_start(struct session *s);
void event_pause(struct session *s, bool pause);
void event_release(struct session *s);
/* From CPU hotplug, on the CPU itself. */
void event_cpu_online(struct session *s, unsigned int cpu);
void event_cpu_offline(struct session *s, unsigned int cpu);

#endif
