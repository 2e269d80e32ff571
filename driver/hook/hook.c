// SPDX-License-Identifier: GPL-2.0
/* Find, register and release tracepoints and kprobes, in the order that is safe. */
#include <linux/mutex.h>
#include <linux/string.h>
#include "arch/arch.h"
#include "hook/hook.h"

static DEFINE_MUTEX(hooks_lock);
static int users, memory_users;
static int nkprobes;

/* The hooks that one major needs. */
static struct family {
	u16 major;
	struct hook_tracepoint *all;	/* each of them must be there */
	struct hook_tracepoint *some;	/* as many of these as there are */
	struct kprobe *instead;		/* where there is none of `some` */
	bool breaks;			/* ITrace needs them, too */
	bool have, probed;
	int users;
} families[] = {
	{ PITRACE_WAKEUP, .all = hook_wakeup_tracepoints },
	{ PITRACE_INTERRUPT, .all = hook_irq_tracepoints, .some = arch_irq_tracepoints,
	  .breaks = true },
	{ PITRACE_SYSCALL, .all = hook_syscall_tracepoints },
	{ PITRACE_FAULT, .some = arch_fault_tracepoints, .instead = &hook_fault_kprobe,
	  .breaks = true },
#if ARCH_ITRACE
	{ PITRACE_BRANCH_USER, .all = hook_itrace_tracepoints },
#endif
};

#define for_each_family(f) \
	for ((f) = families; (f) < families + ARRAY_SIZE(families); (f)++)

static void find(struct hook_tracepoint *h, struct tracepoint *tp)
{
	for (; h && h->name; h++)
		if (!strcmp(h->name, tp->name))
			h->tp = tp;
}

static void find_all(struct tracepoint *tp, void *unused)
{
	struct family *f;

	find(hook_task_tracepoints, tp);
	find(hook_sched_tracepoints, tp);
	for_each_family(f) {
		find(f->all, tp);
		find(f->some, tp);
	}
}

static int found(const struct hook_tracepoint *h, int *of)
{
	int n = 0;

	for (*of = 0; h && h->name; h++, (*of)++)
		n += !!h->tp;
	return n;
}

static int probe(struct kprobe *p)
{
	/* What an earlier registration left there would be taken for a wish. */
	p->addr = NULL;
	p->flags = 0;
	return register_kprobe(p);
}

static void look_at(struct family *f)
{
	int all, some;

	f->have = found(f->all, &all) == all;
	if (f->instead && !found(f->some, &some)) {
		f->probed = f->have = !probe(f->instead);
		if (f->have)
			unregister_kprobe(f->instead);
	}
	if (!f->have)
		pr_warn("pitrace: this kernel has no hooks for records of major %#x\n", f->major);
}

static void tell_missing(const struct hook_tracepoint *h)
{
	for (; h->name; h++)
		if (!h->tp)
			pr_warn("pitrace: this kernel has no tracepoint %s\n", h->name);
}

void hooks_init(u64 *majors)
{
	struct family *f;

	for_each_kernel_tracepoint(find_all, NULL);
	tell_missing(hook_task_tracepoints);
	tell_missing(hook_sched_tracepoints);
	for_each_family(f) {
		look_at(f);
		if (f->have && f->major != PITRACE_BRANCH_USER)
			majors[f->major / 64] |= BIT_ULL(f->major % 64);
	}
	if (hook_sched_tracepoints[0].tp)
		majors[PITRACE_DISPATCH / 64] |= BIT_ULL(PITRACE_DISPATCH % 64);
}

bool hooks_serve(u16 major)
{
	struct family *f;

	for_each_family(f)
		if (f->major == major)
			return f->have;
	return false;
}

static int enable(struct hook_tracepoint *h)
{
	int err;

	for (; h && h->name; h++) {
		if (!h->tp)
			continue;
		err = tracepoint_probe_register(h->tp, h->probe, NULL);
		if (err)
			return err;
		h->on = true;
	}
	return 0;
}

static void disable(struct hook_tracepoint *h)
{
	for (; h && h->name; h++) {
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

		if (probe(p)) {
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
	disable(hook_task_tracepoints);
	/* sched_switch goes last: others rely on what it keeps for each CPU. */
	disable(hook_sched_tracepoints);
	tracepoint_synchronize_unregister();
}

static bool serves(const struct family *f, const unsigned long *majors)
{
	return f->have && majors &&
	       (test_bit(f->major, majors) ||
		(f->major == PITRACE_BRANCH_USER && test_bit(PITRACE_BRANCH_KERNEL, majors)) ||
		(f->breaks && (test_bit(PITRACE_BRANCH_USER, majors) ||
			       test_bit(PITRACE_BREAK_USER, majors) ||
			       test_bit(PITRACE_BREAK_KERNEL, majors) ||
			       test_bit(PITRACE_BRANCH_KERNEL, majors))));
}

static void put_family(struct family *f)
{
	if (--f->users)
		return;
	disable(f->all);
	disable(f->some);
	if (f->probed)
		unregister_kprobe(f->instead);
}

static int get_family(struct family *f)
{
	int err = 0;

	if (f->users++)
		return 0;
	if (f->probed)
		err = probe(f->instead);
	if (err) {
		f->users--;
		return err;
	}
	err = enable(f->all);
	if (!err)
		err = enable(f->some);
	if (err)
		put_family(f);
	return err;
}

static int get_base(bool memory)
{
	int err;

	if (!users) {
		err = enable(hook_sched_tracepoints);
		if (!err)
			err = enable(hook_task_tracepoints);
		if (err) {
			release();
			return err;
		}
	}
	users++;
	if (memory && !memory_users++)
		enable_kprobes();
	return 0;
}

static void put_base(bool memory)
{
	if (memory && !--memory_users)
		disable_kprobes();
	if (!--users)
		release();
}

int hooks_get(const unsigned long *majors, bool memory)
{
	struct family *f;
	int err;

	mutex_lock(&hooks_lock);
	err = get_base(memory);
	if (err)
		goto out;
	for_each_family(f) {
		if (!serves(f, majors))
			continue;
		err = get_family(f);
		if (err)
			break;
	}
	if (err) {
		while (f-- > families)
			if (serves(f, majors))
				put_family(f);
		put_base(memory);
	}
out:
	mutex_unlock(&hooks_lock);
	return err;
}

void hooks_put(const unsigned long *majors, bool memory)
{
	struct family *f;

	mutex_lock(&hooks_lock);
	for_each_family(f)
		if (serves(f, majors))
			put_family(f);
	put_base(memory);
	mutex_unlock(&hooks_lock);
}
