// SPDX-License-Identifier: GPL-2.0
/*
 * The threads that a ptt watches. Calls and forks add them, under a lock that the switch hook does
 * not take; calls and their last switch remove them.
 */
#include <linux/bitmap.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include "core/access.h"
#include "ptt/watch.h"

#define INHERIT (PITRACE_PTT_PROCESS | PITRACE_PTT_CHILDREN)

/* ---- slots; the lock is held ----------------------------------------------------------------- */

/* Adds the values of the slot's thread to those of all removed threads. */
static void slot_free(struct ptt *p, u32 slot)
{
	struct pitrace_ptt_thread *t = p->thread[slot].page;
	struct pitrace_ptt_control *c = p->control;
	u32 i;

	ptt_write_begin(&c->sequence);
	c->gone++;
	c->gone_dispatches += t->dispatches;
	c->gone_interrupts += t->interrupts;
	for (i = 0; i < p->metrics; i++) {
		c->gone_value[i] += t->metric[i].value;
		c->gone_interrupt[i] += t->metric[i].interrupt;
	}
	ptt_write_end(&c->sequence);
	WRITE_ONCE(t->state, PITRACE_PTT_FREE);
	__clear_bit(slot, p->used);
}

/* Returns a free slot, or that of a thread that ended long ago; p->slots: none. */
static u32 slot_get(struct ptt *p)
{
	u32 slot = find_first_zero_bit(p->used, p->slots);

	if (slot < p->slots)
		return slot;
	slot = find_next_bit(p->ended, p->slots, p->oldest);
	if (slot >= p->slots)
		slot = find_first_bit(p->ended, p->slots);
	if (slot >= p->slots || !test_and_clear_bit(slot, p->ended))
		return p->slots;
	p->oldest = slot + 1;
	slot_free(p, slot);
	return slot;
}

static void page_begin(const struct ptt *p, struct pitrace_ptt_thread *t,
		       const struct task_struct *task)
{
	u32 i;

	ptt_write_begin(&t->sequence);
	t->dispatches = t->interrupts = 0;
	t->generation++;
	t->start = task->start_boottime;
	t->cpu = task_cpu(task);
	ptt_set_identity(t, task);
	for (i = 0; i < p->metrics; i++)
		t->metric[i].value = t->metric[i].interrupt = t->metric[i].last = 0;
	t->state = PITRACE_PTT_WATCHED;
	ptt_write_end(&t->sequence);
}

/* Returns its slot, or -errno. EEXIST: it was already watched. */
static int watch(struct ptt *p, struct task_struct *task, u32 inherit)
{
	struct ptt_thread *thread = ptt_find(p, task);
	struct ptt_place *place;
	u32 slot;

	if (thread) {
		thread->inherit |= inherit;
		return -EEXIST;
	}
	/* The thread may have run for the last time. */
	if (READ_ONCE(task->flags) & PF_EXITING)
		return -ESRCH;
	/* No slot is reused, or shown as watched, for a thread that finds no place. */
	place = ptt_room(p, task);
	slot = place ? slot_get(p) : p->slots;
	if (slot >= p->slots)
		return -ENOSPC;
	thread = &p->thread[slot];
	WRITE_ONCE(thread->task, task);
	thread->inherit = inherit;
	page_begin(p, thread->page, task);
	ptt_put(p, place, thread);
	__set_bit(slot, p->used);
	/* If the thread is not ending now, its last switch will find the entry. If it is, that
	 * switch may be over. */
	smp_mb();
	if (!(READ_ONCE(task->flags) & PF_EXITING))
		return slot;
	if (ptt_give_up(p, thread))
		__set_bit(slot, p->leaving);
	return -ESRCH;
}

/* ---- hooks ----------------------------------------------------------------------------------- */

static void born(struct ptt *p, struct task_struct *parent, struct task_struct *child)
{
	const struct ptt_thread *thread = ptt_find(p, parent);
	u32 inherit = thread ? thread->inherit : 0;

	if (!(p->inherit & PITRACE_PTT_ALL) && !(inherit & PITRACE_PTT_CHILDREN) &&
	    !(inherit & PITRACE_PTT_PROCESS && child->tgid == parent->tgid))
		return;
	if (watch(p, child, inherit) == -ENOSPC)
		WRITE_ONCE(p->control->unwatched, p->control->unwatched + 1);
}

void ptt_fork_slow(struct task_struct *parent, struct task_struct *child)
{
	unsigned long flags;
	struct ptt *p;

	preempt_disable_notrace();
	for_each_ptt(p) {
		raw_spin_lock_irqsave(&p->lock, flags);
		born(p, parent, child);
		raw_spin_unlock_irqrestore(&p->lock, flags);
	}
	preempt_enable_notrace();
}

/* It may have a different thread id by now, and credentials that its owner must not see. */
void ptt_exec_slow(void)
{
	struct ptt_thread *thread;
	unsigned long flags;
	struct ptt *p;

	preempt_disable_notrace();
	for_each_ptt(p) {
		raw_spin_lock_irqsave(&p->lock, flags);
		thread = ptt_find(p, current);
		if (thread) {
			ptt_write_begin(&thread->page->sequence);
			ptt_set_identity(thread->page, current);
			ptt_write_end(&thread->page->sequence);
		}
		raw_spin_unlock_irqrestore(&p->lock, flags);
		if (thread && p->cred)
			ptt_look_at(p, current);
	}
	preempt_enable_notrace();
}

/* ioctls */

