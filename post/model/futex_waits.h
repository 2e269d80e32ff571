/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits for futexes, from which programs make their locks: by the futex, and by who waited and who
 * ended the wait. That is who woke the thread last before it returned; without wake-up records who
 * called for a wake-up of that futex, the threads that wait being woken in their order.
 *
 * A futex is known by process and address: a trace has mappings of code alone, so what two
 * processes share has a lock in each.
 *
 * Memory is bounded by futexes, threads, who waited for whom and at which call, not by the length
 * of the trace.
 */
#ifndef POST_FUTEX_WAITS_H
#define POST_FUTEX_WAITS_H

#include "model/away.h"
#include "model/filter.h"
#include "model/sched.h"

/* Wakers, beside those of struct wake_pair. */
#define LOCK_UNWOKEN 0xFFFFFFFDu /* none was seen */
#define LOCK_NOBODY  0xFFFFFFFCu /* the time was over, a signal came, the call failed */
#define LOCK_STILL   0xFFFFFFFBu /* it waits still: with its time so far */

struct lock {
	uint32_t process; /* names' */
	uint64_t address;
	const struct a2n_symbol *variable; /* of a program or library; NULL: none that is known */
	uint64_t offset;                   /* in it */
	bool shared; /* without FUTEX_PRIVATE_FLAG: other processes may use it */
	bool pi;     /* owners inherit priority */
	struct spread time;
	/* How the waits ended that are in `time`: … */
	uint64_t woken, timed_out, interrupted, failed;
	/* … and those that are not: the value had changed already; the thread ended; the trace
	 * did; records are missing. */
	uint64_t again, no_return, open, cut;
	uint64_t open_ns; /* how long the longest of those lasts that are open */

	/* The rest is locks.c's own: threads that wait and whom nobody has woken yet, in their
	 * order, by sched's numbers; who called last, and when. */
	uint32_t first, last;
	uint32_t waker;
	uint64_t waked;
};

struct lock_pair {
	uint32_t lock, waiter, waker; /* a thread of names; as in struct wake_pair, or LOCK_* */
	uint64_t count, ns, longest;
};

struct lock_where {          /* waits of whose threads it is known where they left their CPUs */
	uint32_t lock, call; /* an index of node */
	uint64_t count, ns, longest;
};

struct lock_node {       /* of the tree of calls, as it was before it was grouped */
	uint32_t parent; /* NO_KEY: a process */
	uint32_t id;     /* of the symbol */
};

struct lock_wait { /* by sched's threads */
	bool waits, listed;
	uint32_t lock, row;
	uint32_t before, next; /* of those that are listed */
	uint32_t waker, call;
	uint64_t since;
};

#define LOCK_CALLS 16

struct locks {
	bool wanted;
	struct sched *sched;
	const struct away *away;     /* whose stacks */
	const struct filter *filter; /* its threads' waits alone */
	struct lock_call {           /* system calls of futexes, as this machine numbers them */
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
	uint64_t several; /* waits for several futexes at once: of none here */
};

/* Before the first record: it will be wanted. */
void locks_open(struct locks *l, struct sched *s, const struct away *away,
		const struct filter *filter, const struct pifile_header *header);
/* Each: 0 or -ENOMEM. */
/* Call after sched has seen the thread. */
int locks_enter(struct locks *l, const struct pirecord *r, const struct pitrace_sysenter *e);
int locks_exit(struct locks *l, const struct pirecord *r, const struct pitrace_sysexit *e);
/* Call after sched and away got them. */
void locks_leaves(struct locks *l, const struct pitrace_dispatch *d);
void locks_woken(struct locks *l, const struct pirecord *r, const struct pitrace_wakeup *w);
/* The thread with this tid ends. */
void locks_thread_ends(struct locks *l, uint32_t tid);
/* Tracing ends at `time`. */
int locks_end(struct locks *l, uint64_t time);
/* Merges what groups of processes and threads have. Call after names_group, and before stacks are
 * grouped. */
int locks_group(struct locks *l);
void locks_free(struct locks *l);

#endif
