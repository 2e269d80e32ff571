// SPDX-License-Identifier: GPL-2.0
/* Does a task have one context of perf events, not one per kind? */
#include <linux/perf_event.h>
void *probe(const struct task_struct *task);
void *probe(const struct task_struct *task)
{
	return task->perf_event_ctxp->parent_ctx;
}
