// SPDX-License-Identifier: GPL-2.0
/* The table of traced threads. */
#include <linux/mutex.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "core/session.h"
#include "itrace/itrace_table.h"

struct it_thread *it_slots[(1 << IT_BITS) + IT_TRIES];
DEFINE_RAW_SPINLOCK(it_lock);
static struct it_thread *threads;
static DECLARE_BITMAP(used, IT_THREADS);
static DEFINE_MUTEX(needing); /* protects allocation of `threads`; innermost lock */

static struct it_thread **free_slot(const struct task_struct *task)
{
	struct it_thread **place = &it_slots[hash_ptr(task, IT_BITS)];
	int i;

	for (i = 0; i < IT_TRIES; i++, place++)
		if (!*place)
			return place;
	return NULL;
}

struct it_thread *it_add(struct session *s, struct task_struct *task)
{
	unsigned long slot;
	struct it_thread *t;

	/* One member's process must not use up the table. */
	if (s->cred && s->itrace.threads >= IT_THREADS_MEMBER)
		return NULL;
	slot = find_first_zero_bit(used, IT_THREADS);
	if (!free_slot(task) || slot >= IT_THREADS || !threads)
		return NULL;
	set_bit(slot, used);
	t = &threads[slot];
	memset(t, 0, sizeof(*t));
	t->task = get_task_struct(task);
	t->session = s;
	s->itrace.threads++;
	refcount_set(&t->refs, 1);
	return t;
}

void it_show(struct it_thread *t)
{
	/* Writes the entry before the pointer to it: it_find() reads through the pointer. */
	smp_store_release(free_slot(t->task), t);
}

void it_remove(struct it_thread *t)
{
	struct it_thread **place = &it_slots[hash_ptr(t->task, IT_BITS)];
	int i;

	for (i = 0; i < IT_TRIES; i++)
		if (place[i] == t)
			WRITE_ONCE(place[i], NULL);
	t->session->itrace.threads--;
	/* Its task work may still run. */
	WRITE_ONCE(t->state, IT_QUIET);
	WRITE_ONCE(t->session, NULL);
	it_put(t);
}

/* No hook uses it any more: its slot can be reused. */
static void it_free(struct rcu_head *rcu)
{
	struct it_thread *t = container_of(rcu, struct it_thread, rcu);

	put_task_struct(t->task);
	clear_bit_unlock(t - threads, used);
}

void it_put(struct it_thread *t)
{
	if (refcount_dec_and_test(&t->refs))
		call_rcu(&t->rcu, it_free);
}

struct it_thread *it_next(const struct session *s, struct it_thread *t)
{
	unsigned long slot = t ? t - threads + 1 : 0;

	if (!threads)
		return NULL;
	for_each_set_bit_from(slot, used, IT_THREADS) {
		t = &threads[slot];
		if (s ? t->session == s : !!t->session)
			return t;
	}
	return NULL;
}

int it_table_need(void)
{
	int err = 0;

	mutex_lock(&needing);
	if (!threads) {
		struct it_thread *all = vzalloc(IT_THREADS * sizeof(*all));

		err = all ? 0 : -ENOMEM;
		/* Clears the memory before the pointer to it is published. */
		smp_store_release(&threads, all);
	}
	mutex_unlock(&needing);
	return err;
}

void it_table_exit(void)
{
	rcu_barrier();
	vfree(threads);
}
