// SPDX-License-Identifier: GPL-2.0
/* Switches between threads. Today only to wake the sampling timers of a CPU that leaves idle. */
#include <linux/sched.h>
#include "hook.h"
#include "session.h"

static void on_switch(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	unsigned int cpu;
	struct session *s;
	int i;

	if (!is_idle_task(prev))
		return;
	preempt_disable_notrace();
	cpu = smp_processor_id();
	for_each_active(s, i)
		if (cpu < s->ncpus && s->cpu[cpu])
			tprof_wake(&s->cpu[cpu]->tprof);
	preempt_enable_notrace();
}

struct hook_tracepoint hook_sched_tracepoints[] = {
	{ "sched_switch", on_switch },
	{ }
};
