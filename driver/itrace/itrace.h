/* SPDX-License-Identifier: GPL-2.0 */
/* Instruction traces: the interface for hooks, sessions and the module. */
#ifndef PITRACE_ITRACE_H
#define PITRACE_ITRACE_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/arch.h"
#include "core/hooks.h"
#include "core/session.h"

struct linux_binprm;

/* Does any session that is on trace threads? */
static __always_inline bool itrace_any(void)
{
	return ARCH_ITRACE && READ_ONCE(wants[WANT_ITRACE]);
}

#if ARCH_ITRACE
/* ---- hooks ----------------------------------------------------------------------------------- */

extern struct hook_tracepoint itrace_tracepoints[]; /* ITrace's own; ends with a NULL name */
void itrace_switch(struct task_struct *prev, struct task_struct *next);
void itrace_fork(struct task_struct *parent, struct task_struct *child);
void itrace_exec(const struct linux_binprm *bprm);
void itrace_exit(struct task_struct *task);
void itrace_interrupt(u32 source);
void itrace_fault(u32 flags, u64 ip);
/* The current process got another executable mapping. */
void itrace_mapped(void);
/* A breakpoint in user code, of any origin. */
void itrace_breakpoint(void);
/* A fault in kernel code; softirqs that begin or have ended. */
void itrace_kernel_fault(u32 flags, struct pt_regs *regs);
void itrace_softirq(bool begins);

/* ---- sessions -------------------------------------------------------------------------------- */

/* PITRACE_IOC_ITRACE: 0 or -errno; the session is off. */
int itrace_set(struct session *s, const struct pitrace_itrace_args *args);
void itrace_free(struct session *s);
/* Allocates memory for what the session's majors need. */
int itrace_prepare(struct session *s);
/* Threads join; those that run now are armed before it returns. */
void itrace_on(struct session *s, enum pitrace_itrace_why why);
/* No thread is armed any more when this returns; they leave, or (pause) wait for the next on. */
void itrace_off(struct session *s, bool pause);
/* The current process reads the session's rings, and has freed space. */
void itrace_consumed(struct session *s);

/* ---- the module ------------------------------------------------------------------------------ */

/* At load; adds the majors that can be recorded here. */
void itrace_init(u64 *majors);
void itrace_uninit(void);
#else
static inline void itrace_switch(struct task_struct *prev, struct task_struct *next) { }
static inline void itrace_fork(struct task_struct *parent, struct task_struct *child) { }
static inline void itrace_exec(const struct linux_binprm *bprm) { }
static inline void itrace_exit(struct task_struct *task) { }
static inline void itrace_interrupt(u32 source) { }
static inline void itrace_fault(u32 flags, u64 ip) { }
static inline void itrace_mapped(void) { }
static inline void itrace_kernel_fault(u32 flags, struct pt_regs *regs) { }
static inline void itrace_softirq(bool begins) { }
static inline int itrace_set(struct session *s, const struct pitrace_itrace_args *args)
{
	return -EOPNOTSUPP;
}
static inline void itrace_free(struct session *s) { }
static inline int itrace_prepare(struct session *s)
{
	return 0;
}
static inline void itrace_on(struct session *s, enum pitrace_itrace_why why) { }
static inline void itrace_off(struct session *s, bool pause) { }
static inline void itrace_consumed(struct session *s) { }
static inline void itrace_init(u64 *majors) { }
static inline void itrace_uninit(void) { }
#endif

#endif
