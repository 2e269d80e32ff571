// SPDX-License-Identifier: GPL-2.0
/* All hooks of the driver in one place: those that every session needs, and those for one major. */
#include "core/hooks.h"
#include "hook/hook.h"
#include "itrace/itrace.h"

static struct hook_family families[] = {
	{ PITRACE_WAKEUP, .all = hook_wakeup_tracepoints },
	{ PITRACE_INTERRUPT, .all = hook_irq_tracepoints, .some = arch_irq_tracepoints,
	  .breaks = true },
	{ PITRACE_SYSCALL, .all = hook_syscall_tracepoints },
	{ PITRACE_FAULT, .some = arch_fault_tracepoints, .instead = &hook_fault_kprobe,
	  .breaks = true },
#if ARCH_ITRACE
	{ PITRACE_BRANCH_USER, .all = itrace_tracepoints, .unlisted = true },
#endif
};

const struct hook_set hook_set = {
	.task = hook_task_tracepoints,
	.sched = hook_sched_tracepoints,
	.memory = hook_task_kprobes,
	.families = families,
	.nfamilies = ARRAY_SIZE(families),
};
