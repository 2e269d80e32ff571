// SPDX-License-Identifier: GPL-2.0
/* ppc64le: the external interrupt, in which device handlers run, the decrementer, doorbells. */
#include <linux/ptrace.h>
#include <asm/trace.h>
#include "hook/hook.h"

#define INTERRUPTS(I)                         \
	I(irq, PITRACE_IRQ_OTHER)             \
	I(timer_interrupt, PITRACE_IRQ_TIMER) \
	I(doorbell, PITRACE_IRQ_IPI)

#define PROBES(name, source)                                              \
	static void on_##name##_entry(void *unused, struct pt_regs *regs) \
	{                                                                 \
		hook_irq_entry(source, TRAP(regs));                       \
	}                                                                 \
	static void on_##name##_exit(void *unused, struct pt_regs *regs)  \
	{                                                                 \
		hook_irq_exit(source, TRAP(regs));                        \
	}
#define ROWS(name, source) \
	{ #name "_entry", on_##name##_entry }, { #name "_exit", on_##name##_exit },

INTERRUPTS(PROBES)

/* All are events of one class; doorbells depend on the kernel's configuration. */
static_assert(!HOOK_DIFFERS(irq_entry, on_irq_entry) && !HOOK_DIFFERS(irq_exit, on_irq_exit) &&
	      !HOOK_DIFFERS(timer_interrupt_entry, on_timer_interrupt_entry));

struct hook_tracepoint arch_irq_tracepoints[] = { INTERRUPTS(ROWS){} };

struct hook_tracepoint arch_fault_tracepoints[] = { {} };
