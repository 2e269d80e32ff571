/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why threads waited. Each ns of a thread goes to whom it is to be blamed on: while it runs, to
 * itself; while it is off its CPU, to who was at work meanwhile on what it waited for. That is
 * found when the wait ends: whoever wakes it kept it waiting, and if that one was waiting too,
 * blame is handed on to whom that wait was blamed on (past.h). A thread that could run blames who
 * had the CPU on which it ran then.
 *
 * Memory is bounded by threads, CPUs and who waited for whom, not by the length of the trace.
 */
#ifndef POST_CRITICAL_H
#define POST_CRITICAL_H

#include "model/filter.h"
#include "model/past.h"
#include "model/sched.h"
#include "model/wall_shares.h"

enum blame_kind {
	BLAME_RAN,        /* the thread ran */
	BLAME_CPU,        /* it had the CPU that another one was ready to run on */
	BLAME_IDLE,       /* that CPU was idle yet */
	BLAME_SLEPT,      /* the thread was off until a timer woke it */
	BLAME_IRQ,        /* a device's interrupt, a softirq: the row of irqs */
	BLAME_SOME_IRQ,   /* the thread was off until an interrupt whose entry was not recorded */
	BLAME_UNWOKEN,    /* who woke the thread was not recorded */
	BLAME_UNFINISHED, /* it was not woken any more */
	BLAME_OUTSIDE,    /* what the trace's scope leaves out */
	BLAME_UNKNOWN,    /* what it did was not recorded */
	BLAME_MANY,       /* many that had little each (past.h) */
	BLAME_KINDS,
};

#define BLAME_NOBODY UINT32_MAX

struct blame {
	enum blame_kind kind;
	uint32_t who;     /* a thread of names; IRQ: a row of irqs; or BLAME_NOBODY */
	uint64_t ns, own; /* of all victims' time; of the thread's own */
};

/* Whom threads waited for, beside struct wake_pair's wakers. */
#define WAITED_CPU    0xFFFFFFFEu
#define WAITED_UNSEEN 0xFFFFFFFDu
#define WAITED_ON     0xFFFFFFFCu /* it waits still: that is no edge */

/* In what a thread waited, beside numbers of system calls. */
#define WAIT_IN_FAULT 0xFFFFFFFEu
#define WAIT_IN_NONE  0xFFFFFFFFu

struct wait_edge {
	uint32_t waiter, waker; /* a thread of names; a wake_pair's waker, or WAITED_* */
	uint32_t call;          /* a system call, or WAIT_IN_* */
	uint64_t object;        /* of a futex: its address; else 0 */
	uint64_t count, ns, longest;
	uint64_t direct; /* of ns: the waker ran, or is an interrupt; the rest is handed on */
};

struct critical_thread { /* by sched's threads */
	struct past past;
	bool waits, ready;  /* for somebody; for a CPU */
	bool asked, kernel; /* whether it is a kernel thread */
	bool faults;        /* it wrote no record since its last page fault */
	bool in_call;
	uint32_t call;
	uint64_t object;
	uint32_t row;      /* its wait's */
	uint64_t from, to; /* of its wait, as far as it is booked */
};

struct critical {
	bool wanted;
	struct sched *sched;
	const struct irqs *irqs;
	const struct filter *filter; /* its threads are victims; else all but the kernel's */
	char machine[33];            /* that was traced: its calls' numbers */
	struct critical_thread *thread;
	uint32_t nthread;
	struct past *cpu;
	uint32_t ncpus;
	struct task_kind {
		uint32_t tid;
		bool kernel;
	} * task;
	uint32_t ntask, room_task;
	struct keys by_tid;
	struct open_waits waits;
	struct wall_shares shares;
	struct blame *blame;
	uint32_t nblame, room_blame;
	struct keys by_blame;
	struct wait_edge *edge;
	uint32_t nedge, room_edge;
	struct keys by_edge;
	uint64_t *victim; /* time of each row that is one */
	uint32_t nvictim;
	uint64_t ns, all_ns; /* of victims, of all threads */
	uint32_t many;       /* blame */
};

/* Before the first record: it will be wanted. Each that returns int: 0 or -ENOMEM. */
int critical_open(struct critical *c, struct sched *s, const struct irqs *q,
		  const struct filter *filter, const struct pifile_header *header);
/* Tracing is on; is off, and sched has settled. */
void critical_on(struct critical *c, uint64_t time);
int critical_off(struct critical *c, uint64_t time);
/* A record of this CPU was accounted for: what runs there may be another. */
int critical_runs(struct critical *c, uint32_t cpu, uint64_t time);
/* A thread calls the system (or returns), faults. */
int critical_call(struct critical *c, uint32_t tid, uint32_t call, uint64_t argument);
void critical_return(struct critical *c, uint32_t tid);
void critical_fault(struct critical *c, uint32_t tid);
/* A task record; call after sched_task. */
int critical_task(struct critical *c, const struct pitrace_mte_task *task, uint64_t time);
/* ---- blames.c -------------------------------------------------------------------------------- */

int blame_of(struct critical *c, enum blame_kind kind, uint32_t who, uint32_t *blame);
/* Some ns of a thread under this name. victim: it counts. */
int blame_add(struct critical *c, uint32_t row, bool victim, uint32_t blame, uint64_t ns);
int wait_edge_add(struct critical *c, const struct wait_edge *key, uint64_t ns, uint64_t direct);
/* Merges what groups of threads have. Call after names_group. */
int critical_group(struct critical *c);
/* Each ns of each thread was blamed on something, and all shares are wall time; else says so. */
bool critical_adds_up(const struct critical *c);
void critical_free(struct critical *c);

#endif
