/* SPDX-License-Identifier: GPL-2.0 */
/* The hooks into the kernel: their tables, and the functions that architecture hooks call. */
#ifndef PITRACE_HOOK_H
#define PITRACE_HOOK_H

#include "core/hooks.h"
#include "pitrace.h"

/* All hooks, for hooks_init(). */
extern const struct hook_set hook_set;

extern struct hook_tracepoint hook_task_tracepoints[];
extern struct hook_tracepoint hook_sched_tracepoints[];
extern struct hook_tracepoint hook_wakeup_tracepoints[];
extern struct hook_tracepoint hook_irq_tracepoints[];
extern struct hook_tracepoint hook_syscall_tracepoints[];
extern struct kprobe *hook_task_kprobes[];
extern struct kprobe hook_fault_kprobe;
/* Hooks that only this architecture has; may be empty. */
extern struct hook_tracepoint arch_irq_tracepoints[];
extern struct hook_tracepoint arch_fault_tracepoints[];

/* Writers of records, for the architectures' hooks. */
void hook_irq_entry(enum pitrace_irq_source source, u32 number);
void hook_irq_exit(enum pitrace_irq_source source, u32 number);
void hook_fault(u32 minor, u32 flags, u64 ip, u64 address);
/* A thread exits: its current system call has no exit. */
void hook_syscall_forget(struct task_struct *task);

int hook_module_init(void);
void hook_module_exit(void);

/* Triggers each kind of event once and checks which arrive. */
void selftest(void);
extern u32 selftest_missing;

#endif
