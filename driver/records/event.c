// SPDX-License-Identifier: GPL-2.0
/*
 * Sampling by perf events. Counters belong to CPUs, whatever the scope: a sample of another process
 * is counted as out of scope. They are created and released by threads without locks that CPU
 * hotplug waits for, because perf itself takes hotplug's lock: so hotplug's callbacks only schedule
 * that.
 */
#include <linux/cpu.h>
#include <linux/perf_event.h>
#include "core/session.h"
#include "records/event.h"
#include "records/tprof.h"

#define THROTTLED (~0ULL) /* perf's MAX_INTERRUPTS, which is in no header */

bool event_wanted(const struct session *s)
{
	return s->nevents && test_bit(PITRACE_TPROF, s->majors);
}

/* ---- a sample -------------------------------------------------------------------------------- */

static void overflow(struct perf_event *perf, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct event_cpu *e = perf->overflow_handler_context;
	struct session *s = e->session;
	u64 since;

	/* Software events may come from thread context. */
	preempt_disable_notrace();
	since = local64_read(&perf->count) - e->counted;
	e->counted += since;
	if (READ_ONCE(s->state) == PITRACE_STATE_ON && !READ_ONCE(e->stale) &&
	    e->cpu == smp_processor_id()) {
		/* perf stops a counter that interrupts too often until the clock's next tick. The
		 * number of samples lost by that is unknown: counts one. */
		if (unlikely(e->throttled))
			ring_lose(&s->cpu[e->cpu]->ring[PITRACE_RING_TRACE], PITRACE_LOST_THROTTLED,
				  1);
		tprof_sample(s, e->cpu, regs, (e->number + 1) << PITRACE_TPROF_EVENT_SHIFT,
			     min_t(u64, since, U32_MAX));
	}
	e->throttled = perf->hw.interrupts == THROTTLED;
	preempt_enable_notrace();
}

/* ---- counters -------------------------------------------------------------------------------- */

static struct perf_event *create(const struct pitrace_event_args *args, unsigned int cpu,
				 void *context)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = args->type,
		.config = args->config,
		.config1 = args->config1,
		.config2 = args->config2,
		.sample_period = args->period,
		.freq = !!(args->flags & PITRACE_EVENT_RATE),
		.exclude_kernel = !!(args->flags & PITRACE_EVENT_USER),
		.exclude_hv = !!(args->flags & PITRACE_EVENT_USER),
		.exclude_user = !!(args->flags & PITRACE_EVENT_KERNEL),
		/* Pinned: counts all the time or not at all, because counts are not scaled. */
		.pinned = 1,
		.disabled = 1,
	};

	return perf_event_create_kernel_counter(&attr, cpu, NULL, overflow, context);
}

static void release(struct event_cpu *e)
{
	if (e->perf)
		perf_event_release_kernel(e->perf);
	e->perf = NULL;
}

/* Checks that it is a PMU's event. Tracepoints and breakpoints need more than type and config, and
 * would fire inside our own hooks. */
static int try(const struct pitrace_event_args *args)
{
	struct perf_event *perf = ERR_PTR(-ENODEV);
	unsigned int cpu;

	if (args->type == PERF_TYPE_TRACEPOINT || args->type == PERF_TYPE_BREAKPOINT)
		return -EOPNOTSUPP;
	/* On hybrid machines one kind of CPU may have the event. */
	for_each_online_cpu(cpu) {
		perf = create(args, cpu, NULL);
		if (!IS_ERR(perf))
			break;
	}
	if (IS_ERR(perf))
		return PTR_ERR(perf);
	perf_event_release_kernel(perf);
	return 0;
}

int event_set(struct session *s, const struct pitrace_event_args *args)
{
	const u32 known = PITRACE_EVENT_RATE | PITRACE_EVENT_USER | PITRACE_EVENT_KERNEL |
			  PITRACE_EVENT_CLEAR;
	bool clear = args->flags & PITRACE_EVENT_CLEAR;
	int err = 0;

	if (args->flags & ~known ||
	    (args->flags & PITRACE_EVENT_USER && args->flags & PITRACE_EVENT_KERNEL))
		return -EINVAL;
	if (args->type == PITRACE_EVENT_NONE) {
		if (args->flags != PITRACE_EVENT_CLEAR)
			return -EINVAL;
	} else if (!args->period || args->period >> 63 ||
		   (args->flags & PITRACE_EVENT_RATE && args->period > PITRACE_MAX_RATE) ||
		   !memchr(args->name, 0, sizeof(args->name))) {
		return -EINVAL;
	}
	mutex_lock(&s->lock);
	if (s->state != PITRACE_STATE_OFF)
		err = -EBUSY;
	else if (args->type != PITRACE_EVENT_NONE)
		err = !clear && s->nevents == PITRACE_EVENTS ? -ENOSPC : try(args);
	if (!err) {
		if (clear)
			s->nevents = 0;
		if (args->type != PITRACE_EVENT_NONE) {
			s->events[s->nevents] = *args;
			s->events[s->nevents++].flags &= ~PITRACE_EVENT_CLEAR;
		}
	}
	mutex_unlock(&s->lock);
	return err;
}

