/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The traced threads of all sessions: found by their task, also by hooks and traps, which take no
 * lock. A thread is traced by one session at a time.
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
	IT_ARMING, /* the trap is set when it is about to run, or passes here */
	IT_ARMED,
	IT_QUIET, /* no trap is set for it any more; one that comes is ours */
};

/* Recording progress of an armed thread. */
enum it_phase {
	IT_SKIPPING, /* nothing for so many instructions */
	IT_WAITING,  /* nothing until the start address is reached */
	IT_RUNNING,
	IT_DONE, /* nothing any more */
};

/* A side that it runs on, user or kernel. */
struct it_side {
	u64 ip;  /* where what was not counted yet begins */
	u32 run; /* instructions since the last record */
};

/* The kernel's side, while the thread is in a system call whose entry was seen. */
struct it_kernel {
	bool on;      /* stepped, or asleep and to be stepped */
	bool fresh;   /* nothing was recorded of this call yet */
	bool out;     /* the flag is to be set again */
	bool softirq; /* … by the end of the softirq that runs */
	u8 why;       /* of what is in `own`: PITRACE_BREAK_* */
	u32 steps;
	u64 own;               /* the stack where the driver's own code was entered; 0: not */
	u64 own_ip;            /* … at this instruction */
	u64 back;              /* … and where it returns to; 0: unknown */
	struct pt_regs *fault; /* what returns to stepped code by the flag in these */
	u64 *pushed;           /* where an exception leaves what it returns to; NULL: unknown */
	struct it_side side;
};

#define IT_RANGES 4

/* Written by the thread itself, in a hook or a trap (preemption off), or while it is switched; when
 * it was made quiet, and no hook is at it any more, by the one that did that. */
struct it_thread {
	struct task_struct *task; /* held */
	struct session *session;  /* NULL: it has released this thread */
	int state;
	u8 phase;
	u8 why;         /* of the START that is to be written */
	bool gap;       /* records are missing */
	bool resolve;   /* the start and stop addresses are to be looked up */
	bool exec;      /* the system call that it is in has begun a program */
	bool was_armed; /* … until it was made quiet */
	bool trap;      /* the trap was set for it once */
	bool started;   /* its parent's trace was on: it need not reach the start address */
	bool left_out;  /* from now on, as the caller asked: with all that it begins */
	bool ceded;     /* a probe or a debugger owns the trap: it is not touched again */

	bool in_call;  /* a call was counted; where it returns to is not recorded yet */
	bool diverted; /* … it was to `back` that it returned, by its own will */
	u32 number;
	u64 call, call_end, back;
	u64 signal_at; /* where a handler has interrupted it, to be recorded; 0: none */

	struct it_side user;
	struct it_kernel kernel;
	u32 cpu;
	u64 skip, left;  /* instructions until then; left 0: no limit */
	u64 start, stop; /* addresses, here; 0: not here */

	u32 maps;                              /* as of when what follows was known */
	u64 unit;                              /* piece of anonymous code that it is in */
	u64 from[IT_RANGES], bytes[IT_RANGES]; /* ranges of code known to be in files */
	u8 range;

	struct arch_itrace arch;
	int signal;
	unsigned long deferred; /* to its task work: BIT(enum it_deferred) */
	struct callback_head work;
	refcount_t refs; /* the table's, the work's */
	struct rcu_head rcu;
};

#define IT_BITS           13
#define IT_TRIES          16
#define IT_THREADS        2048             /* traced at one time */
#define IT_THREADS_MEMBER (IT_THREADS / 8) /* … by one session without CAP_PERFMON */
extern struct it_thread *it_slots[];       /* NULL: free */

/* Preemption off: until it is on again the entry is this thread's, if no longer in the table. */
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

/* The entries of the table, and session.itrace.threads. Interrupts off; hooks take it, and nothing
 * is taken within. */
extern raw_spinlock_t it_lock;

/* A new entry, which holds the task; NULL: no room. It is found when it was shown; it_remove()
 * gives it back. The lock is held, and the task does not exit yet. */
struct it_thread *it_add(struct session *s, struct task_struct *task);
void it_show(struct it_thread *t);
void it_remove(struct it_thread *t);
/* All of a session's (NULL: of any); the lock is held. */
struct it_thread *it_next(const struct session *s, struct it_thread *t);
#define for_each_it(s, t) for ((t) = it_next(s, NULL); (t); (t) = it_next(s, t))

static inline void it_get(struct it_thread *t)
{
	refcount_inc(&t->refs);
}
void it_put(struct it_thread *t);

/* Memory for them, at the first call: 0 or -ENOMEM. it_table_exit() frees it. */
int it_table_need(void);
void it_table_exit(void);

#endif
