// SPDX-License-Identifier: GPL-2.0
/* Finds, registers and releases tracepoints and kprobes in a safe order. */
#include <linux/mutex.h>
#include <linux/string.h>
#include "core/hooks.h"

/* Registrations and their users. hooks_lock protects both. It nests inside a session's or a ptt's
 * lock; the kernel's locks of tracepoints and kprobes nest inside it. */
static DEFINE_MUTEX(hooks_lock);
static int users, memory_users;
static int nkprobes;

static struct hook_set hooks;

#define for_each_family(f) for ((f) = hooks.families; (f) < hooks.families + hooks.nfamilies; (f)++)

static void find(struct hook_tracepoint *h, struct tracepoint *tp)
{
	for (; h && h->name; h++)
		if (!strcmp(h->name, tp->name))
			h->tp = tp;
}

static void find_all(struct tracepoint *tp, void *unused)
{
	struct hook_family *f;

	find(hooks.task, tp);
	find(hooks.sched, tp);
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
	/* register_kprobe() would take the address left by an earlier registration as a request. */
	p->addr = NULL;
	p->flags = 0;
	return register_kprobe(p);
}

static void probe_family(struct hook_family *f)
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

static void warn_missing(const struct hook_tracepoint *h)
{
	for (; h->name; h++)
		if (!h->tp)
			pr_warn("pitrace: this kernel has no tracepoint %s\n", h->name);
}

void hooks_init(const struct hook_set *set, u64 *majors)
{
	struct hook_family *f;

	hooks = *set;
	for_each_kernel_tracepoint(find_all, NULL)
		;
	warn_missing(hooks.task);
	warn_missing(hooks.sched);
	for_each_family(f) {
		probe_family(f);
		if (f->have && !f->unlisted)
			majors[f->major / 64] |= BIT_ULL(f->major % 64);
	}
	if (hooks.sched[0].tp)
		majors[PITRACE_DISPATCH / 64] |= BIT_ULL(PITRACE_DISPATCH % 64);
}

bool hooks_serve(u16 major)
{
	struct hook_family *f;

	for_each_family(f)
		if (f->major == major)
			return f->have;
	return false;
}

static const void *probe_in(const struct hook_tracepoint *h, const char *tracepoint)
{
	for (; h && h->name; h++)
		if (!strcmp(h->name, tracepoint))
			return h->probe;
	return NULL;
}

const void *hooks_probe(const char *tracepoint)
{
	const void *found = probe_in(hooks.task, tracepoint) ?: probe_in(hooks.sched, tracepoint);
	struct hook_family *f;

	for_each_family(f)
		found = found ?: probe_in(f->all, tracepoint) ?: probe_in(f->some, tracepoint);
	return found;
}

bool hooks_own_kprobe(unsigned long address)
{
	struct hook_family *f;
	struct kprobe **p;

	for (p = hooks.memory; *p; p++)
		if ((unsigned long)(*p)->addr == address)
			return true;
	for_each_family(f)
		if (f->instead && (unsigned long)f->instead->addr == address)
			return true;
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

/* Registers all at once, because each registration costs a grace period. If one fails, the others
 * are tried one by one, and the self-test reports what is missing. */
static void enable_kprobes(void)
{
	int n = 0, i;

	while (hooks.memory[n])
		n++;
	nkprobes = 0;
	if (!register_kprobes(hooks.memory, n)) {
		nkprobes = n;
		return;
	}
	for (i = 0; i < n; i++) {
		struct kprobe *p = hooks.memory[i];

		if (probe(p)) {
			pr_warn("pitrace: this kernel has no function %s to probe\n",
				p->symbol_name);
			continue;
		}
		/* Registered ones come first, so that they can be released together. */
		hooks.memory[i] = hooks.memory[nkprobes];
		hooks.memory[nkprobes++] = p;
	}
}

static void disable_kprobes(void)
{
	int i;

	if (nkprobes)
		unregister_kprobes(hooks.memory, nkprobes);
	nkprobes = 0;
	for (i = 0; hooks.memory[i]; i++) {
		hooks.memory[i]->addr = NULL;
		hooks.memory[i]->flags = 0;
	}
}

static void release(void)
{
	disable(hooks.task);
	/* sched_switch is removed last: other hooks rely on its per-CPU state. */
	disable(hooks.sched);
	tracepoint_synchronize_unregister();
}

static bool serves(const struct hook_family *f, const unsigned long *majors)
{
	return f->have && majors &&
	       (test_bit(f->major, majors) ||
		(f->major == PITRACE_BRANCH_USER && test_bit(PITRACE_BRANCH_KERNEL, majors)) ||
		(f->breaks &&
		 (test_bit(PITRACE_BRANCH_USER, majors) || test_bit(PITRACE_BREAK_USER, majors) ||
		  test_bit(PITRACE_BREAK_KERNEL, majors) ||
		  test_bit(PITRACE_BRANCH_KERNEL, majors))));
}

static void put_family(struct hook_family *f)
{
	if (--f->users)
		return;
	disable(f->all);
	disable(f->some);
	if (f->probed)
		unregister_kprobe(f->instead);
}

static int get_family(struct hook_family *f)
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
		err = enable(hooks.sched);
		if (!err)
			err = enable(hooks.task);
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
	struct hook_family *f;
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
		while (f-- > hooks.families)
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
	struct hook_family *f;

	mutex_lock(&hooks_lock);
	for_each_family(f)
		if (serves(f, majors))
			put_family(f);
	put_base(memory);
	mutex_unlock(&hooks_lock);
}
