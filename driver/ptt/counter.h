/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters of a metric: on each CPU one that only grows. Cycles need none; others are
 * events of perf, one for each CPU, pinned: a counter or nothing, never a share of its time.
 */
#ifndef PITRACE_COUNTER_H
#define PITRACE_COUNTER_H

#include <linux/perf_event.h>
#include "arch/arch.h"
#include "pitrace.h"

struct ptt_counter {
	struct pitrace_metric metric;
	u16 how;                  /* enum pitrace_ptt_how */
	u16 width;                /* bits that differences are modulo */
	bool counted;             /* perf itself keeps its count up to date */
	struct perf_event **perf; /* by CPU, NULL where there is none; NULL: cycles */
};

/* Checks all metrics of a ptt, for a member (without CAP_PERFMON) or not; nothing counts yet: 0, or
 * -errno and the number of the one that failed. counters_put comes after any of these. */
int counters_get(struct ptt_counter *counters, const struct pitrace_metric *metrics, u32 count,
		 bool member, u32 *failed);
void counters_put(struct ptt_counter *counters, u32 count);
/* Does one of them have PITRACE_HOW_COUNTER? */
bool counters_user_readable(const struct ptt_counter *counters, u32 count);
/* Do CPUs need what counters_make makes? */
bool counters_are_events(const struct ptt_counter *counters, u32 count);
/* The counters that a CPU lacks, and why it lacks the last of these. -EADDRINUSE: others have
 * them. */
struct counters_lack {
	u32 missing; /* a bit for each */
	u32 which;
	int why;
};
/*
 * Creates, or recreates, the counters of one CPU, which must not be read meanwhile. Called by a
 * kernel thread without locks that CPU hotplug waits for: perf takes hotplug's lock, and checks the
 * rights of the current thread. 0, also if this kind of CPU cannot have one; else why the CPU
 * cannot count.
 */
int counters_make(struct ptt_counter *counters, u32 count, unsigned int cpu,
		  struct counters_lack *lack);
/* The same bits as of now: an event may have lost its counter since, and its count does not
 * advance. */
u32 counters_missing(const struct ptt_counter *counters, u32 count, unsigned int cpu);

static inline u64 counter_read_event(struct perf_event *perf)
{
	if (!perf)
		return 0;
	/* perf has a call for this, but modules do not. */
	if (READ_ONCE(perf->state) == PERF_EVENT_STATE_ACTIVE &&
	    READ_ONCE(perf->oncpu) == smp_processor_id())
		perf->pmu->read(perf);
	return local64_read(&perf->count);
}

/* Right after it was read: what the thread that runs here needs to read it itself, or that it may
 * not now. PITRACE_HOW_COUNTER alone; interrupts off. */
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

/* On this CPU, now; interrupts off. */
static __always_inline u64 counter_read(const struct ptt_counter *counter)
{
	struct perf_event *perf;

	if (likely(!counter->perf))
		return arch_cycles();
	perf = counter->perf[smp_processor_id()];
	return counter->counted && perf ? local64_read(&perf->count) : counter_read_event(perf);
}

#endif
