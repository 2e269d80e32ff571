// SPDX-License-Identifier: GPL-2.0
/* Metrics as users request them, and the perf events that count them. */
#include <linux/err.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "core/paranoid.h"
#include "ptt/counter.h"

static bool user_counters;
module_param(user_counters, bool, 0644);
MODULE_PARM_DESC(user_counters,
		 "threads that a ptt watches may read this machine's hardware counters");

/* requests */

static bool same(const struct pitrace_metric *a, const struct pitrace_metric *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static int get_cycles_metric(struct ptt_counter *counter)
{
	const struct pitrace_metric *m = &counter->metric;

	if (m->flags || m->config || m->config1 || m->config2)
		return -EINVAL;
	counter->how = PITRACE_HOW_CYCLES;
	counter->width = 64;
	return 0;
}

/* perf's clock events ignore exclude_user and exclude_kernel. */
static bool is_clock(const struct pitrace_metric *m)
{
	return m->type == PERF_TYPE_SOFTWARE &&
	       (m->config == PERF_COUNT_SW_CPU_CLOCK || m->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Events are created by a kernel thread, which perf allows everything, so the check is here: a
 * member gets only what any user could learn about its own code. A raw event could also count the
 * sibling hyperthread. And a hardware counter is taken from all other users on all CPUs: members
 * get it only if perf allows them counters of CPUs. */
static bool for_members(const struct pitrace_metric *m)
{
	if (m->flags != PITRACE_METRIC_USER || m->config1 || m->config2)
		return false;
	return m->type == PERF_TYPE_SOFTWARE ||
	       ((m->type == PERF_TYPE_HARDWARE || m->type == PERF_TYPE_HW_CACHE) &&
		paranoid_allows_cpu_counters());
}

static int get_event(struct ptt_counter *counter, bool member)
{
	const struct pitrace_metric *m = &counter->metric;

	if (m->flags & ~(PITRACE_METRIC_USER | PITRACE_METRIC_KERNEL) ||
	    (m->flags & PITRACE_METRIC_USER && m->flags & PITRACE_METRIC_KERNEL))
		return -EINVAL;
	if (m->type == PERF_TYPE_TRACEPOINT || m->type == PERF_TYPE_BREAKPOINT ||
	    m->type > INT_MAX || (is_clock(m) && m->flags))
		return -EOPNOTSUPP;
	if (member && !for_members(m))
		return -EPERM;
	counter->how = PITRACE_HOW_NOT;
	counter->width = 64;
	/* Access to one counter is access to all of the CPU's: not for members. */
	if (ARCH_USER_COUNTERS && READ_ONCE(user_counters) && !member &&
	    m->type != PERF_TYPE_SOFTWARE) {
		counter->how = PITRACE_HOW_COUNTER;
		counter->width = arch_counter_width(m);
	}
	counter->counted = m->type == PERF_TYPE_SOFTWARE && !is_clock(m);
	counter->perf = kcalloc(nr_cpu_ids, sizeof(*counter->perf), GFP_KERNEL_ACCOUNT);
	return counter->perf ? 0 : -ENOMEM;
}

int counters_get(struct ptt_counter *counters, const struct pitrace_metric *metrics, u32 count,
		 bool member, u32 *failed)
{
	u32 i, before;
	int err;

	for (i = 0; i < count; i++) {
		*failed = i;
		for (before = 0; before < i; before++)
			if (same(&metrics[before], &metrics[i]))
				return -EEXIST;
		counters[i].metric = metrics[i];
		err = metrics[i].type == PITRACE_METRIC_CYCLES ? get_cycles_metric(&counters[i]) :
								 get_event(&counters[i], member);
		if (err)
			return err;
	}
	*failed = 0;
	return 0;
}

bool counters_are_events(const struct ptt_counter *counters, u32 count)
{
	while (count--)
		if (counters[count].perf)
			return true;
	return false;
}

bool counters_user_readable(const struct ptt_counter *counters, u32 count)
{
	for (; count--; counters++)
		if (counters->how == PITRACE_HOW_COUNTER)
			return true;
	return false;
}

/* ---- events ---------------------------------------------------------------------------------- */

static void release(struct perf_event **perf)
{
	if (*perf)
		perf_event_release_kernel(*perf);
	*perf = NULL;
}

void counters_put(struct ptt_counter *counters, u32 count)
{
	unsigned int cpu;

	for (; count--; counters++) {
		for (cpu = 0; counters->perf && cpu < nr_cpu_ids; cpu++)
			release(&counters->perf[cpu]);
		kfree(counters->perf);
		counters->perf = NULL;
	}
}

/*
 * Dynamic PMU types: those of CPU counters may be used, but kprobes have one too, and interpret the
 * other attributes as addresses. So the type is tried with all attributes 0, which kprobes refuse.
 */
static int fit_type(u32 type, unsigned int cpu)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type, .disabled = 1 };
	struct perf_event *perf;
	bool fits;

	if (type < PERF_TYPE_MAX)
		return 0;
	perf = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(perf))
		return PTR_ERR(perf) == -ENOENT ? -ENOENT : -EOPNOTSUPP;
	fits = perf->pmu->task_ctx_nr == perf_hw_context;
	perf_event_release_kernel(perf);
	return fits ? 0 : -EOPNOTSUPP;
}

