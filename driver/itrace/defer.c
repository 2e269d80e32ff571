// SPDX-License-Identifier: GPL-2.0
/* Queues work that a traced thread does on its way back to user code, where it may sleep. */
#include <linux/module.h>
#include <linux/task_work.h>
#include "itrace/defer.h"

/* Work that is already queued does this too. */
void it_defer(struct it_thread *t, enum it_deferred what)
{
	unsigned long before = t->deferred;

	t->deferred |= BIT(what);
	if (before)
		return;
	if (!try_module_get(THIS_MODULE)) {
		t->deferred = 0;
		return;
	}
	it_get(t);
	if (!task_work_add(current, &t->work, TWA_RESUME))
		return;
	/* The thread is exiting. */
	t->deferred = 0;
	it_put(t);
	module_put(THIS_MODULE);
}
