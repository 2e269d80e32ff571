/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's side of a traced thread's system calls. Preemption off. */
#ifndef PITRACE_ITRACE_KERNEL_H
#define PITRACE_ITRACE_KERNEL_H

#include <linux/ptrace.h>
#include "itrace/itrace_table.h"

/* A trap of kernel code; false: not ours. */
bool itrace_kernel_trap(struct pt_regs *regs);
/* The kernel's access at `ip` failed; it continues with these registers. */
void itrace_kernel_fixed(u64 ip, struct pt_regs *regs);

void it_kernel_enter(struct it_thread *t, u64 sp, u64 back);
bool it_kernel_left(struct it_thread *t, u64 ip);
void it_kernel_out(struct it_thread *t);
void it_kernel_in(struct it_thread *t, const struct task_struct *prev);
void it_kernel_quiet(struct it_thread *t);
void it_kernel_interrupt(struct it_thread *t, u32 source, struct pt_regs *regs);

/* At load: is kernel tracing possible, and enabled? */
void it_kernel_init(bool serve);
void it_kernel_exit(void);

#endif
