/* SPDX-License-Identifier: GPL-2.0 */
/* The hooks into the kernel: registered at the first session that is on, gone at the last. */
#ifndef PITRACE_HOOK_H
#define PITRACE_HOOK_H

#include <linux/kprobes.h>
#include <linux/tracepoint.h>
#include "pitrace.h"

struct hook_tracepoint {
	const char *name;
	void *probe;
	struct tracepoint *tp;	/* found by name: __tracepoint_* are not exported */
	bool on;
};

extern struct hook_tracepoint hook_task_tracepoints[];	/* ends with a NULL name */
extern struct hook_tracepoint hook_sched_tracepoints[];
extern struct kprobe *hook_task_kprobes[];		/* ends with NULL */

int hooks_init(void);
int hooks_get(void);
void hooks_put(void);

/* What the hooks have seen happen since the module was loaded, PITRACE_HAVE_*. */
extern u32 hooks_seen;
static inline void hook_saw(u32 have)
{
	if (unlikely((READ_ONCE(hooks_seen) & have) != have))
		WRITE_ONCE(hooks_seen, hooks_seen | have);
}

int hook_module_init(void);
void hook_module_exit(void);

/* Make each kind of event happen once and see which arrive. */
void selftest(void);
extern u32 selftest_missing;

#endif
