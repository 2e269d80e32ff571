// SPDX-License-Identifier: GPL-2.0
/* x86-64: traps of the trap flag, and breakpoints. */
#include <linux/kdebug.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/debugreg.h>
#include <asm/processor-flags.h>
#include "itrace/die.h"
#include "itrace/itrace.h"
#include "itrace/itrace_kernel.h"
#include "itrace/step.h"

static struct task_struct *tester;
static unsigned int tested;

static int on_debug(struct die_args *args)
{
	unsigned long *dr6 = (unsigned long *)args->err;
	struct pt_regs *regs = args->regs;

	if (!(*dr6 & DR_STEP))
		return NOTIFY_DONE;
	if (!user_mode(regs)) {
		if (current == READ_ONCE(tester)) {
			tested++;
			regs->flags &= ~X86_EFLAGS_TF;
		} else if (!itrace_kernel_trap(regs)) {
			return NOTIFY_DONE;
		}
	} else if (!itrace_trap(regs)) {
		return NOTIFY_DONE;
	}
	*dr6 &= ~DR_STEP;
	/* A hardware breakpoint of another user on the same instruction is passed on. */
	return *dr6 & DR_TRAP_BITS ? NOTIFY_DONE : NOTIFY_STOP;
}

static int on_die(struct notifier_block *block, unsigned long what, void *data)
{
	struct die_args *args = data;

	if (what == DIE_DEBUG)
		return on_debug(args);
	/* A breakpoint in user code: a uprobe's single step must not find our flag. */
	if (what == DIE_INT3 && user_mode(args->regs))
		itrace_breakpoint();
	return NOTIFY_DONE;
}

static struct notifier_block block = { .notifier_call = on_die, .priority = INT_MAX };

const char *it_die_init(void)
{
	if (register_die_notifier(&block))
		return "its kernel refuses a die notifier, which reports traps";
	/* The instruction after popf is the first that traps. */
	tested = 0;
	WRITE_ONCE(tester, current);
	asm volatile("pushfq\n\torl $0x100, (%%rsp)\n\tpopfq\n\tnop\n\tnop" : : : "memory", "cc");
	WRITE_ONCE(tester, NULL);
	if (tested == 1)
		return NULL;
	unregister_die_notifier(&block);
	return tested ? "its CPU traps more than once after the trap flag (TF) is set" :
			"its CPU does not trap after the trap flag (TF) is set";
}

void it_die_exit(void)
{
	unregister_die_notifier(&block);
}
