/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for futexes, on which programs build their locks: by futex, by waiting thread and by waker.
 * The waker is the thread that woke the waiter last before it returned; without wake-up records it
 * is the caller of FUTEX_WAKE on that futex, which wakes waiters in the order of their calls.
 *
 * A futex is identified by process and address: a trace only has mappings of code, so a futex
 * shared by two processes counts as a lock in each.
 *
 * Memory is bounded by the number of futexes, threads, pairs of waiter and waker, and calls, not by
 * the length of the trace.
 */
#ifndef POST_FUTEX_WAITS_H
#define POST_FUTEX_WAITS_H

#include "model/offcpu.h"
#include "model/filter.h"
#include "model/sched.h"

/* Wakers, in addition to those of struct wake_pair. */
#define LOCK_UNWOKEN 0xFFFFFFFDu /* no wake-up was recorded */
#define LOCK_NOBODY  0xFFFFFFFCu /* timeout, signal or failed call */
#define LOCK_STILL   0xFFFFFFFBu /* still waiting: counted with its time so far */

struct lock {
	uint32_t process; /* index in names */
	uint64_t address;
	const struct a2n_symbol *variable; /* of a program or library; NULL: unknown */
	uint64_t offset;                   /* offset in the variable */
	bool shared; /* without FUTEX_PRIVATE_FLAG: other processes may use it */
	bool pi;     /* priority inheritance */
	struct spread time;
	/* How the waits in `time` ended: */
	uint64_t woken, timed_out, interrupted, failed;
	/* Waits that are not in `time`: the value had changed already; the thread ended; the trace
	 * ended; records are missing. */
	uint64_t again, no_return, open, cut;
	uint64_t open_ns; /* duration of the longest open wait */

	/* Private to futex_waits.c: the queue of waiting threads that have not been woken, by index
	 * in sched; the last caller of a wake-up, and its time. */
	uint32_t first, last;
	uint32_t waker;
	uint64_t waked;
};

struct lock_pair {
	uint32_t lock, waiter, waker; /* indexes in names; waker as struct wake_pair's, or LOCK_* */
	uint64_t count, ns, longest;
};

struct lock_where {          /* waits of threads whose stacks are known */
	uint32_t lock, call; /* call: index of node */
	uint64_t count, ns, longest;
};

struct lock_node {       /* a node of the call tree, as before grouping */
	uint32_t parent; /* NO_KEY: a process */
	uint32_t id;     /* of the symbol */
};

struct lock_wait { /* by index in sched */
	bool waits, listed;
	uint32_t lock, row;
	uint32_t before, next; /* neighbours in the queue */
	uint32_t waker, call;
	uint64_t since;
};

#define LOCK_CALLS 16

struct locks {
	bool wanted;
	struct sched *sched;
	const struct offcpu *offcpu; /* stacks of waiting threads */
	const struct filter *filter; /* only waits of its threads count */
	struct lock_call {           /* futex system calls by their numbers on the traced machine */
		uint32_t call;
		uint8_t kind;
	} number[LOCK_CALLS];
	uint32_t ncalls;
	struct lock *lock;
	uint32_t nlock, room_lock;
	struct lock_pair *pair;
	uint32_t npair, room_pair;
	struct lock_where *stack;
	uint32_t nstack, room_stack;
	struct keys by_lock, by_pair, by_stack;
	struct lock_wait *wait;
	uint32_t nwait, room_wait;
	struct lock_node *node;
	uint64_t several; /* waits for several futexes at once: not counted elsewhere */
};

/* Call before the first record. */
void locks_open(struct locks *l, struct sched *s, const struct offcpu *offcpu,
		const struct filter *filter, const struct pifile_header *header);
/* Functions that return int return 0 or -ENOMEM. */
/* Call after sched has seen the thread. */
int locks_enter(struct locks *l, const struct pirecord *r, const struct pitrace_sysenter *e);
int locks_exit(struct locks *l, const struct pirecord *r, const struct pitrace_sysexit *e);
/* Call after sched and away got the record. */
void locks_leaves(struct locks *l, const struct pitrace_dispatch *d);
void locks_woken(struct locks *l, const struct pirecord *r, const struct pitrace_wakeup *w);
/* The thread with this tid ends. */
void locks_thread_ends(struct locks *l, uint32_t tid);
/* Tracing ends at `time`. */
int locks_end(struct locks *l, uint64_t time);
/* Merges the data of grouped processes and threads. Call after names_group(), and before stacks are
 * grouped. */
int locks_group(struct locks *l);
void locks_free(struct locks *l);

#endif
