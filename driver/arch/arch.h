/* SPDX-License-Identifier: GPL-2.0 */
/* What differs between architectures: one file each gives these; generic.c serves the rest. */
#ifndef PITRACE_ARCH_H
#define PITRACE_ARCH_H

#include <linux/interrupt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/types.h>
#include "pitrace.h"

#ifdef CONFIG_X86
#include <asm/tsc.h>
/* rdtsc(), but the compiler knows that the halves are halves. */
static __always_inline u64 arch_cycles(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return (u64)high << 32 | low;
}
#else
#include <linux/timex.h>
static __always_inline u64 arch_cycles(void)
{
	return get_cycles();
}
#endif

/* Does it run 32-bit user code? */
static inline bool arch_task_32bit(struct task_struct *task)
{
#if !defined(CONFIG_COMPAT)
	return false;
#elif defined(CONFIG_X86)
	return test_tsk_thread_flag(task, TIF_ADDR32);
#elif defined(CONFIG_S390)
	return test_tsk_thread_flag(task, TIF_31BIT);
#else
	return test_tsk_thread_flag(task, TIF_32BIT);
#endif
}

/* Argument n, from 0 up to 4, of the function at whose first instruction the CPU stands. */
static inline unsigned long arch_argument(struct pt_regs *regs, unsigned int n)
{
#if defined(CONFIG_PPC64)
	return regs->gpr[3 + n];
#elif defined(CONFIG_S390)
	return regs->gprs[2 + n];
#else
	return regs_get_kernel_argument(regs, n);
#endif
}

/* What kind of interrupt this handler serves, a PITRACE_IRQ_*; 0: its own tracepoint tells it. */
static inline u32 arch_irq_source(const struct irqaction *action)
{
#ifdef CONFIG_ARM64
	if (action->flags & IRQF_PERCPU && action->name) {
		if (!strcmp(action->name, "arch_timer"))
			return PITRACE_IRQ_TIMER;
		if (!strcmp(action->name, "IPI"))
			return 0;
	}
#endif
	return action->flags & __IRQF_TIMER ? PITRACE_IRQ_TIMER : PITRACE_IRQ_DEVICE;
}

u64 arch_cycles_hz(void);		/* 0: no cycle counter to be had */
bool arch_cycles_trusted(void);		/* same rate always, never stops, same on all CPUs */
bool arch_cycles_unstable(void);	/* found unfit since */

/*
 * The kernel's stack of the current thread, innermost first: from the interrupted instruction on,
 * or (regs is NULL) from somewhere in the caller's callers. Returns how many; 0: not to be had.
 * `to` holds ARCH_STACK_EXTRA more than `room`.
 */
#define ARCH_STACK_EXTRA	32	/* our own frames and an interrupt's, to be cut off */
unsigned int arch_kernel_stack(struct pt_regs *regs, unsigned long *to, unsigned int room);

/* User registers in DWARF's numbering, pc last, as pitrace.h has them. Returns how many. */
#define ARCH_REGISTERS	34
unsigned int arch_user_registers(const struct pt_regs *regs, bool is32, u64 *to);

/* How frames of user code are linked: at `frame` stands the next frame's address; the return
 * address stands at return_at from this frame or from the next one. */
struct arch_frames {
	unsigned long frame;
	u8 word;			/* bytes of an address; 0: such code is not walked */
	u8 return_at;
	bool in_next;
};
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f);
/* The return address of a function that has no frame yet or no more: where it stands above the
 * stack pointer; -1: it has one, or nobody can tell. */
int arch_return_on_stack(const struct pt_regs *regs, bool is32);

#endif
