// SPDX-License-Identifier: GPL-2.0
/* Has a task one context of perf events, not one for each kind? */
#include <linux/perf_event.h>
void *probe(const struct task_struct *task);
void *probe(const struct task_struct *task)
{
	return task->perf_event_ctxp->parent_ctx;
}
