/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The traced threads of all sessions: keyed by task; hooks and traps search it without a lock. A
 * thread is traced by one session at a time.
 */
#ifndef PITRACE_ITRACE_TABLE_H
#define PITRACE_ITRACE_TABLE_H

#include <linux/hash.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include "arch/arch.h"

struct session;

enum it_state {
	IT_ARMING, /* the trap is set when it is about to run, or passes a hook */
	IT_ARMED,
	IT_QUIET, /* no trap is set for it any more; a late one is ours */
};

/* Recording progress of an armed thread. */
enum it_phase {
	IT_SKIPPING, /* records nothing for a number of instructions */
	IT_WAITING,  /* records nothing until the start address is reached */
	IT_RUNNING,
	IT_DONE, /* records nothing any more */
};

/* One side of its execution, user or kernel. */
struct it_side {
	u64 ip;  /* beginning of the instructions not counted yet */
	u32 run; /* instructions since the last record */
};

/* The kernel's side, while the thread is in a system call that was seen entering. */
struct it_kernel {
	bool on;      /* stepped, or asleep and to be stepped later */
	bool fresh;   /* nothing was recorded of this call yet */
	bool out;     /* the flag must be set again */
	bool softirq; /* … at the end of the running softirq */
	u8 why;       /* the activity that `own` handles: PITRACE_BREAK_* */
	u32 steps;
	u64 own;               /* stack pointer at entry of the driver's code; 0: not in it */
	u64 own_ip;            /* … the interrupted instruction */
	u64 back;              /* … the return address; 0: unknown */
	struct pt_regs *fault; /* registers by which a fault returns to stepped code */
	u64 *pushed;           /* where an exception stores its return address; NULL: unknown */
	struct it_side side;
};

#define IT_RANGES 4

/* Written by the thread itself, in a hook or a trap (preemption off), or while it is switched;
 * after it was made quiet and no hook uses it any more, by the context that did that. */
struct it_thread {
	struct task_struct *task; /* holds a reference */
	struct session *session;  /* NULL: the session has released this thread */
	int state;
	u8 phase;
	u8 why;         /* reason of the START still to be written */
	bool gap;       /* records are missing */
	bool resolve;   /* the start and stop addresses must be looked up */
	bool exec;      /* the current system call executed a program */
	bool was_armed; /* … until it was made quiet */
	bool trap;      /* the trap was set for it at some time */
	bool started;   /* its parent's trace was on: it need not reach the start address */
	bool left_out;  /* excluded by request, with everything it creates */
	bool ceded;     /* a probe or a debugger owns the trap: the driver does not touch it */

	bool in_call;  /* a call was counted; its return address is not recorded yet */
	bool diverted; /* … it returned to `back` of its own accord */
	u32 number;
	u64 call, call_end, back;
	u64 signal_at; /* where a handler interrupted it, not recorded yet; 0: none */

	struct it_side user;
	struct it_kernel kernel;
	u32 cpu;
	u64 skip, left;  /* instructions until start and end; left 0: no limit */
	u64 start, stop; /* addresses in this process; 0: not mapped */

	u32 maps;                              /* value of it_maps for the fields below */
	u64 unit;                              /* the piece of anonymous code that it is in */
	u64 from[IT_RANGES], bytes[IT_RANGES]; /* ranges of code known to be in files */
	u8 range;

	struct arch_itrace arch;
	int signal;
	unsigned long deferred; /* to its task work: BIT(enum it_deferred) */
	struct callback_head work;
	refcount_t refs; /* of the table and of the task work */
	struct rcu_head rcu;
};

#define IT_BITS           13
#define IT_TRIES          16
#define IT_THREADS        2048             /* traced at the same time */
#define IT_THREADS_MEMBER (IT_THREADS / 8) /* … by one session without CAP_PERFMON */
extern struct it_thread *it_slots[];       /* NULL: free */

/* Preemption off: until it is on again the entry stays this thread's, even if removed from the
 * table. */
static __always_inline struct it_thread *it_find(const struct task_struct *task)
{
	struct it_thread *const *place = &it_slots[hash_ptr(task, IT_BITS)];
	struct it_thread *t;
	int i;

	for (i = 0; i < IT_TRIES; i++, place++) {
		t = READ_ONCE(*place);
		if (t && t->task == task)
			return t;
	}
	return NULL;
}

/* Protects the entries of the table, and session.itrace.threads. Interrupts off; hooks take it;
 * innermost lock. */
extern raw_spinlock_t it_lock;

/* it_add() returns a new entry, which holds the task; NULL: no room. it_show() makes it visible;
 * it_remove() releases it. The lock is held, and the task is not exiting yet. */
struct it_thread *it_add(struct session *s, struct task_struct *task);
void it_show(struct it_thread *t);
void it_remove(struct it_thread *t);
/* Iterates over a session's entries (NULL: all); the lock is held. */
struct it_thread *it_next(const struct session *s, struct it_thread *t);
#define for_each_it(s, t) for ((t) = it_next(s, NULL); (t); (t) = it_next(s, t))

static inline void it_get(struct it_thread *t)
{
	refcount_inc(&t->refs);
}
void it_put(struct it_thread *t);

/* Allocates the entries, at the first call: 0 or -ENOMEM. it_table_exit() frees them. */
int it_table_need(void);
void it_table_exit(void);

#endif
