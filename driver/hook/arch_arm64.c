// SPDX-License-Identifier: GPL-2.0
/* arm64: interrupts between CPUs, distinguished by the kernel's text for them. */
#include <trace/events/ipi.h>
#include "hook/hook.h"

static enum pitrace_irq_source source_of(const char *reason)
{
	switch (*reason) {
	case 'R': /* Rescheduling interrupts */
		return PITRACE_IRQ_RESCHEDULE;
	case 'F': /* Function call interrupts */
		return PITRACE_IRQ_CALL;
	case 'I': /* IRQ work interrupts */
		return PITRACE_IRQ_WORK;
	case 'T': /* Timer broadcast interrupts */
		return PITRACE_IRQ_TIMER;
	}
	return PITRACE_IRQ_IPI;
}

static void on_ipi_entry(void *unused, const char *reason)
{
	hook_irq_entry(source_of(reason), 0);
}

static void on_ipi_exit(void *unused, const char *reason)
{
	hook_irq_exit(source_of(reason), 0);
}

struct hook_tracepoint arch_irq_tracepoints[] = { HOOK(ipi_entry, on_ipi_entry),
						  HOOK(ipi_exit, on_ipi_exit),
						  {} };

struct hook_tracepoint arch_fault_tracepoints[] = { {} };
