// SPDX-License-Identifier: GPL-2.0
/*
 * The rules for those without CAP_PERFMON. ptrace's own check is not exported; this one is
 * stricter: the same uid and gid everywhere, dumpable, the same user namespace, no more
 * capabilities.
 */
#include <linux/cred.h>
#include <linux/pid_namespace.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include "compat/dumpable.h"
#include "core/access.h"
#include "core/quota.h"

#define DUMPABLE 1 /* SUID_DUMP_USER */

static bool covers(const struct cred *owner, const struct cred *other)
{
	return uid_eq(owner->uid, other->uid) && uid_eq(owner->uid, other->euid) &&
	       uid_eq(owner->uid, other->suid) && gid_eq(owner->gid, other->gid) &&
	       gid_eq(owner->gid, other->egid) && gid_eq(owner->gid, other->sgid) &&
	       owner->user_ns == other->user_ns &&
	       cap_issubset(other->cap_permitted, owner->cap_permitted);
}

/* A process that has released its memory has nothing to protect. */
bool access_task_dumpable(const struct task_struct *task)
{
	struct mm_struct *mm = READ_ONCE(task->mm);

	return !mm || compat_dumpable(task, mm) == DUMPABLE;
}

bool cred_covers_task_cred(const struct cred *owner, const struct task_struct *task)
{
	bool may;

	rcu_read_lock();
	may = covers(owner, __task_cred(task));
	rcu_read_unlock();
	return may;
}

bool cred_covers_task_rcu(const struct cred *owner, const struct task_struct *task)
{
	return cred_covers_task_cred(owner, task) && access_task_dumpable(task);
}

bool caller_may_use(const struct cred *owner)
{
	return (owner && covers(owner, current_cred())) || perfmon_capable();
}

bool owner_may_trace(const struct cred *owner, struct task_struct *task)
{
	bool may;

	if (!owner)
		return true;
	may = cred_covers_task_cred(owner, task);
	/* task_lock keeps the memory in place. */
	task_lock(task);
	may = may && access_task_dumpable(task);
	task_unlock(task);
	return may;
}

/* Making a thread wait needs the rights of a debugger. */
bool session_may_halt_current(const struct session *s)
{
	if (is_global_init(current))
		return false;
	return s->halts_all || cred_covers_task_rcu(s->maker, current);
}

int session_owner_init(struct session *s)
{
	if (!perfmon_capable()) {
		s->quota = quota_get(current_cred());
		if (IS_ERR(s->quota))
			return PTR_ERR(s->quota);
		s->cred = get_current_cred();
	}
	s->maker = get_current_cred();
	s->halts_all = ns_capable_noaudit(&init_user_ns, CAP_SYS_PTRACE);
	s->hides_kernel = s->cred || security_locked_down(LOCKDOWN_PERF);
	return 0;
}

void session_owner_exit(struct session *s)
{
	quota_put(s->quota);
	put_cred(s->cred);
	put_cred(s->maker);
}

int access_check_scope(struct session *s)
{
	struct task_struct *task;
	int err;

	if (!s->cred)
		return 0;
	task = get_pid_task(s->root, PIDTYPE_PID);
	if (!task)
		return -ESRCH;
	err = owner_may_trace(s->cred, task) ? 0 : -EPERM;
	put_task_struct(task);
	return err;
}

void access_prune_scope(struct session *s)
{
	unsigned int nr;

	if (!s->cred)
		return;
	/* Pids and credentials were not tracked while off: pids may have been reused. */
	for_each_set_bit(nr, s->pids, PITRACE_PIDS) {
		struct task_struct *task;

		rcu_read_lock();
		task = pid_task(find_pid_ns(nr, &init_pid_ns), PIDTYPE_TGID);
		if (!task || !owner_may_trace(s->cred, task))
			clear_bit(nr, s->pids);
		rcu_read_unlock();
	}
}

/* Allowed: samples, the records that name them, and records of the user's own programs. */
int access_check_setup(const struct session *s, const struct pitrace_setup_args *args)
{
	DECLARE_BITMAP(majors, PITRACE_MAJORS);

	if (s->hides_kernel &&
	    (args->stacks & PITRACE_WANT_KERNEL ||
	     args->majors[0] & (BIT_ULL(PITRACE_BRANCH_KERNEL) | BIT_ULL(PITRACE_BREAK_KERNEL))))
		return -EPERM;
	if (!s->cred)
		return 0;
	bitmap_from_arr64(majors, args->majors, PITRACE_MAJORS);
	__clear_bit(PITRACE_TPROF, majors);
	__clear_bit(PITRACE_SYSINFO, majors);
	__clear_bit(PITRACE_MTE, majors);
	__clear_bit(PITRACE_HOOKIT, majors);
	__clear_bit(PITRACE_NAMED, majors);
	__clear_bit(PITRACE_BRANCH_USER, majors);
	__clear_bit(PITRACE_BREAK_USER, majors);
	__clear_bit(PITRACE_ITRACE_SWITCH, majors);
	__clear_bit(PITRACE_ITRACE_START, majors);
	__clear_bit(PITRACE_ITRACE_STOP, majors);
	__clear_bit(PITRACE_CODE, majors);
	bitmap_clear(majors, PITRACE_USER_FIRST, PITRACE_MAJORS - PITRACE_USER_FIRST);
	return bitmap_empty(majors, PITRACE_MAJORS) && !(args->stacks & PITRACE_WANT_DISPATCH) ?
		       0 :
		       -EPERM;
}

void access_drop_current(void)
{
	struct session *s;
	int i;

	preempt_disable();
	for_each_active(s, i)
		if (!session_may_trace_current(s) && session_has(s, current->tgid))
			clear_bit(current->tgid, s->pids);
	preempt_enable();
}
