/* SPDX-License-Identifier: GPL-2.0 */
/* A ptt's data, and the table of watched threads, keyed by task; hooks search it without a lock. */
#ifndef PITRACE_PTT_TABLE_H
#define PITRACE_PTT_TABLE_H

#include <linux/hash.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include "core/pages.h"
#include "ptt/counter.h"
#include "pitrace.h"

/* A slot. Removing the thread's entry from the table ends its counting. */
struct ptt_thread {
	struct pitrace_ptt_thread *page;
	struct task_struct *task; /* only for comparison; may be freed */
	u32 slot;
	u32 inherit; /* PITRACE_PTT_PROCESS, CHILDREN: which new threads to watch */
};

/* One CPU's part; only that CPU writes it, with interrupts off. */
struct ptt_cpu {
	struct pitrace_ptt_cpu *page;
	struct ptt_thread *thread; /* the current one, if watched */
	u32 bucket;                /* of the current thread */
	u32 depth;                 /* interrupts that this CPU is in */
	bool in_interrupt;         /* since the last event; has its own bucket */
	bool on;                   /* the CPU is counting */
	bool stale;                /* its counters must be created or recreated */
	u64 switches;              /* of ptt_switches, already booked in `dispatches` */
	u64 stolen;                /* base value of the system's steal time; the rest is ours */
};

/* Hash table entry of a watched thread. Entries are allocated under the lock and released by
 * cmpxchg. */
struct ptt_place {
	struct task_struct *task; /* NULL: free */
	struct ptt_thread *thread;
};

struct ptt {
	u32 metrics;
	u32 flags; /* PITRACE_PTT_CHARGE */
	struct ptt_counter counter[PITRACE_METRICS];
	struct ptt_cpu **cpu;    /* NULL where a CPU is absent */
	const struct cred *cred; /* the owner's, if a member; else NULL */
	struct quota *quota;     /* the owner's; else NULL */

	struct ptt_place *place; /* a hash table by task */
	u8 *reach;               /* for each hash, how many places to search */
	u32 bits;                /* of the hash */

	raw_spinlock_t lock; /* the slots and the table; hooks take it, innermost */
	struct ptt_thread *thread;
	u32 slots;
	/* Slots. Used: not free; ended: the thread ended, the slot can be reused; leaving: removed
	 * from the table, but CPUs may still use it. */
	unsigned long *used, *ended, *leaving;
	u32 oldest;  /* where the search for an ended one begins */
	u32 inherit; /* PITRACE_PTT_ALL */

	struct mutex changing; /* serializes calls that add or remove; outermost lock */

	bool user_read;            /* threads read counters themselves */
	bool events;               /* some metrics need events on each CPU */
	struct work_struct make;   /* creates these, also for CPUs that come online */
	struct counters_lack lack; /* metrics that no CPU counts so far */
	int err;                   /* of the last CPU */

	u32 id; /* in ptts[] */
	bool stopped;
	unsigned int ncpus; /* possible CPUs */
	struct pitrace_ptt_control *control;
	void *cpu_area, *thread_area;
	unsigned long cpu_bytes, thread_bytes;
	struct pages_charge charge;
};

/* (F) odd before the writes, even after them */
static __always_inline void ptt_write_begin(__u64 *sequence)
{
	WRITE_ONCE(*sequence, *sequence + 1);
	smp_wmb(); /* (F) */
}

static __always_inline void ptt_write_end(__u64 *sequence)
{
	smp_wmb(); /* (F) */
	WRITE_ONCE(*sequence, *sequence + 1);
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Number of tasks in all tables together, by a hash of the task: where it is 0, tables need not be
 * searched. */
#define PTT_CROWD_BITS 12
extern atomic_t ptt_crowd[1 << PTT_CROWD_BITS];

static __always_inline atomic_t *ptt_crowd_of(const struct task_struct *task)
{
	return &ptt_crowd[hash_ptr(task, PTT_CROWD_BITS)];
}

#define PTT_TRIES 16 /* entries to search for a thread */

/* In a hook, preemption off. */
static __always_inline struct ptt_thread *ptt_find(const struct ptt *p,
						   const struct task_struct *task)
{
	u32 at = hash_ptr(task, p->bits), left = READ_ONCE(p->reach[at]);
	const struct ptt_place *place = &p->place[at];
	struct ptt_thread *thread;

	for (; left; left--, place++) {
		if (READ_ONCE(place->task) != task)
			continue;
		/* The place may have been reused since. */
		smp_rmb();
		thread = READ_ONCE(place->thread);
		return READ_ONCE(thread->task) == task ? thread : NULL;
	}
	return NULL;
}

/* The size of the table for this many slots: the bits of its hash, and its places. */
u32 ptt_table_bits(u32 slots);
static inline u32 ptt_table_places(u32 bits)
{
	return (1u << bits) + PTT_TRIES;
}

/* Called when the table is freed; no hook can see it any more. */
void ptt_forget(const struct ptt *p);

/* ptt_room: returns the entry for a thread (lock held); NULL: no free entry near its place.
 * ptt_put: fills it. ptt_give_up: a thread's last switch and calls that remove it may compete:
 * exactly one gets true. */
struct ptt_place *ptt_room(const struct ptt *p, const struct task_struct *task);
void ptt_put(struct ptt *p, struct ptt_place *place, struct ptt_thread *thread);
bool ptt_give_up(struct ptt *p, const struct ptt_thread *thread);
/* In a hook: this thread has run for the last time. */
void ptt_ended(struct ptt *p, struct task_struct *task);
/* Sets the thread's current ids and name; the page is open. */
void ptt_set_identity(struct pitrace_ptt_thread *t, const struct task_struct *task);

#endif
