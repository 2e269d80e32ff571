/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a thread's events need: its tree, where its stack is, and what came while an event was being
 * noted, by a signal. A thread's tree is never NULL: those that have none use `hook_nobody`, those
 * that shall have none `hook_left_out`, so that there is no branch before the first read.
 */
#ifndef HOOK_THREAD_H
#define HOOK_THREAD_H

#include <pthread.h>

#include "call_thread.h"

/* An event that a signal's handler makes while the thread notes another one waits until that is
 * done. Handlers add at one end of a ring, also while the thread takes from the other. */
#define HOOK_WAITING 256
struct hook_waiting {
	uintptr_t function, sp, site; /* as hook_entered() and hook_left() have them */
	bool leaves;
	volatile bool whole; /* else its handler was left before it had written all of it */
	uint64_t early[CALL_METRICS], late[CALL_METRICS];
};

struct hook_thread {
	struct call_thread *tree;
	uintptr_t stack_low, stack_high; /* 0: not known */
	volatile uintptr_t busy;         /* the stack pointer of the event that is being noted */
	volatile bool waiting;           /* whether an event does */
	uint32_t came, taken;            /* how many have waited, and were taken from the ring */
	struct hook_waiting *wait;
	uint32_t thrown;     /* frames there were when an exception was thrown that is not caught */
	bool refused;        /* it has no metrics, or no memory */
	uint32_t rounds;     /* of the thread's destructors */
	uint32_t held;       /* locks, while it forks */
	const void *vectors; /* where hook_with_vectors() keeps them; NULL: they are as they were */
};

/* The library's own: read where they are. */
#define HOOK_OURS __attribute__((visibility("hidden")))
extern HOOK_OURS __thread struct hook_thread hook_self __attribute__((tls_model("initial-exec")));
extern HOOK_OURS struct call_thread hook_nobody, hook_left_out;

/* What an event reads. */
enum hook_reading { HOOK_NOTHING, HOOK_CYCLES, HOOK_METRICS };
extern HOOK_OURS enum hook_reading hook_reading;
extern HOOK_OURS atomic_bool hook_on;
/* Before there are trees: these are `plain`, for events go nowhere else. */
extern HOOK_OURS bool hook_plain;
/* Each event is a record of a trace, too: such read metrics, never cycles alone. */
extern bool hook_tells;
/* What functions return is asked for: no tree is `plain`. */
extern bool hook_results;
extern atomic_uint_least64_t hook_missed; /* events for which there was no room to wait */

void hook_read_late(struct call_thread *t);
/* Nobody's yet; NULL: no memory. */
struct call_thread *hook_tree_new(void);
/* From now on the thread that runs has it: where its stack is. */
void hook_thread_stack(struct call_thread *t);

/* The first event of a thread: gives it a tree, or one of those above. */
void hook_thread_begin(void);
/* Threads write their events into rings, too, from now on. */
void hook_threads_trace(void);
/* How many levels of calls are kept; 0: as many as there is room for. */
void hook_threads_depth(uint32_t depth);
/* Another log begins, after events were missed: threads empty their trees by themselves, at their
 * next events. Those that have none are not in it. */
void hook_threads_anew(void);
/* Of the list of threads. */
extern HOOK_OURS pthread_mutex_t hook_threads_lock;
/* In the child of fork(): the thread that runs is the only one; it is where it was, and has called
 * nothing yet. */
void hook_threads_forked(void);

/* As call_source.h has them. */
void hook_threads_each(void (*each)(void *arg, const struct call_thread *t), void *arg);
uint64_t hook_threads_refused(const char **why);
/* Before what they have is read: all of their last events counts. */
void hook_threads_settle(void);
/* Of those that run: their names as they are now. */
void hook_threads_name(void);

#endif
