/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hooks into the kernel. Those that every session and every ptt needs are registered at the
 * first one that is on and gone at the last; those that tell of memory, which only sessions need,
 * likewise; a family that serves one major, while someone that is on has it.
 */
#ifndef PITRACE_HOOK_H
#define PITRACE_HOOK_H

#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/tracepoint.h>
#include "pitrace.h"

struct hook_tracepoint {
	const char *name;
	void *probe;
	struct tracepoint *tp;	/* found by name: __tracepoint_* are not exported */
	bool on;
};

/* One of a table. Its prototype must be the one that this kernel calls it by, to the const: a
 * kernel with kCFI traps elsewhere, others hand over wrong arguments. The kernel's header of the
 * tracepoint tells it, so who has a table includes that. */
#define HOOK(tracepoint, f)								\
	{ .name = #tracepoint, .probe = (void *)(f) + HOOK_DIFFERS(tracepoint, f) }
#define HOOK_DIFFERS(tracepoint, f)							\
	BUILD_BUG_ON_ZERO(!__same_type(check_trace_callback_type_##tracepoint,		\
				       void (typeof(&(f)))))

/* All end with a NULL name. */
extern struct hook_tracepoint hook_task_tracepoints[];
extern struct hook_tracepoint hook_sched_tracepoints[];
extern struct hook_tracepoint hook_wakeup_tracepoints[];
extern struct hook_tracepoint hook_irq_tracepoints[];
extern struct hook_tracepoint hook_syscall_tracepoints[];
extern struct hook_tracepoint hook_itrace_tracepoints[];
extern struct kprobe *hook_task_kprobes[];		/* ends with NULL */
extern struct kprobe hook_fault_kprobe;
/* What only this architecture has; perhaps nothing. */
extern struct hook_tracepoint arch_irq_tracepoints[];
extern struct hook_tracepoint arch_fault_tracepoints[];

/* Find all that this kernel has; adds the majors that its hooks can record. */
void hooks_init(u64 *majors);
/* What the majors of this bitmap need (NULL: none), and perhaps memory. 0 or -errno. */
int hooks_get(const unsigned long *majors, bool memory);
void hooks_put(const unsigned long *majors, bool memory);
/* Has this kernel what this major needs? */
bool hooks_serve(u16 major);

/* Writers of records, for hooks that architectures give. */
void hook_irq_entry(enum pitrace_irq_source source, u32 number);
void hook_irq_exit(enum pitrace_irq_source source, u32 number);
void hook_softirq_entry(void *unused, unsigned int vector);	/* a probe */
void hook_fault(u32 minor, u32 flags, u64 ip, u64 address);
/* A thread ends: the system call that it is in has no exit. */
void hook_syscall_forget(struct task_struct *task);

int hook_module_init(void);
void hook_module_exit(void);

/* Make each kind of event happen once and see which arrive. */
void selftest(void);
extern u32 selftest_missing;

#endif
