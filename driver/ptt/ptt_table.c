// SPDX-License-Identifier: GPL-2.0
/*
 * The hash table of watched threads. A task is in the table only while it will run again, so that a
 * later task at the same address is not mistaken for it.
 */
#include <linux/log2.h>
#include <linux/string.h>
#include "ptt/ptt_table.h"

atomic_t ptt_crowd[1 << PTT_CROWD_BITS];

u32 ptt_table_bits(u32 slots)
{
	/* At most a quarter of the places is used: collisions are rare. */
	return order_base_2(slots) + 2;
}

struct ptt_place *ptt_room(const struct ptt *p, const struct task_struct *task)
{
	struct ptt_place *place = &p->place[hash_ptr(task, p->bits)];
	u32 i;

	for (i = 0; i < PTT_TRIES; i++, place++)
		if (!READ_ONCE(place->task))
			return place;
	return NULL;
}

void ptt_put(struct ptt *p, struct ptt_place *place, struct ptt_thread *thread)
{
	u32 at = hash_ptr(thread->task, p->bits), reach = place - &p->place[at] + 1;

	if (p->reach[at] < reach)
		WRITE_ONCE(p->reach[at], reach);
	WRITE_ONCE(place->thread, thread);
	atomic_inc(ptt_crowd_of(thread->task));
	/* Writes the thread before the task: pairs with smp_rmb() in ptt_find(). */
	smp_store_release(&place->task, thread->task);
}

bool ptt_give_up(struct ptt *p, const struct ptt_thread *thread)
{
	struct task_struct *task = thread->task;
	u32 at = hash_ptr(task, p->bits), i;

	for (i = 0; i < PTT_TRIES; i++) {
		struct ptt_place *place = &p->place[at + i];

		if (READ_ONCE(place->task) != task || READ_ONCE(place->thread) != thread)
			continue;
		if (cmpxchg(&place->task, task, NULL) != task)
			return false;
		atomic_dec(ptt_crowd_of(task));
		return true;
	}
	return false;
}

void ptt_forget(const struct ptt *p)
{
	u32 i;

	for (i = 0; p->place && i < ptt_table_places(p->bits); i++)
		if (p->place[i].task)
			atomic_dec(ptt_crowd_of(p->place[i].task));
}

void ptt_set_identity(struct pitrace_ptt_thread *t, const struct task_struct *task)
{
	t->pid = task->tgid;
	t->tid = task->pid;
	strscpy(t->comm, task->comm, sizeof(t->comm));
}

void ptt_ended(struct ptt *p, struct task_struct *task)
{
	struct ptt_thread *thread = ptt_find(p, task);
	struct pitrace_ptt_thread *t;

	if (!thread || !ptt_give_up(p, thread))
		return;
	t = thread->page;
	ptt_write_begin(&t->sequence);
	ptt_set_identity(t, task);
	t->state = PITRACE_PTT_ENDED;
	ptt_write_end(&t->sequence);
	/* A reader that sees the bit also sees the page. */
	smp_mb__before_atomic();
	set_bit(thread->slot, p->ended);
}
