/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A ptt's data, and the table of those that it watches: found by their task, also by hooks, which
 * take no lock.
 */
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

/* A slot. Taking the thread's place in the table away ends what is counted in it. */
struct ptt_thread {
	struct pitrace_ptt_thread *page;
	struct task_struct *task; /* to compare with only; perhaps it is gone */
	u32 slot;
	u32 inherit; /* PITRACE_PTT_PROCESS, CHILDREN: which births to watch */
};

/* One CPU's part; written by that CPU alone, interrupts off. */
struct ptt_cpu {
	struct pitrace_ptt_cpu *page;
	struct ptt_thread *thread; /* the current one, if watched */
	u32 bucket;                /* of the current thread */
	u32 depth;                 /* interrupts that this CPU is in */
	bool in_interrupt;         /* since the last event; it has its own bucket */
	bool on;                   /* it counts */
	bool stale;                /* its counters are to be made, or made anew */
	u64 switches;              /* of ptt_switches, booked in `dispatches` */
	u64 stolen;                /* of the system's account; what is above it is ours */
};

/* Hash table entry of a watched thread. Entries are taken under the lock, released by cmpxchg. */
struct ptt_place {
	struct task_struct *task; /* NULL: free */
	struct ptt_thread *thread;
};

struct ptt {
	u32 metrics;
	u32 flags; /* PITRACE_PTT_CHARGE */
	struct ptt_counter counter[PITRACE_METRICS];
	struct ptt_cpu **cpu;    /* NULL where a CPU is absent */
	const struct cred *cred; /* the owner's, if he is a member; else NULL */
	struct quota *quota;     /* his; else NULL */

	struct ptt_place *place; /* a hash table by task */
	u8 *reach;               /* how many places to look at, for each hash */
	u32 bits;                /* of the hash */

	raw_spinlock_t lock; /* the slots and the table; hooks take it, innermost */
	struct ptt_thread *thread;
	u32 slots;
	/* Slots. Used: not free; ended: the thread did, another may have it; leaving: out of the
	 * table, but CPUs may still be at it. */
	unsigned long *used, *ended, *leaving;
	u32 oldest;  /* where to look for an ended one first */
	u32 inherit; /* PITRACE_PTT_ALL */

	struct mutex changing; /* one call at a time adds or removes; outermost */

	bool user_read;            /* threads read counters themselves */
	bool events;               /* metrics that each CPU needs events for */
	struct work_struct make;   /* of these, also for CPUs that come */
	struct counters_lack lack; /* by no CPU so far */
	int err;                   /* of the last CPU */

	u32 id; /* in ptts[] */
	bool stopped;
	unsigned int ncpus; /* possible ones */
	struct pitrace_ptt_control *control;
	void *cpu_area, *thread_area;
	unsigned long cpu_bytes, thread_bytes;
	struct pages_charge charge;
};

/* (F) odd before what is written, even after it */
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

#define PTT_TRIES 16 /* entries to try for a thread */

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
		/* The place may have been given to another since. */
		smp_rmb();
		thread = READ_ONCE(place->thread);
		return READ_ONCE(thread->task) == task ? thread : NULL;
	}
	return NULL;
}

/* The size of the table for so many slots: its hash's bits, and places. */
u32 ptt_table_bits(u32 slots);
static inline u32 ptt_table_places(u32 bits)
{
	return (1u << bits) + PTT_TRIES;
}

/* The table goes; no hook sees it any more. */
void ptt_forget(const struct ptt *p);

/* ptt_room: the entry for a thread (with the lock held); NULL: no room near its place. ptt_put:
 * fills it. ptt_give_up: of a thread's last switch and calls that remove it, one gets true. */
struct ptt_place *ptt_room(const struct ptt *p, const struct task_struct *task);
void ptt_put(struct ptt *p, struct ptt_place *place, struct ptt_thread *thread);
bool ptt_give_up(struct ptt *p, const struct ptt_thread *thread);
/* A hook: this thread has run for the last time. */
void ptt_ended(struct ptt *p, struct task_struct *task);
/* The thread's ids and name as of now; the page is open. */
void ptt_set_identity(struct pitrace_ptt_thread *t, const struct task_struct *task);

#endif
