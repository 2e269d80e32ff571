/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why threads waited. Each ns of a thread is attributed to a cause: while the thread runs, to
 * itself; while it is off its CPU, to whatever worked meanwhile on the event it waited for. The
 * cause is found when the wait ends: the thread's waker kept it waiting, and if the waker itself
 * was waiting, the cause of that wait is passed on (past.h). The wait of a ready thread is
 * attributed to the threads that had the CPU on which it ran next.
 *
 * Memory is bounded by threads, CPUs and pairs of threads, not by the length of the trace.
 */
#ifndef POST_CRITICAL_H
#define POST_CRITICAL_H

#include "model/filter.h"
#include "model/past.h"
#include "model/sched.h"
#include "model/wall_shares.h"

enum blame_kind {
	BLAME_RAN,        /* the thread ran */
	BLAME_CPU,        /* a thread that had the CPU for which the thread was ready */
	BLAME_IDLE,       /* the CPU was idle, yet the thread did not run */
	BLAME_SLEPT,      /* the thread was off until a timer woke it */
	BLAME_IRQ,        /* a device's interrupt, a softirq: the row of irqs */
	BLAME_SOME_IRQ,   /* an interrupt whose entry was not recorded */
	BLAME_UNWOKEN,    /* the wake-up was not recorded */
	BLAME_UNFINISHED, /* the thread was not woken before the end */
	BLAME_OUTSIDE,    /* outside the trace's scope */
	BLAME_UNKNOWN,    /* the waker's activity was not recorded */
	BLAME_MANY,       /* many small parts (past.h) */
	BLAME_KINDS,
};

#define BLAME_NOBODY UINT32_MAX

struct blame {
	enum blame_kind kind;
	uint32_t who;     /* index of a thread in names; IRQ: row of irqs; or BLAME_NOBODY */
	uint64_t ns, own; /* of the time of all victims; of the thread's own */
};

/* Wakers of threads, in addition to struct wake_pair's. */
#define WAITED_CPU    0xFFFFFFFEu
#define WAITED_UNSEEN 0xFFFFFFFDu
#define WAITED_ON     0xFFFFFFFCu /* still waiting: not an edge */

/* The place of a wait, in addition to system call numbers. */
#define WAIT_IN_FAULT 0xFFFFFFFEu
#define WAIT_IN_NONE  0xFFFFFFFFu

struct wait_edge {
	uint32_t waiter, waker; /* index in names; a wake_pair's waker, or WAITED_* */
	uint32_t call;          /* a system call, or WAIT_IN_* */
	uint64_t object;        /* of a futex its address; else 0 */
	uint64_t count, ns, longest;
	uint64_t direct; /* part of ns: the waker ran or is an interrupt; the rest is passed on */
};

struct critical_thread { /* by index in sched */
	struct past past;
	bool waits, ready;  /* for a thread or interrupt; for a CPU */
	bool asked, kernel; /* asked: `kernel` is known; a kernel thread */
	bool faults;        /* no record of the thread since its last page fault */
	bool in_call;
	uint32_t call;
	uint64_t object;
	uint32_t row;      /* row of its wait */
	uint64_t from, to; /* of its wait, as far as accounted */
};

/* Called for the parts of each wait of a victim when it has ended, in order: they add up to the
 * wait. row: its thread. Returns 0 or -errno. */
struct critical_watch {
	int (*part)(void *arg, uint32_t row, const struct blame *blame, uint64_t from, uint64_t ns);
	void *arg;
};

struct critical {
	bool wanted;
	struct critical_watch watch; /* part NULL: no callback */
	struct sched *sched;
	const struct irqs *irqs;
	const struct filter *filter; /* its threads are victims; else all but kernel threads */
	char machine[33];            /* of the trace, for system call numbers */
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
	uint64_t *victim; /* time by row; rows that are not victims have 0 */
	uint32_t nvictim;
	uint64_t ns, all_ns; /* of victims; of all threads */
	uint32_t many;       /* index of the blame MANY */
};

/* Call before the first record. Functions that return int return 0 or -ENOMEM. */
int critical_open(struct critical *c, struct sched *s, const struct irqs *q,
		  const struct filter *filter, const struct pifile_header *header);
/* Tracing is switched on; switched off, after sched has settled. */
void critical_on(struct critical *c, uint64_t time);
int critical_off(struct critical *c, uint64_t time);
/* Call after a record of this CPU was accounted: another thread may run there now. */
int critical_runs(struct critical *c, uint32_t cpu, uint64_t time);
/* A thread enters (or leaves) a system call, or has a page fault. */
int critical_call(struct critical *c, uint32_t tid, uint32_t call, uint64_t argument);
void critical_return(struct critical *c, uint32_t tid);
void critical_fault(struct critical *c, uint32_t tid);
/* Processes a task record; call after sched_task(). */
int critical_task(struct critical *c, const struct pitrace_mte_task *task, uint64_t time);
/* ---- blames.c -------------------------------------------------------------------------------- */

int blame_of(struct critical *c, enum blame_kind kind, uint32_t who, uint32_t *blame);
/* Adds ns of a thread to a blame. victim: also counts for the victims' sums. */
int blame_add(struct critical *c, uint32_t row, bool victim, uint32_t blame, uint64_t ns);
int wait_edge_add(struct critical *c, const struct wait_edge *key, uint64_t ns, uint64_t direct);
/* Merges the sums of grouped threads. Call after names_group(). */
int critical_group(struct critical *c);
/* Checks that each ns of each thread was attributed, and that all shares add up to wall time; else
 * prints the difference. */
bool critical_adds_up(const struct critical *c);
void critical_free(struct critical *c);

#endif
