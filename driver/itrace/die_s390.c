// SPDX-License-Identifier: GPL-2.0
/* s390x: PER traps, breakpoints, and where the kernel continues after a failed access. */
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/lowcore.h>
#include "arch/s390_per.h"
#include "itrace/die.h"
#include "itrace/itrace.h"
#include "itrace/itrace_kernel.h"
#include "itrace/step.h"

static struct task_struct *tester;
static unsigned int tested;
static unsigned long tested_from, tested_to;

/* ---- traps ----------------------------------------------------------------------------------- */

static int on_die(struct notifier_block *block, unsigned long what, void *data)
{
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;
	unsigned long flags;
	bool ours;

	/* A breakpoint in user code: a uprobe's single step must not find PER as we set it. */
	if (what == DIE_BPT && user_mode(regs))
		itrace_breakpoint();
	if (what != DIE_SSTEP)
		return NOTIFY_DONE;
	if (!user_mode(regs)) {
		if (current == READ_ONCE(tester)) {
			tested++;
			tested_from = get_lowcore()->per_address;
			tested_to = regs->psw.addr;
			regs->psw.mask &= ~PSW_MASK_PER;
			return NOTIFY_STOP;
		}
		local_irq_save(flags);
		ours = itrace_kernel_trap(regs);
		local_irq_restore(flags);
		return ours ? NOTIFY_STOP : NOTIFY_DONE;
	}
	if (arch_itrace_debugged(current))
		return NOTIFY_DONE;
	/* Our trap, but too late. */
	if (!per_is_ours(&current->thread.per_user)) {
		arch_itrace_disarm(current, regs);
		return NOTIFY_STOP;
	}
	/* The end of a transaction: its branches are not reported, so they are missing at the next
	 * trap. */
	if (!per_trapped())
		return NOTIFY_STOP;
	local_irq_save(flags);
	ours = itrace_trap(regs);
	local_irq_restore(flags);
	return ours ? NOTIFY_STOP : NOTIFY_DONE;
}

static struct notifier_block block = { .notifier_call = on_die, .priority = INT_MAX };

/* Self-test: of two branches, one not taken and one taken, only the second traps, with the right
 * addresses. */
static bool test_branch(void)
{
	struct per_regs before;
	unsigned long flags, from, to;
	u8 mask;

	local_irq_save(flags);
	per_store(&before);
	per_load(&per_branches);
	tested = 0;
	WRITE_ONCE(tester, current);
	asm volatile("	larl	%[from],1f\n"
		     "	larl	%[to],2f\n"
		     "	cr	%%r0,%%r0\n"
		     "	stosm	%[mask],%[per]\n"
		     "	jne	2f\n"
		     "1:	je	2f\n"
		     "	nopr\n"
		     "2:	nopr\n"
		     : [from] "=&d"(from), [to] "=&d"(to), [mask] "=Q"(mask)
		     : [per] "i"(PSW_MASK_PER >> 56)
		     : "cc", "memory");
	WRITE_ONCE(tester, NULL);
	per_load(&before);
	local_irq_restore(flags);
	return tested == 1 && tested_from == from && tested_to == to;
}

const char *it_die_init(void)
{
	if (register_die_notifier(&block))
		return "its kernel refuses a die notifier, which reports traps";
	if (test_branch())
		return NULL;
	unregister_die_notifier(&block);
	return "its CPU reports no branches by PER, or wrong ones";
}

/* failed kernel accesses */

static bool sees_fixups;

/* An instruction that may fault, and did: fixup_exception(regs) makes execution continue
 * elsewhere. */
struct fixup {
	struct pt_regs *regs;
	u64 at;
};

static int on_fixup(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct fixup *f = (void *)ri->data;

	f->regs = (struct pt_regs *)regs->gprs[2];
	f->at = instruction_pointer(f->regs);
	return user_mode(f->regs);
}

static int on_fixed(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct fixup *f = (void *)ri->data;

	itrace_kernel_fixed(f->at, f->regs);
	return 0;
}

static struct kretprobe fixup_probe = {
	.kp.symbol_name = "fixup_exception",
	.entry_handler = on_fixup,
	.handler = on_fixed,
	.data_size = sizeof(struct fixup),
};

const char *it_die_fixups(void)
{
	if (register_kretprobe(&fixup_probe))
		return "its kernel does not allow a probe of fixup_exception(), which handles failed accesses";
	sees_fixups = true;
	return NULL;
}

/* ---- at unload ------------------------------------------------------------------------------- */

/* A thread that sleeps with PER set in a saved interrupt mask must not trap when the mask is
 * restored. */
static void quiet_cpu(void *unused)
{
	static const struct per_regs none = {};
	struct per_regs now;

	per_store(&now);
	if (now.control & PER_EVENT_BRANCH && !current->thread.per_user.control)
		per_load(&none);
}

void it_die_exit(void)
{
	if (sees_fixups)
		unregister_kretprobe(&fixup_probe);
	on_each_cpu(quiet_cpu, NULL, 1);
	unregister_die_notifier(&block);
}
