// SPDX-License-Identifier: GPL-2.0
/* The threads that a session traces: selecting them, joining, and the end of tracing. */
#include <linux/cpu.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/task_work.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include "core/access.h"
#include "core/file_id.h"
#include "core/pages.h"
#include "itrace/itrace_code.h"
#include "itrace/emit.h"
#include "itrace/itrace_flow.h"
#include "itrace/itrace.h"
#include "itrace/itrace_kernel.h"
#include "itrace/load.h"
#include "itrace/room.h"
#include "itrace/step.h"
#include "itrace/trap.h"
#include "itrace/work.h"

#define FLAGS                                                                  \
	(PITRACE_ITRACE_FOLLOW | PITRACE_ITRACE_LOSSY | PITRACE_ITRACE_STEPS | \
	 PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL | PITRACE_ITRACE_NO_THREADS)

/* the caller's request */

static void free_scope(struct session_itrace *it)
{
	u32 i;

	for (i = 0; i < it->listed; i++)
		put_pid(it->list[i]);
	if (it->ns)
		put_pid_ns(it->ns);
	it->listed = 0;
	it->ns = NULL;
}

static int get_place(struct itrace_place *to, const struct pitrace_itrace_place *from, bool wanted)
{
	struct file *file;

	if (!wanted)
		return from->fd || from->address || from->reserved ? -EINVAL : 0;
	if (from->reserved || from->fd < -1)
		return -EINVAL;
	to->address = from->address;
	if (from->fd == -1)
		return 0;
	file = fget(from->fd);
	if (!file)
		return -EBADF;
	if (S_ISREG(file_inode(file)->i_mode))
		to->file = file_id_open(file);
	fput(file);
	return to->file.inode ? 0 : -EINVAL;
}

/* Adds one pid to the list; the session's owner must be allowed to trace it. */
static int get_listed(const struct session *s, struct session_itrace *it, s32 nr)
{
	struct task_struct *task;
	struct pid *pid;
	int err = 0;

	pid = nr > 0 ? find_get_pid(nr) : NULL;
	if (!pid)
		return nr > 0 ? -ESRCH : -EINVAL;
	task = get_pid_task(pid, it->scope == PITRACE_ITRACE_PIDS ? PIDTYPE_TGID : PIDTYPE_PID);
	if (!task)
		err = -ESRCH;
	else if (!owner_may_trace(s->cred, task))
		err = -EPERM;
	if (task)
		put_task_struct(task);
	if (err)
		put_pid(pid);
	else
		it->list[it->listed++] = pid;
	return err;
}

static int get_list(const struct session *s, struct session_itrace *it,
		    const struct pitrace_itrace_args *args)
{
	s32 *list;
	u32 i;
	int err = 0;

	list = memdup_user(u64_to_user_ptr(args->list), args->listed * sizeof(*list));
	if (IS_ERR(list))
		return PTR_ERR(list);
	for (i = 0; !err && i < args->listed; i++)
		err = get_listed(s, it, list[i]);
	kfree(list);
	return err;
}

static bool valid(const struct pitrace_itrace_args *a)
{
	bool lists = a->scope == PITRACE_ITRACE_PIDS || a->scope == PITRACE_ITRACE_TIDS;
	bool range = a->scope == PITRACE_ITRACE_RANGE;

	if (a->flags & ~FLAGS || a->scope > PITRACE_ITRACE_RANGE || a->reserved0 ||
	    a->reserved1[0] || a->reserved1[1])
		return false;
	if (lists ? !a->listed || a->listed > PITRACE_ITRACE_LIST : a->listed || a->list)
		return false;
	if (range ? a->first <= 0 || a->last < 0 || (a->last && a->last < a->first) :
		    a->first || a->last)
		return false;
	return a->scope != PITRACE_ITRACE_NONE || !(a->flags || a->skip || a->limit);
}

int itrace_set(struct session *s, const struct pitrace_itrace_args *args)
{
	struct session_itrace *it;
	int err;

	if (!itrace_served())
		return -EOPNOTSUPP;
	if (!valid(args))
		return -EINVAL;
	it = kzalloc(sizeof(*it), GFP_KERNEL);
	if (!it)
		return -ENOMEM;
	it->flags = args->flags;
	it->scope = args->scope;
	it->first = args->first;
	it->last = args->last;
	it->skip = args->skip;
	it->limit = args->limit;
	if (it->scope == PITRACE_ITRACE_RANGE)
		it->ns = get_pid_ns(task_active_pid_ns(current));
	err = get_place(&it->start, &args->start, it->flags & PITRACE_ITRACE_FROM);
	if (!err)
		err = get_place(&it->stop, &args->stop, it->flags & PITRACE_ITRACE_UNTIL);
	if (!err && args->listed)
		err = get_list(s, it, args);
	if (!err)
		err = it_table_need();
	if (!err) {
		mutex_lock(&s->lock);
		if (s->state != PITRACE_STATE_OFF) {
			err = -EBUSY;
		} else {
			it->code = s->itrace.code;
			swap(s->itrace, *it);
		}
		mutex_unlock(&s->lock);
	}
	free_scope(it);
	kfree(it);
	return err;
}

