// SPDX-License-Identifier: GPL-2.0
/* x86-64: interrupts by their vectors, page faults. */
#include <asm/trap_pf.h>
#include <linux/ptrace.h>
#include <asm/trace/irq_vectors.h>
#include "compat/exceptions.h"
#include "hook/hook.h"
#include "itrace/itrace.h"

#define VECTORS(V)                                \
	V(local_timer, PITRACE_IRQ_TIMER)         \
	V(reschedule, PITRACE_IRQ_RESCHEDULE)     \
	V(call_function, PITRACE_IRQ_CALL)        \
	V(call_function_single, PITRACE_IRQ_CALL) \
	V(irq_work, PITRACE_IRQ_WORK)             \
	V(x86_platform_ipi, PITRACE_IRQ_IPI)      \
	V(spurious_apic, PITRACE_IRQ_OTHER)       \
	V(error_apic, PITRACE_IRQ_OTHER)          \
	V(thermal_apic, PITRACE_IRQ_OTHER)        \
	V(threshold_apic, PITRACE_IRQ_OTHER)      \
	V(deferred_error_apic, PITRACE_IRQ_OTHER)

#define PROBES(name, source)                                    \
	static void on_##name##_entry(void *unused, int vector) \
	{                                                       \
		hook_irq_entry(source, vector);                 \
	}                                                       \
	static void on_##name##_exit(void *unused, int vector)  \
	{                                                       \
		hook_irq_exit(source, vector);                  \
	}
#define ROWS(name, source) \
	{ #name "_entry", on_##name##_entry }, { #name "_exit", on_##name##_exit },

VECTORS(PROBES)

/* All are events of one class; the kernel's configuration decides which exist. */
static_assert(!HOOK_DIFFERS(local_timer_entry, on_local_timer_entry) &&
	      !HOOK_DIFFERS(local_timer_exit, on_local_timer_exit));

struct hook_tracepoint arch_irq_tracepoints[] = { VECTORS(ROWS){} };

static void fault(u32 minor, unsigned long address, struct pt_regs *regs, unsigned long error)
{
	u32 flags = 0;

	if (error & X86_PF_WRITE)
		flags |= PITRACE_FAULT_WRITE;
	if (error & X86_PF_INSTR)
		flags |= PITRACE_FAULT_EXEC;
	if (itrace_any() && minor == PITRACE_TPROF_KERNEL)
		itrace_kernel_fault(flags, regs);
	hook_fault(minor, flags, instruction_pointer(regs), address);
}

static void on_user_fault(void *unused, unsigned long address, struct pt_regs *regs,
			  unsigned long error)
{
	fault(PITRACE_TPROF_USER, address, regs, error);
}

static void on_kernel_fault(void *unused, unsigned long address, struct pt_regs *regs,
			    unsigned long error)
{
	fault(PITRACE_TPROF_KERNEL, address, regs, error);
}

struct hook_tracepoint arch_fault_tracepoints[] = { HOOK(page_fault_user, on_user_fault),
						    HOOK(page_fault_kernel, on_kernel_fault),
						    {} };