/* Creates the counters that are missing on online CPUs, and releases those of CPUs that went
 * offline. Returns the number of this event's counters; *err: why one could not be created. */
static unsigned int fill(struct session *s, u32 number, int *err)
{
	unsigned int cpu, have = 0;

	for (cpu = 0; cpu < s->ncpus; cpu++) {
		struct event_cpu *e = s->cpu[cpu] ? &s->cpu[cpu]->event[number] : NULL;
		struct perf_event *perf;

		if (!e)
			continue;
		if (READ_ONCE(e->stale))
			release(e);
		if (!e->perf && cpu_online(cpu)) {
			*e = (struct event_cpu){ .session = s, .cpu = cpu, .number = number };
			perf = create(&s->events[number], cpu, e);
			if (IS_ERR(perf)) {
				*err = PTR_ERR(perf);
				continue;
			}
			e->perf = perf;
			if (s->counting)
				perf_event_enable(perf);
		}
		have += !!e->perf;
	}
	return have;
}

static void pause(struct session *s, bool pause)
{
	unsigned int cpu;
	u32 i;

	s->counting = !pause;
	for (cpu = 0; cpu < s->ncpus; cpu++)
		for (i = 0; s->cpu[cpu] && i < s->nevents; i++) {
			struct perf_event *perf = s->cpu[cpu]->event[i].perf;

			if (perf && pause)
				perf_event_disable(perf);
			else if (perf)
				perf_event_enable(perf);
		}
}

/* A pinned event that got no free counter is in error state and would silently count nothing. */
static bool all_count(const struct session *s)
{
	unsigned int cpu;
	u32 i;

	for (cpu = 0; cpu < s->ncpus; cpu++)
		for (i = 0; s->cpu[cpu] && i < s->nevents; i++) {
			const struct perf_event *perf = s->cpu[cpu]->event[i].perf;

			if (perf && READ_ONCE(perf->state) == PERF_EVENT_STATE_ERROR)
				return false;
		}
	return true;
}

int event_start(struct session *s)
{
	int err = 0;
	u32 i;

	if (!event_wanted(s))
		return 0;
	mutex_lock(&s->event_lock);
	for (i = 0; i < s->nevents && !err; i++) {
		int why = -ENODEV;

		if (!fill(s, i, &why))
			err = why;
	}
	if (!err) {
		pause(s, false);
		if (!all_count(s))
			err = -EADDRINUSE;
	}
	mutex_unlock(&s->event_lock);
	return err;
}

void event_pause(struct session *s, bool stop)
{
	if (!event_wanted(s))
		return;
	mutex_lock(&s->event_lock);
	pause(s, stop);
	mutex_unlock(&s->event_lock);
}

void event_release(struct session *s)
{
	unsigned int cpu;
	u32 i;

	cancel_work_sync(&s->refill);
	mutex_lock(&s->event_lock);
	s->counting = false;
	for (cpu = 0; cpu < s->ncpus; cpu++)
		for (i = 0; s->cpu[cpu] && i < PITRACE_EVENTS; i++)
			release(&s->cpu[cpu]->event[i]);
	mutex_unlock(&s->event_lock);
}

/* ---- CPUs that come and go ------------------------------------------------------------------- */

static void refill(struct work_struct *work)
{
	struct session *s = container_of(work, struct session, refill);
	int err;
	u32 i;

	mutex_lock(&s->event_lock);
	for (i = 0; i < s->nevents; i++)
		fill(s, i, &err);
	mutex_unlock(&s->event_lock);
}

void event_init(struct session *s)
{
	mutex_init(&s->event_lock);
	INIT_WORK(&s->refill, refill);
}

static void mark_stale(struct session *s, unsigned int cpu)
{
	u32 i;

	for (i = 0; i < s->nevents; i++)
		WRITE_ONCE(s->cpu[cpu]->event[i].stale, true);
}

/* Counters that a refill created while the CPU was going offline are dead too. */
void event_cpu_online(struct session *s, unsigned int cpu)
{
	if (!event_wanted(s))
		return;
	mark_stale(s, cpu);
	queue_work(work_queue, &s->refill);
}

void event_cpu_offline(struct session *s, unsigned int cpu)
{
	if (!event_wanted(s))
		return;
	mark_stale(s, cpu);
	ring_announce(&s->cpu[cpu]->ring[PITRACE_RING_TRACE]);
	queue_work(work_queue, &s->refill);
}