int itrace_prepare(struct session *s)
{
	if (!test_bit(PITRACE_CODE, s->majors) || s->itrace.code)
		return 0;
	s->itrace.code = it_code_sums();
	return s->itrace.code ? 0 : -ENOMEM;
}

void itrace_free(struct session *s)
{
	free_scope(&s->itrace);
	vfree(s->itrace.code);
}

/* threads that join */

static bool is_listed(const struct session_itrace *it, const struct pid *pid)
{
	u32 i;

	for (i = 0; i < it->listed; i++)
		if (it->list[i] == pid)
			return true;
	return false;
}

/* Is the task in the requested scope, regardless of its parent? */
static bool in_scope(const struct session_itrace *it, struct task_struct *task)
{
	pid_t nr;

	switch (it->scope) {
	case PITRACE_ITRACE_ALL:
		return true;
	case PITRACE_ITRACE_PIDS:
		return is_listed(it, task_tgid(task));
	case PITRACE_ITRACE_TIDS:
		return is_listed(it, task_pid(task));
	case PITRACE_ITRACE_RANGE:
		nr = task_tgid_nr_ns(task, it->ns);
		return nr >= it->first && (!it->last || nr <= it->last);
	}
	return false;
}

static bool may_join(const struct session *s, struct task_struct *task)
{
	return !(task->flags & (PF_KTHREAD | PF_USER_WORKER | PF_IO_WORKER | PF_EXITING)) &&
	       task->mm && task->tgid != s->itrace.holder && session_has(s, task->tgid) &&
	       owner_may_trace(s->cred, task);
}

/* Is the parent's trace on? Its current call created the child. */
static bool recorded(const struct it_thread *parent)
{
	return READ_ONCE(parent->phase) == IT_RUNNING;
}

/* The child stays in the table, so that its own children are left out too. */
static bool left_out(const struct it_thread *parent, const struct task_struct *child)
{
	u32 flags = parent->session->itrace.flags;

	if (parent->left_out)
		return true;
	return flags & PITRACE_ITRACE_NO_THREADS && child->tgid == parent->task->tgid &&
	       (!(flags & PITRACE_ITRACE_FROM) || recorded(parent));
}

/* Adds the task to the session's threads. Preemption off. A task without room is counted. */
static void join(struct session *s, struct task_struct *task, const struct it_thread *parent,
		 enum pitrace_itrace_why why)
{
	unsigned long flags;
	struct it_thread *t;

	raw_spin_lock_irqsave(&it_lock, flags);
	t = it_find(task);
	/* PF_EXITING is set before the exit hook takes the lock: an entry that is added is removed
	 * there. */
	if (READ_ONCE(task->flags) & PF_EXITING) {
		raw_spin_unlock_irqrestore(&it_lock, flags);
		return;
	}
	if (!t && s->itrace.on) {
		t = it_add(s, task);
		if (t) {
			t->why = why;
			t->skip = s->itrace.skip;
			t->left = s->itrace.limit;
			t->cpu = task_cpu(task);
			t->unit = ~0ull;
			t->maps = ~atomic_read(&it_maps);
			if (parent && parent->session == s) {
				t->start = parent->start;
				t->stop = parent->stop;
				t->started = recorded(parent);
				t->left_out = left_out(parent, task);
				if (t->left_out)
					t->phase = IT_DONE;
			} else {
				t->start = s->itrace.start.file.inode ? 0 : s->itrace.start.address;
				t->stop = s->itrace.stop.file.inode ? 0 : s->itrace.stop.address;
			}
			if (s->itrace.paused)
				t->state = IT_QUIET;
			init_task_work(&t->work, it_work);
			it_show(t);
		} else if (session_here(s)) {
			ring_lose(&session_here(s)->ring[PITRACE_RING_TRACE], PITRACE_LOST_BRANCH,
				  1);
		}
	} else if (t && t->session != s && s->itrace.on) {
		it_emit_taken(s, task);
	}
	raw_spin_unlock_irqrestore(&it_lock, flags);
}

static bool inherits(const struct session *s, const struct it_thread *t,
		     const struct task_struct *child)
{
	if (!t || t->session != s)
		return false;
	if (s->itrace.flags & PITRACE_ITRACE_FOLLOW)
		return true;
	return s->itrace.scope != PITRACE_ITRACE_TIDS && child->tgid == t->task->tgid;
}

