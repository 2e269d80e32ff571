// SPDX-License-Identifier: GPL-2.0
/* Find, register and release tracepoints and kprobes, in the order that is safe. */
#include <linux/mutex.h>
#include <linux/string.h>
#include "hook.h"

static DEFINE_MUTEX(hooks_lock);
static int users;
static int nkprobes;
u32 hooks_seen;

static void find(struct hook_tracepoint *h, struct tracepoint *tp)
{
	for (; h->name; h++)
		if (!strcmp(h->name, tp->name))
			h->tp = tp;
}

static void find_all(struct tracepoint *tp, void *unused)
{
	find(hook_task_tracepoints, tp);
	find(hook_sched_tracepoints, tp);
}

int hooks_init(void)
{
	for_each_kernel_tracepoint(find_all, NULL);
	return 0;
}

static int enable(struct hook_tracepoint *h)
{
	int err;

	for (; h->name; h++) {
		if (!h->tp) {
			pr_warn("pitrace: this kernel has no tracepoint %s\n", h->name);
			continue;
		}
		err = tracepoint_probe_register(h->tp, h->probe, NULL);
		if (err)
			return err;
		h->on = true;
	}
	return 0;
}

static void disable(struct hook_tracepoint *h)
{
	for (; h->name; h++) {
		if (h->on)
			tracepoint_probe_unregister(h->tp, h->probe, NULL);
		h->on = false;
	}
}

/* All at once: each registration alone costs a grace period. If one of them cannot be had the
 * others are tried alone, and the self-test says what is missing. */
static void enable_kprobes(void)
{
	int n = 0, i;

	while (hook_task_kprobes[n])
		n++;
	nkprobes = 0;
	if (!register_kprobes(hook_task_kprobes, n)) {
		nkprobes = n;
		return;
	}
	for (i = 0; i < n; i++) {
		struct kprobe *p = hook_task_kprobes[i];

		p->addr = NULL;
		p->flags = 0;
		if (register_kprobe(p)) {
			pr_warn("pitrace: this kernel has no function %s to probe\n",
				p->symbol_name);
			continue;
		}
		/* Those in use stand in front, so that they can be released together. */
		hook_task_kprobes[i] = hook_task_kprobes[nkprobes];
		hook_task_kprobes[nkprobes++] = p;
	}
}

static void disable_kprobes(void)
{
	int i;

	if (nkprobes)
		unregister_kprobes(hook_task_kprobes, nkprobes);
	nkprobes = 0;
	for (i = 0; hook_task_kprobes[i]; i++) {
		hook_task_kprobes[i]->addr = NULL;
		hook_task_kprobes[i]->flags = 0;
	}
}

static void release(void)
{
	disable_kprobes();
	disable(hook_task_tracepoints);
	/* sched_switch goes last: others rely on what it keeps for each CPU. */
	disable(hook_sched_tracepoints);
	tracepoint_synchronize_unregister();
}

int hooks_get(void)
{
	int err = 0;

	mutex_lock(&hooks_lock);
	if (!users) {
		err = enable(hook_sched_tracepoints);
		if (!err)
			err = enable(hook_task_tracepoints);
		if (err)
			release();
		else
			enable_kprobes();
	}
	if (!err)
		users++;
	mutex_unlock(&hooks_lock);
	return err;
}

void hooks_put(void)
{
	mutex_lock(&hooks_lock);
	if (!--users)
		release();
	mutex_unlock(&hooks_lock);
}
