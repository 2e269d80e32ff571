/* SPDX-License-Identifier: GPL-2.0 */
/* May a process be dumped, 0 to 2 (prctl PR_SET_DUMPABLE)? The caller keeps `mm`, the task's
 * memory, alive. */
#ifndef PITRACE_COMPAT_DUMPABLE_H
#define PITRACE_COMPAT_DUMPABLE_H

#include <linux/sched/coredump.h>
#ifndef PROBE_get_dumpable
#include <linux/sched/exec_state.h>
#endif

static inline int compat_dumpable(const struct task_struct *task, struct mm_struct *mm)
{
#ifdef PROBE_get_dumpable
	return get_dumpable(mm);
#else
	const struct task_exec_state *state;
	int dumpable = 0;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	if (state)
		dumpable = READ_ONCE(state->dumpable);
	rcu_read_unlock();
	return dumpable;
#endif
}

#endif
