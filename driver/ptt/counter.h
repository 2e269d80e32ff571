/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of a metric: one on each CPU, which only grows. Cycles need no event; other metrics
 * are perf events, one on each CPU, pinned: an event has a counter all the time or not at all.
 */
#ifndef PITRACE_COUNTER_H
#define PITRACE_COUNTER_H

#include <linux/perf_event.h>
#include "arch/arch.h"
#include "pitrace.h"

struct ptt_counter {
	struct pitrace_metric metric;
	u16 how;                  /* enum pitrace_ptt_how */
	u16 width;                /* bits at which differences wrap */
	bool counted;             /* perf itself keeps the count up to date */
	struct perf_event **perf; /* by CPU, NULL where there is none; array NULL: cycles */
};

/* Checks all metrics of a ptt, for a member (without CAP_PERFMON) or not; nothing counts yet.
 * Returns 0, or -errno and the number of the metric that failed. counters_put() must follow in all
 * cases. */
int counters_get(struct ptt_counter *counters, const struct pitrace_metric *metrics, u32 count,
		 bool member, u32 *failed);
void counters_put(struct ptt_counter *counters, u32 count);
/* Does one of them have PITRACE_HOW_COUNTER? */
bool counters_user_readable(const struct ptt_counter *counters, u32 count);
/* Do CPUs need the events that counters_make creates? */
bool counters_are_events(const struct ptt_counter *counters, u32 count);
/* The counters that a CPU lacks, and why it lacks the last of these. -EADDRINUSE: other users hold
 * them. */
struct counters_lack {
	u32 missing; /* one bit each */
	u32 which;
	int why;
};
/*
 * Creates, or recreates, the counters of one CPU, which must not be read meanwhile. Called by a
 * kernel thread without locks that CPU hotplug waits for: perf takes hotplug's lock, and checks the
 * rights of the current thread. Returns 0, also if this kind of CPU cannot have one; else the
 * reason why the CPU cannot count.
 */
int counters_make(struct ptt_counter *counters, u32 count, unsigned int cpu,
		  struct counters_lack *lack);
/* The same bits at present: an event may have lost its counter since, and its count does not
 * advance. */
u32 counters_missing(const struct ptt_counter *counters, u32 count, unsigned int cpu);

static inline u64 counter_read_event(struct perf_event *perf)
{
	if (!perf)
		return 0;
	/* perf_event_read_local() does this, but is not exported to modules. */
	if (READ_ONCE(perf->state) == PERF_EVENT_STATE_ACTIVE &&
	    READ_ONCE(perf->oncpu) == smp_processor_id())
		perf->pmu->read(perf);
	return local64_read(&perf->count);
}

/* Right after the counter was read: publishes what the running thread needs to read it itself, or
 * that it may not do so now. Only for PITRACE_HOW_COUNTER; interrupts off. */
static inline void counter_publish(const struct ptt_counter *counter, bool readable,
				   struct pitrace_ptt_value *value)
{
	const struct perf_event *perf = counter->perf[smp_processor_id()];

	value->index = 0;
	if (!readable || !perf || READ_ONCE(perf->state) != PERF_EVENT_STATE_ACTIVE ||
	    READ_ONCE(perf->oncpu) != smp_processor_id())
		return;
	value->index = arch_counter_index(perf);
	value->last = local64_read(&perf->hw.prev_count);
}

/* Reads the counter on this CPU, now; interrupts off. */
static __always_inline u64 counter_read(const struct ptt_counter *counter)
{
	struct perf_event *perf;

	if (likely(!counter->perf))
		return arch_cycles();
	perf = counter->perf[smp_processor_id()];
	return counter->counted && perf ? local64_read(&perf->count) : counter_read_event(perf);
}

#endif
