/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names for numeric values in records of threads and interrupts. */
#include "model/event_words.h"

#include "model/sched.h"

const char *reason_name(uint32_t reason)
{
	static const char *const names[SCHED_REASONS] = {
		[PITRACE_LEFT_RUNNING] = "time_up", [PITRACE_LEFT_PREEMPTED] = "preempted",
		[PITRACE_LEFT_SLEEP] = "sleeping",  [PITRACE_LEFT_BLOCKED] = "blocked",
		[PITRACE_LEFT_STOPPED] = "stopped", [PITRACE_LEFT_TRACED] = "traced",
		[PITRACE_LEFT_DEAD] = "dead",       [PITRACE_LEFT_IDLE] = "idle",
		[PITRACE_LEFT_OTHER] = "other",     [SCHED_NEW] = "new",
		[SCHED_BEFORE] = "before",
	};

	return reason < SCHED_REASONS ? names[reason] : "other";
}

const char *irq_source(uint32_t source)
{
	static const char *const names[] = {
		[PITRACE_IRQ_DEVICE] = "device", [PITRACE_IRQ_SOFTIRQ] = "softirq",
		[PITRACE_IRQ_TIMER] = "timer",   [PITRACE_IRQ_RESCHEDULE] = "reschedule",
		[PITRACE_IRQ_CALL] = "call",     [PITRACE_IRQ_WORK] = "irq-work",
		[PITRACE_IRQ_IPI] = "ipi",       [PITRACE_IRQ_OTHER] = "other",
	};

	return source && source < sizeof(names) / sizeof(names[0]) ? names[source] : "unknown";
}

const char *irq_name(const struct irq_names *n, uint32_t source, uint32_t number)
{
	static const char *const softirqs[] = {
		"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU",
	};

	if (source == PITRACE_IRQ_SOFTIRQ)
		return number < sizeof(softirqs) / sizeof(softirqs[0]) ? softirqs[number] : "";
	return source == PITRACE_IRQ_DEVICE ? irq_names_find(n, number) : "";
}
