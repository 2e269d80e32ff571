/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whose tree an event is for: the thread's that runs, found by one thread-local pointer, which is
 * never NULL: threads that have none use `hook_nobody`, those that shall have none another one that
 * has no nodes, so that there is no branch before the first read.
 */
#ifndef THREAD_TREES_H
#define THREAD_TREES_H

#include <stdatomic.h>

#include "hooks.h"
#include "metrics.h"

/* What an event reads: the way to the first read and from the last one is short, and the same each
 * time. */
enum hooks_reading { READ_NOTHING, READ_CYCLES, READ_OWN, READ_BOTH, READ_METRICS, READINGS };
extern enum hooks_reading hooks_reading;

/* PTT knows its threads. */
static inline bool reads_ptt(enum hooks_reading r)
{
	return r >= READ_OWN;
}

extern struct call_thread hook_nobody;
extern __thread struct call_thread *hook_self __attribute__((tls_model("initial-exec")));
extern atomic_bool hooks_on;

static inline void hook_read_late(struct call_thread *t)
{
	if (metrics_switches)
		metrics_read_switches(&t->dispatches, &t->interrupts);
	metrics_read(t->last, t->last);
}

/* The first event of a thread that was there before the agent. NULL: it cannot be measured. */
struct call_thread *hook_thread_here(void);
/* Only the thread itself writes its tree: it does what it was asked for before its next event,
 * which is as if it had begun now. */
void hook_thread_freshen(struct call_thread *t, uint64_t *values);

#endif
