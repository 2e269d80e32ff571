// SPDX-License-Identifier: GPL-2.0
/*
 * The processes in a session's scope: one and its descendants, kept by pid while the session is on.
 * While it is off, the begin and end of processes are not seen, and pids may be reused.
 */
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/timekeeping.h>
#include "core/access.h"
#include "core/pages.h"
#include "core/scope.h"
#include "core/session.h"

int scope_get(struct session *s, const struct pitrace_session_args *args)
{
	struct task_struct *task;
	int err = 0;

	if (args->scope == PITRACE_SCOPE_SYSTEM)
		return args->pid ? -EINVAL : 0;
	if (args->scope != PITRACE_SCOPE_PROCESS || args->pid <= 0)
		return -EINVAL;
	s->pids = pages_alloc(PITRACE_PIDS / 8);
	if (!s->pids)
		return -ENOMEM;
	s->root = find_get_pid(args->pid);
	if (!s->root)
		return -ESRCH;
	rcu_read_lock();
	task = pid_task(s->root, PIDTYPE_PID);
	if (task && task->tgid < PITRACE_PIDS)
		set_bit(task->tgid, s->pids);
	else
		err = -ESRCH;
	rcu_read_unlock();
	s->since = ktime_get_boottime_ns();
	return err;
}

void scope_fork(const struct task_struct *parent, const struct task_struct *child)
{
	struct session *s;
	int i;

	preempt_disable();
	for_each_active(s, i) {
		if (s->scope != PITRACE_SCOPE_PROCESS || child->tgid >= PITRACE_PIDS)
			continue;
		if (session_has(s, parent->tgid) && session_may_trace_current(s))
			set_bit(child->tgid, s->pids);
		else
			clear_bit(child->tgid, s->pids);
	}
	preempt_enable();
}

void scope_begin(struct session *s, u64 begin)
{
	unsigned int nr;

	if (s->scope != PITRACE_SCOPE_PROCESS)
		return;
	for_each_set_bit(nr, s->pids, PITRACE_PIDS) {
		struct task_struct *task;

		rcu_read_lock();
		task = pid_task(find_pid_ns(nr, &init_pid_ns), PIDTYPE_TGID);
		if (!task || (task->start_boottime > s->since && task->start_boottime < begin))
			clear_bit(nr, s->pids);
		rcu_read_unlock();
	}
}
