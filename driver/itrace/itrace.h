/* SPDX-License-Identifier: GPL-2.0 */
/* Instruction traces, as hooks, traps and sessions see them. */
#ifndef PITRACE_ITRACE_H
#define PITRACE_ITRACE_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include "arch/arch.h"
#include "core/session.h"
#include "itrace/table.h"

struct linux_binprm;

/* Does any session that is on trace threads? */
static __always_inline bool itrace_any(void)
{
	return ARCH_ITRACE && READ_ONCE(wants[WANT_ITRACE]);
}

#if ARCH_ITRACE
/* A trap of the current thread, interrupts off. False: not ours. */
bool itrace_trap(struct pt_regs *regs);
/* Hooks. */
void itrace_switch(struct task_struct *prev, struct task_struct *next);
void itrace_fork(struct task_struct *parent, struct task_struct *child);
void itrace_exec(const struct linux_binprm *bprm);
void itrace_exit(struct task_struct *task);
void itrace_interrupt(u32 source);
void itrace_fault(u32 flags, u64 ip);
void itrace_mapped(void);
/* A trap of kernel code; false: not ours. A fault of such code; softirqs that run or have run. */
bool itrace_kernel_trap(struct pt_regs *regs);
void itrace_kernel_fault(u32 flags, struct pt_regs *regs);
void itrace_kernel_fixed(u64 at, struct pt_regs *regs);	/* what stands there failed, it goes on */
void itrace_softirq(bool begins);
/* A breakpoint in user code, whoever's. */
void itrace_breakpoint(void);
/* A consumer has made room, or there is no need of it any more. */
void itrace_room(void);
#else
static inline void itrace_switch(struct task_struct *prev, struct task_struct *next) { }
static inline void itrace_fork(struct task_struct *parent, struct task_struct *child) { }
static inline void itrace_exec(const struct linux_binprm *bprm) { }
static inline void itrace_exit(struct task_struct *task) { }
static inline void itrace_interrupt(u32 source) { }
static inline void itrace_fault(u32 flags, u64 ip) { }
static inline void itrace_kernel_fault(u32 flags, struct pt_regs *regs) { }
static inline void itrace_softirq(bool begins) { }
static inline void itrace_mapped(void) { }
static inline void itrace_room(void) { }
#endif

/* ---- within ITrace --------------------------------------------------------------------------- */

/* itrace.c: the current thread, which is armed and in user code, stands at `ip`, whatever led
 * there; preemption off. */
void it_at(struct it_thread *t, u64 ip);
/* It is about to execute what stands there: does its trace begin or end? */
void it_passes(struct it_thread *t, u64 ip);
/* The trap, which a thread's registers hold: set, or taken away, in its own hooks, or while it is
 * switched. */
void it_set_trap(struct it_thread *t, struct pt_regs *regs);
void it_clear_trap(struct it_thread *t, struct pt_regs *regs);
/* The same of one that is quiet, from elsewhere; the table's lock is held. */
void it_clear_trap_of(struct it_thread *t);
/* Nothing more is recorded of it. */
void it_stop(struct it_thread *t, enum pitrace_itrace_why why, u64 address);
/* So are what it has run, where it is cut, and the trace goes on. */
void it_cut(struct it_thread *t, enum pitrace_itrace_why why, u64 address);
/* May the session's owner see it? Of the current thread, or one that is switched to. */
bool it_visible(const struct it_thread *t);
/* May it still be traced? */
bool it_goes_on(struct it_thread *t);
/* So many instructions more; false: those were the last. */
bool it_count(struct it_thread *t, struct it_side *side, u32 n);
/* So many, straight on to `to`. What begins or ends on the way is told as if each instruction had
 * trapped. False: nothing more is recorded. */
bool it_straight(struct it_thread *t, bool user, u32 n, u64 to);
/* The memory that it waited for is there, or nobody can help. */
void it_reached(struct it_thread *t);
/* What it executes next must be read, and is not there. */
static inline bool it_lacks_code(const struct it_thread *t)
{
#ifdef ARCH_ALONE
	return t->arch.fault && !t->arch.alone;
#else
	return false;
#endif
}
/* The session's thread is armed: the current one (which leaves a system call), or it is about to
 * run. False: it was before, or is not yet. */
bool it_arm(struct it_thread *t, bool leaves);

static __always_inline bool it_wants(const struct it_thread *t, bool user)
{
	return test_bit(user ? PITRACE_BRANCH_USER : PITRACE_BRANCH_KERNEL, t->session->majors);
}

/* kernel.c */
bool it_kernel_init(void);		/* false: it is not to be had, or not wanted */
void it_kernel_exit(void);
void it_kernel_enter(struct it_thread *t, u64 sp, u64 back);
bool it_kernel_left(struct it_thread *t, u64 ip);
void it_kernel_out(struct it_thread *t);
void it_kernel_in(struct it_thread *t, const struct task_struct *prev);
void it_kernel_quiet(struct it_thread *t);
void it_kernel_interrupt(struct it_thread *t, u32 source, struct pt_regs *regs);

/* put.c: records of this thread, on this CPU's ring; preemption off. */
void it_put_branch(struct it_thread *t, bool user, u32 kind, u64 from, u64 to);
void it_put_entry(struct it_thread *t, u64 to);	/* from its call into the kernel */
void it_put_break(struct it_thread *t, bool user, u32 why, u32 number, u64 at, u64 to);
void it_put_mark(struct it_thread *t, bool start, u32 why, u32 count, u64 address);
/* Of a thread that the session does not trace: another one does. */
void it_put_taken(struct session *s, struct task_struct *task);
void it_put_switch(struct it_thread *t, u32 from_cpu);
/* What it has read and written since these were told last, where that is recorded. */
#ifdef ARCH_ACCESSES
void it_put_accesses(struct it_thread *t);
#else
static inline void it_put_accesses(struct it_thread *t) { }
#endif
/* Room for a record that the caller fills and commits to the ring. */
void *it_reserve(struct it_thread *t, u16 major, u32 minor, u32 size, struct ring **ring);

/* work.c: have the current thread, which is on its way to user code, do what may sleep. */
enum it_ask {
	IT_ASK_SIGNAL,		/* a handler is about to run */
	IT_ASK_PLACES,		/* where are the start and stop addresses? */
	IT_ASK_CODE,		/* does the code that it goes to stand in a file? */
	IT_ASK_ROOM,		/* wait for the consumer */
	IT_ASK_REACH,		/* get memory that must be there */
};
void it_ask(struct it_thread *t, enum it_ask what);
void it_work_exit(void);
bool it_waits(const struct session *s);		/* does it, where there is little room? */

/* Asked after each record. Preemption off. */
static __always_inline bool it_must_wait(const struct it_thread *t)
{
	const struct ring *r = session_trace(t->session);

	return r && unlikely(ring_half_full(r)) && it_waits(t->session);
}

/* code.c: keep the code at which the current thread stands; it may sleep. */
void it_code(struct it_thread *t);
u64 *it_code_sums(void);		/* memory of what was kept; all is new again */
void it_code_forget(u64 *sums);
/* Executable mappings have changed so often. */
extern atomic_t it_maps;

/* places.c: where the start and stop addresses are in this process; it may sleep. */
void it_places_find(struct it_thread *t);

#endif