/* Does the event count on this CPU, by a counter of this CPU? */
static int fit(const struct perf_event *perf, const struct pitrace_metric *metric, unsigned int cpu)
{
	if (perf->cpu != cpu ||
	    (perf->pmu->task_ctx_nr != perf_hw_context && metric->type != PERF_TYPE_SOFTWARE))
		return -EOPNOTSUPP;
	return READ_ONCE(perf->state) == PERF_EVENT_STATE_ACTIVE ? 0 : -EADDRINUSE;
}

static int make(struct ptt_counter *counter, unsigned int cpu)
{
	const struct pitrace_metric *m = &counter->metric;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = m->type,
		.config = m->config,
		.config1 = m->config1,
		.config2 = m->config2,
		.pinned = 1,
		.exclude_kernel = !!(m->flags & PITRACE_METRIC_USER),
		.exclude_hv = !!(m->flags & PITRACE_METRIC_USER),
		.exclude_user = !!(m->flags & PITRACE_METRIC_KERNEL),
	};
	struct perf_event *perf;
	int err = fit_type(m->type, cpu);

	if (err)
		return err;
	perf = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	if (IS_ERR(perf))
		return PTR_ERR(perf);
	err = fit(perf, m, cpu);
	if (err)
		perf_event_release_kernel(perf);
	else
		counter->perf[cpu] = perf;
	return err;
}

int counters_make(struct ptt_counter *counters, u32 count, unsigned int cpu,
		  struct counters_lack *lack)
{
	u32 i;
	int err;

	for (i = 0; i < count; i++)
		if (counters[i].perf)
			release(&counters[i].perf[cpu]);
	lack->missing = 0;
	for (i = 0; i < count; i++) {
		err = counters[i].perf ? make(&counters[i], cpu) : 0;
		if (!err)
			continue;
		lack->missing |= BIT(i);
		lack->which = i;
		lack->why = err;
		if (err != -ENOENT && err != -ENODEV && err != -EOPNOTSUPP)
			return err;
	}
	return 0;
}

u32 counters_missing(const struct ptt_counter *counters, u32 count, unsigned int cpu)
{
	u32 i, missing = 0;

	for (i = 0; i < count; i++)
		if (counters[i].perf &&
		    (!counters[i].perf[cpu] ||
		     READ_ONCE(counters[i].perf[cpu]->state) != PERF_EVENT_STATE_ACTIVE))
			missing |= BIT(i);
	return missing;
}
