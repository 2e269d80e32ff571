/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The current thread's tree: a thread-local pointer that is never NULL. Threads without a tree use
 * `hook_nobody`, excluded threads another one without nodes: this avoids a branch before the first
 * read.
 */
#ifndef THREAD_TREES_H
#define THREAD_TREES_H

#include <stdatomic.h>

#include "call_hooks.h"
#include "metrics.h"

/* The metrics that an event reads: separate code for each case keeps the paths to the first read
 * and from the last one short and constant. */
enum hooks_reading { READ_NOTHING, READ_CYCLES, READ_OWN, READ_BOTH, READ_METRICS, READINGS };
extern enum hooks_reading hooks_reading;

/* Whether threads must be registered with PTT. */
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

/* At the first event of a thread that started before the agent. NULL: it cannot be measured. */
struct call_thread *hook_thread_here(void);
/* Only the thread itself writes its tree: applies pending requests (reset, restart) before its next
 * event, and reads the metrics again. */
void hook_thread_freshen(struct call_thread *t, uint64_t *values);

#endif