/* Joins a child of the current thread, whose entry is `t` if it is traced. */
static void join_child(const struct it_thread *t, struct task_struct *child)
{
	struct session *s;

	for_each_wanting(s, WANT_ITRACE)
		if ((inherits(s, t, child) || in_scope(&s->itrace, child)) && may_join(s, child))
			join(s, child, t, PITRACE_ITRACE_FORK);
}

void itrace_fork(struct task_struct *parent, struct task_struct *child)
{
	struct it_thread *t;

	if (child->flags & (PF_KTHREAD | PF_USER_WORKER))
		return;
	preempt_disable_notrace();
	/* The child's registers are copied from its parent in a call, so without a trap. */
	t = it_find(parent);
	join_child(t, child);
	preempt_enable_notrace();
}

/* ---- on and off ------------------------------------------------------------------------------ */

static bool traces_threads(const struct session *s)
{
	return s->itrace.scope != PITRACE_ITRACE_NONE &&
	       (test_bit(PITRACE_BRANCH_USER, s->majors) ||
		test_bit(PITRACE_BRANCH_KERNEL, s->majors));
}

static void arm_here(void *data)
{
	struct it_thread *t = it_find(current);

	if (t && t->session == data)
		it_arm(t, false);
}

/* Ends the tracing of quiet threads that the session's owner, a member, may no longer trace. */
static void drop_hidden(struct session *s)
{
	struct it_thread *t = NULL, *before;
	unsigned long flags;

	if (!s->cred)
		return;
	do {
		before = t;
		raw_spin_lock_irqsave(&it_lock, flags);
		t = it_next(s, before);
		if (t)
			it_get(t);
		raw_spin_unlock_irqrestore(&it_lock, flags);
		if (before)
			it_put(before);
		if (t && !owner_may_trace(s->cred, t->task))
			WRITE_ONCE(t->phase, IT_DONE);
	} while (t);
}

void itrace_on(struct session *s, enum pitrace_itrace_why why)
{
	struct task_struct *leader, *task;
	struct it_thread *t;
	unsigned long flags;

	if (!traces_threads(s))
		return;
	drop_hidden(s);
	s->itrace.holder = current->tgid;
	if (s->itrace.code && !s->itrace.on)
		it_code_forget(s->itrace.code);
	raw_spin_lock_irqsave(&it_lock, flags);
	s->itrace.on = true;
	s->itrace.paused = false;
	for_each_it(s, t) {
		t->why = why;
		/* The reason before the state: it_arm() reads them in reverse order. */
		smp_store_release(&t->state, IT_ARMING);
	}
	raw_spin_unlock_irqrestore(&it_lock, flags);
	rcu_read_lock();
	for_each_process_thread(leader, task) {
		preempt_disable();
		if (in_scope(&s->itrace, task) && may_join(s, task))
			join(s, task, NULL, why);
		preempt_enable();
	}
	rcu_read_unlock();
	/* A running thread is armed now, a sleeping one when it is switched in, or later. */
	on_each_cpu(arm_here, s, 1);
}

static void disarm_here(void *data)
{
	struct it_thread *t = it_find(current);

	if (t && t->session == data && READ_ONCE(t->state) == IT_QUIET) {
		it_clear_trap(t, task_pt_regs(current));
		it_kernel_quiet(t);
	}
}

/*
 * No trap is set any more once all hooks see that the threads are quiet. The trap may then still be
 * in the threads' return registers. For sleeping threads it is cleared here; for one that is
 * switched out from now on, at the switch; for a running one, by the interrupt, unless it has
 * trapped once more by then, which clears it too.
 */
void itrace_off(struct session *s, bool pause)
{
	struct it_thread *t;
	unsigned long flags;

	if (!s->itrace.on)
		return;
	raw_spin_lock_irqsave(&it_lock, flags);
	s->itrace.on = s->itrace.paused = pause;
	for_each_it(s, t)
		t->was_armed = xchg(&t->state, IT_QUIET) == IT_ARMED;
	raw_spin_unlock_irqrestore(&it_lock, flags);
	synchronize_rcu();
	drop_hidden(s);
	raw_spin_lock_irqsave(&it_lock, flags);
	for_each_it(s, t) {
		it_clear_trap_of(t);
		if (t->was_armed)
			it_cut(t, PITRACE_ITRACE_ON,
			       t->in_call   ? t->back :
			       t->kernel.on ? t->kernel.side.ip :
					      t->user.ip);
		t->in_call = false;
	}
	raw_spin_unlock_irqrestore(&it_lock, flags);
	on_each_cpu(disarm_here, s, 1);
	it_wake_waiting();
	if (pause)
		return;
	raw_spin_lock_irqsave(&it_lock, flags);
	for_each_it(s, t)
		it_remove(t);
	raw_spin_unlock_irqrestore(&it_lock, flags);
	/* A thread that waits for room must see the session's state now, not later. */
	synchronize_rcu();
}