static int watch_locked(struct ptt *p, struct task_struct *task, u32 inherit)
{
	unsigned long flags;
	int slot;

	raw_spin_lock_irqsave(&p->lock, flags);
	slot = watch(p, task, inherit);
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return slot;
}

/* Frees slots in `leaving`, after waiting until no CPU uses them. */
static int free_leaving(struct ptt *p)
{
	unsigned long flags;
	u32 slot;
	int n = 0;

	if (bitmap_empty(p->leaving, p->slots))
		return 0;
	ptt_look(p);
	raw_spin_lock_irqsave(&p->lock, flags);
	for_each_set_bit(slot, p->leaving, p->slots) {
		__clear_bit(slot, p->leaving);
		slot_free(p, slot);
		n++;
	}
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return n;
}

static int add_one(struct ptt *p, struct task_struct *task)
{
	struct ptt_thread *thread;
	int slot = watch_locked(p, task, 0);

	if (slot >= 0)
		ptt_look_at(p, task);
	if (slot != -EEXIST)
		return slot;
	preempt_disable();
	thread = ptt_find(p, task);
	slot = thread ? (int)thread->slot : -ESRCH;
	preempt_enable();
	return slot;
}

/*
 * All threads of a process (NULL: all threads). A thread created meanwhile is at the end of the
 * list before the fork hook looks up its parent: either the parent is watched by then, or the walk
 * will still come to the parent, and then to the child.
 */
static int add_many(struct ptt *p, struct task_struct *process, u32 inherit)
{
	struct task_struct *leader, *task;
	int n = 0, err = 0, slot;

	rcu_read_lock();
	for_each_process_thread(leader, task) {
		if (process && !same_thread_group(task, process))
			continue;
		slot = watch_locked(p, task, inherit);
		if (slot >= 0)
			n++;
		else if (slot == -ENOSPC)
			err = slot;
	}
	rcu_read_unlock();
	if (n)
		ptt_look(p);
	return err ?: n;
}

/* Returns a reference, or an error. */
static struct task_struct *get_task(const struct ptt *p, s32 tid)
{
	struct task_struct *task;

	if (tid < 0)
		return ERR_PTR(-EINVAL);
	rcu_read_lock();
	task = tid ? pid_task(find_vpid(tid), PIDTYPE_PID) : current;
	if (task)
		get_task_struct(task);
	rcu_read_unlock();
	if (!task)
		return ERR_PTR(-ESRCH);
	if (owner_may_trace(p->cred, task))
		return task;
	put_task_struct(task);
	return ERR_PTR(-EPERM);
}

static int add_all(struct ptt *p)
{
	unsigned long flags;

	if (p->cred)
		return -EPERM;
	raw_spin_lock_irqsave(&p->lock, flags);
	p->inherit = PITRACE_PTT_ALL;
	raw_spin_unlock_irqrestore(&p->lock, flags);
	return add_many(p, NULL, 0);
}

int ptt_add(struct ptt *p, const struct pitrace_ptt_thread_args *args)
{
	struct task_struct *task;
	int err;

	if (args->flags & ~(PITRACE_PTT_ALL | INHERIT))
		return -EINVAL;
	if (args->flags & PITRACE_PTT_ALL) {
		if (args->tid || args->flags != PITRACE_PTT_ALL)
			return -EINVAL;
		err = add_all(p);
	} else {
		task = get_task(p, args->tid);
		if (IS_ERR(task))
			return PTR_ERR(task);
		err = args->flags ? add_many(p, task, args->flags) : add_one(p, task);
		put_task_struct(task);
	}
	free_leaving(p);
	return err;
}

/* Does the request mean this slot? The task of a thread that ended may be reused by now. */
static bool meant(const struct ptt *p, const struct pitrace_ptt_thread_args *args,
		  const struct task_struct *task, u32 slot)
{
	const struct ptt_thread *t = &p->thread[slot];

	switch (args->flags) {
	case PITRACE_PTT_ALL:
		return true;
	case PITRACE_PTT_SLOT:
		return slot == args->tid;
	case PITRACE_PTT_PROCESS:
		return t->page->pid == task->tgid;
	}
	return t->task == task && !test_bit(slot, p->ended);
}

static void leave(struct ptt *p, const struct pitrace_ptt_thread_args *args,
		  const struct task_struct *task)
{
	unsigned long flags;
	u32 slot;

	raw_spin_lock_irqsave(&p->lock, flags);
	for_each_set_bit(slot, p->used, p->slots)
		if (meant(p, args, task, slot) &&
		    (test_and_clear_bit(slot, p->ended) || ptt_give_up(p, &p->thread[slot])))
			__set_bit(slot, p->leaving);
	if (args->flags == PITRACE_PTT_ALL)
		p->inherit = 0;
	raw_spin_unlock_irqrestore(&p->lock, flags);
}

int ptt_remove(struct ptt *p, const struct pitrace_ptt_thread_args *args)
{
	const u32 kinds = PITRACE_PTT_PROCESS | PITRACE_PTT_ALL | PITRACE_PTT_SLOT;
	struct task_struct *task;

	if (args->flags & ~kinds || hweight32(args->flags) > 1 || args->tid < 0 ||
	    (args->flags == PITRACE_PTT_ALL && args->tid))
		return -EINVAL;
	if (args->flags == PITRACE_PTT_SLOT || args->flags == PITRACE_PTT_ALL) {
		leave(p, args, NULL);
	} else {
		task = get_task(p, args->tid);
		if (IS_ERR(task))
			return PTR_ERR(task);
		leave(p, args, task);
		put_task_struct(task);
	}
	return free_leaving(p) ?: -ESRCH;
}
