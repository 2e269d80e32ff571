// SPDX-License-Identifier: GPL-2.0
/*
 * The walk of all live tasks at *on*: hooks are on before it, ticks begin after it, so that no tick
 * can hit a process without a description. Processes created meanwhile whose parent was not yet
 * described are walked in a further pass.
 */
#include <linux/delay.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/vmalloc.h>
#include <linux/timekeeping.h>
#include "core/access.h"
#include "core/pages.h"
#include "core/session.h"
#include "records/mte.h"
#include "records/walk.h"

#define PASSES 8

static bool should_stop(const bool *end)
{
	return end && READ_ONCE(*end);
}

/* In continuous mode a consumer frees space: does not write faster than it reads. False: nobody
 * consumes. */
static bool throttle(struct session *s, const bool *end)
{
	struct ring *r = session_ring(s, raw_smp_processor_id(), PITRACE_RING_MTE);

	if (!r || s->mode == PITRACE_MODE_NORMAL || !ring_half_full(r))
		return true;
	session_wake(s);
	return wait_event_killable_timeout(s->wait, !ring_half_full(r) || should_stop(end), HZ) > 0;
}

/* A worker cannot be killed while it waits for memory whose owner hangs, so it only tries for one
 * second. */
static int lock_memory(struct mm_struct *mm, const bool *end)
{
	int tries;

	if (!end)
		return mmap_read_lock_killable(mm);
	for (tries = 0; tries < 100 && !should_stop(end); tries++) {
		if (mmap_read_trylock(mm))
			return 0;
		msleep(10);
	}
	return -EAGAIN;
}

/* Writes one process: its existence, then its mappings, each stamped inside its mmap lock. An exec
 * meanwhile replaces its memory and makes these records stale: then they are written again. */
static int emit_process(struct session *s, struct task_struct *task, const bool *end)
{
	struct vm_area_struct *vma;
	struct mm_struct *mm;
	int err = 0, tries = 4;
	bool changed;

	do {
		mte_task(s, PITRACE_MTE_PROCESS, task, PITRACE_TASK_WALK);
		mm = get_task_mm(task);
		if (!mm)
			return 0;
		err = lock_memory(mm, end);
		if (!err) {
			VMA_ITERATOR(it, mm, 0);

			for_each_vma(it, vma)
				if (vma->vm_flags & VM_EXEC)
					mte_map(s, task->tgid, vma, PITRACE_MAP_WALK);
			mmap_read_unlock(mm);
		}
		changed = READ_ONCE(task->mm) && READ_ONCE(task->mm) != mm;
		mmput(mm);
	} while (!err && changed && --tries);
	return err;
}

static void emit_threads(struct session *s, struct task_struct *leader)
{
	struct task_struct *t;

	rcu_read_lock();
	for_each_thread(leader, t)
		if (t != leader)
			mte_task(s, PITRACE_MTE_THREAD, t, PITRACE_TASK_WALK);
	rcu_read_unlock();
}

static void emit_ancestors(struct session *s, struct task_struct *task)
{
	struct task_struct *p;
	int depth = 0;

	rcu_read_lock();
	for (p = pid_alive(task) ? rcu_dereference(task->real_parent) : NULL;
	     p && p->pid && depth < 64; p = rcu_dereference(p->real_parent), depth++)
		mte_task(s, PITRACE_MTE_PROCESS, p, PITRACE_TASK_WALK | PITRACE_TASK_ANCESTOR);
	rcu_read_unlock();
}

static int emit_all(struct session *s, struct task_struct *task, const bool *end)
{
	int err;

	if (s->scope == PITRACE_SCOPE_PROCESS)
		emit_ancestors(s, task);
	err = emit_process(s, task, end);
	emit_threads(s, task);
	return err;
}

/* Walks a process for an owner who is limited to its own processes: without ancestors, and with
 * exec locked out, so that the process gains no credentials between the check and the last
 * mapping. */
static int emit_own(struct session *s, struct task_struct *task, const bool *end)
{
	struct rw_semaphore *exec = &task->signal->exec_update_lock;
	int err = down_read_killable(exec);

	if (err)
		return err;
	if (owner_may_trace(s->cred, task)) {
		err = emit_process(s, task, end);
		emit_threads(s, task);
	} else {
		clear_bit(task->tgid, s->pids);
	}
	up_read(exec);
	return err;
}

/* Returns references to the leaders of all processes in scope that began at or after `since`. */
static struct task_struct **gather(struct session *s, u64 since, unsigned int *count)
{
	unsigned int room = 0, n;
	struct task_struct *p, **list = NULL;

	do {
		vfree(list);
		room = room ? room * 2 : 1024;
		list = pages_alloc(array_size(room, sizeof(*list)));
		if (!list)
			return NULL;
		n = 0;
		rcu_read_lock();
		for_each_process(p) {
			if (p->start_boottime < since || !session_has(s, p->tgid))
				continue;
			if (n < room)
				list[n] = p;
			n++;
		}
		if (n <= room)
			for (*count = 0; *count < n; ++*count)
				get_task_struct(list[*count]);
		rcu_read_unlock();
	} while (n > room);
	return list;
}

int walk_tasks(struct session *s, const bool *end)
{
	u64 since = 0, next;
	unsigned int i, n;
	int pass, err = 0;
	bool throttled = true;

	for (pass = 0; pass < PASSES && !err; pass++) {
		struct task_struct **list;

		next = ktime_get_boottime_ns();
		list = gather(s, since, &n);
		if (!list)
			return -ENOMEM;
		for (i = 0; i < n; i++) {
			if (!err && session_mte(s) && !should_stop(end)) {
				throttled = throttled && throttle(s, end);
				err = s->cred ? emit_own(s, list[i], end) :
						emit_all(s, list[i], end);
				/* The process keeps its earlier records. */
				if (err == -EAGAIN)
					err = 0;
			}
			put_task_struct(list[i]);
		}
		vfree(list);
		if (!n)
			break;
		since = next;
		cond_resched();
	}
	return err;
}
