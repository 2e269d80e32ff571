/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Per-thread state of events: the call tree, the stack's bounds, and events of signal handlers that
 * came during another event. A thread's tree is never NULL: threads without one use `hook_nobody`,
 * those that shall have none `hook_left_out`, which avoids a branch before the first read.
 */
#ifndef HOOK_THREAD_H
#define HOOK_THREAD_H

#include <pthread.h>

#include "call_thread.h"

/* An event of a signal handler that interrupts another event waits until that one is noted.
 * Handlers add at one end of the ring, also while the thread takes from the other. */
#define HOOK_WAITING 256
struct hook_waiting {
	uintptr_t function, sp, site; /* as passed to hook_entered() and hook_left() */
	bool leaves;
	volatile bool whole; /* false: the handler was left before it was written */
	uint64_t early[CALL_METRICS], late[CALL_METRICS];
};

struct hook_thread {
	struct call_thread *tree;
	uintptr_t stack_low, stack_high; /* 0: not known */
	volatile uintptr_t busy;         /* stack pointer of the event in progress */
	volatile bool waiting;           /* an event waits */
	uint32_t came, taken;            /* events added to the ring, and taken from it */
	struct hook_waiting *wait;
	uint32_t thrown;     /* depth when an exception was thrown that is not caught yet */
	bool refused;        /* no metrics or no memory */
	uint32_t rounds;     /* of thread destructors */
	uint32_t held;       /* locks held during fork() */
	void *overflow;      /* of overflow_stack_give() */
	const void *vectors; /* saved by hook_with_vectors(); NULL: still in registers */
};

/* Private to the library: hidden, for direct access. */
#define HOOK_OURS __attribute__((visibility("hidden")))
extern HOOK_OURS __thread struct hook_thread hook_self __attribute__((tls_model("initial-exec")));
extern HOOK_OURS struct call_thread hook_nobody, hook_left_out;

/* The metrics that each event reads. */
enum hook_reading { HOOK_NOTHING, HOOK_CYCLES, HOOK_METRICS };
extern HOOK_OURS enum hook_reading hook_reading;
extern HOOK_OURS atomic_bool hook_on;
/* The initial `plain` of trees: events may take the fast path. Set before there are trees. */
extern HOOK_OURS bool hook_plain;
/* Each event is also a record of a trace; then HOOK_METRICS is used, never HOOK_CYCLES. */
extern bool hook_events_on;
/* Return values are requested: no tree is `plain`. */
extern bool hook_results;
extern atomic_uint_least64_t hook_missed; /* events that were lost because the ring was full */

void hook_read_late(struct call_thread *t);
/* Allocates a tree that no thread uses yet; NULL: no memory. */
struct call_thread *hook_tree_new(void);
/* Sets the stack's bounds of the calling thread, which uses t from now on. */
void hook_thread_stack(struct call_thread *t);

/* At the first event of a thread: sets its tree, or one of those above. */
void hook_thread_begin(void);
/* From now on, new trees also get a ring to write events into. */
void hook_threads_trace(void);
/* Sets how many levels of calls are kept; 0: as many as fit. */
void hook_threads_depth(uint32_t depth);
/* Starts another log after events were missed: each thread empties its tree at its next event.
 * Threads without events are not in the log. */
void hook_threads_anew(void);
/* Protects the list of threads. */
extern HOOK_OURS pthread_mutex_t hook_threads_lock;
/* Called in the child of fork(): the calling thread is the only one; it keeps its stack of calls,
 * with no calls counted yet. */
void hook_threads_forked(void);

/* As declared in call_source.h. */
void hook_threads_each(void (*each)(void *arg, const struct call_thread *t), void *arg);
uint64_t hook_threads_refused(const char **why);
/* Called before trees are read: completes each thread's last event. */
void hook_threads_settle(void);
/* Updates the names of running threads. */
void hook_threads_name(void);

#endif
