// SPDX-License-Identifier: GPL-2.0
/* ppc64le: traps of MSR[SE] and MSR[BE], and breakpoints. */
#include <linux/kdebug.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <asm/hw_irq.h>
#include <asm/reg.h>
#include "itrace/die.h"
#include "itrace/itrace.h"
#include "itrace/step.h"

static struct task_struct *tester;
static unsigned int tested;
static unsigned long tested_to;

static int on_die(struct notifier_block *block, unsigned long what, void *data)
{
	struct die_args *args = data;
	struct pt_regs *regs = args->regs;

	/* A breakpoint in user code: a uprobe's single step must not find MSR as we set it. */
	if (what == DIE_BPT && user_mode(regs))
		itrace_breakpoint();
	if (what != DIE_SSTEP)
		return NOTIFY_DONE;
	if (!user_mode(regs)) {
		if (current != READ_ONCE(tester))
			return NOTIFY_DONE;
		tested++;
		tested_to = regs->nip;
		return NOTIFY_STOP;
	}
	return itrace_trap(regs) ? NOTIFY_STOP : NOTIFY_DONE;
}

static struct notifier_block block = { .notifier_call = on_die, .priority = INT_MAX };

/* Runs kernel code after a nop, with this MSR bit set: returns the offset from its beginning at
 * which it trapped, once; -1: otherwise. */
#define TRAPS(msr_bit, code)                                   \
	({                                                     \
		unsigned long flags_, begin_;                  \
		local_irq_save(flags_);                        \
		hard_irq_disable();                            \
		tested = 0;                                    \
		WRITE_ONCE(tester, current);                   \
		asm volatile("	bcl 20,31,1f\n"                 \
			     "1:	mflr %0\n"                    \
			     "	addi %0,%0,2f-1b\n"             \
			     "	cmpw %1,%1\n"                   \
			     "	mtmsrd %1\n"                    \
			     "2:	nop\n" code            \
			     : "=&b"(begin_)                   \
			     : "r"(mfmsr() | (msr_bit))        \
			     : "lr", "cr0", "memory");         \
		WRITE_ONCE(tester, NULL);                      \
		local_irq_restore(flags_);                     \
		tested == 1 ? (long)(tested_to - begin_) : -1; \
	})

const char *it_die_init(void)
{
	long step;

	if (register_die_notifier(&block))
		return "its kernel refuses a die notifier, which reports traps";
	arch_itrace_branches_trap = TRAPS(MSR_BE, " bne 3f\n nop\n nop\n3: nop\n") == 8;
	if (arch_itrace_branches_trap)
		arch_itrace_branches_trap = TRAPS(MSR_BE, " beq 3f\n nop\n nop\n3: nop\n") == 16;
	/* Whether the instruction that sets the bit traps depends on the machine. */
	step = TRAPS(MSR_SE, "	nop\n	nop\n");
	if (step == 4 || step == 0)
		return NULL;
	unregister_die_notifier(&block);
	return "MSR[SE] does not stop its CPU after each instruction";
}

void it_die_exit(void)
{
	unregister_die_notifier(&block);
}
