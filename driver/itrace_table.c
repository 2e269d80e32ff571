// SPDX-License-Identifier: GPL-2.0
/* Where traced threads are kept. */
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include "itrace_table.h"

struct it_place it_places[(1 << IT_BITS) + IT_TRIES];
DEFINE_RAW_SPINLOCK(it_lock);
static struct it_thread *threads;
static DECLARE_BITMAP(used, IT_THREADS);
static DEFINE_MUTEX(needing);

struct it_thread *it_add(struct session *s, struct task_struct *task)
{
	struct it_place *place = &it_places[hash_ptr(task, IT_BITS)];
	unsigned long slot;
	struct it_thread *t;
	int i;

	for (i = 0; i < IT_TRIES && place->task; i++)
		place++;
	slot = find_first_zero_bit(used, IT_THREADS);
	if (i == IT_TRIES || slot >= IT_THREADS || !threads)
		return NULL;
	set_bit(slot, used);
	t = &threads[slot];
	memset(t, 0, sizeof(*t));
	t->task = task;
	t->session = s;
	refcount_set(&t->refs, 1);
	place->thread = t;
	smp_store_release(&place->task, task);
	return t;
}

void it_remove(struct it_thread *t)
{
	struct it_place *place = &it_places[hash_ptr(t->task, IT_BITS)];
	int i;

	for (i = 0; i < IT_TRIES; i++)
		if (place[i].thread == t && place[i].task == t->task)
			WRITE_ONCE(place[i].task, NULL);
	/* Its task work may still come. */
	WRITE_ONCE(t->state, IT_QUIET);
	WRITE_ONCE(t->session, NULL);
	it_put(t);
}

/* Its slot may be given to another as soon as the bit is clear. */
void it_put(struct it_thread *t)
{
	if (refcount_dec_and_test(&t->refs))
		clear_bit_unlock(t - threads, used);
}

struct it_thread *it_next(const struct session *s, struct it_thread *t)
{
	unsigned long slot = t ? t - threads + 1 : 0;

	if (!threads)
		return NULL;
	for_each_set_bit_from(slot, used, IT_THREADS) {
		t = &threads[slot];
		if (s ? t->session == s : t->session != NULL)
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
		smp_store_release(&threads, all);
	}
	mutex_unlock(&needing);
	return err;
}

void it_table_exit(void)
{
	vfree(threads);
}
