/* SPDX-License-Identifier: GPL-2.0 */
/* The differences between architectures: each has one file that implements this; generic.c serves
 * the rest. */
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
/* rdtsc(), but the compiler knows that each half has 32 bits. */
static __always_inline u64 arch_cycles(void)
{
	u32 low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high));
	return (u64)high << 32 | low;
}
#elif defined(CONFIG_S390)
/* The clock as user code reads it; the kernel's own counts from boot. */
static __always_inline u64 arch_cycles(void)
{
	u64 tod;

	asm volatile("stckf %0" : "=Q"(tod) : : "cc");
	return tod >> 2;
}
#else
#include <linux/timex.h>
static __always_inline u64 arch_cycles(void)
{
	return get_cycles();
}
#endif

/* Does the task run 32-bit user code? */
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

/* Returns the kind of interrupt that this handler serves, a PITRACE_IRQ_*; 0: that kind has its own
 * tracepoint. */
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

/*
 * Hardware counters that user code may be allowed to read, numbered as in pitrace.h. index(): an
 * event's counter, on the CPU that counts it; 0: it has none of its own. width(): the bits at which
 * differences wrap. set_user(): allows or forbids user code to read all of this CPU's counters;
 * interrupts are off.
 */
#if defined(CONFIG_ARM64) || defined(CONFIG_PPC64)
#define ARCH_USER_COUNTERS 1
struct perf_event;
unsigned int arch_counter_index(const struct perf_event *perf);
unsigned int arch_counter_width(const struct pitrace_metric *metric);
void arch_set_user_counters(bool enable);
#else
#define ARCH_USER_COUNTERS         0
#define arch_counter_index(perf)   0
#define arch_counter_width(metric) 64
#define arch_set_user_counters(enable) \
	do {                           \
	} while (0)
#endif

u64 arch_counter_hz(void);       /* of arch_cycles(); 0: unknown */
bool arch_counter_trusted(void); /* … known to be the same on all CPUs, at all times */
/* May time stamps be raw cycles? */
u64 arch_cycles_hz(void);        /* 0: no usable cycle counter */
bool arch_cycles_trusted(void);  /* same rate always, never stops, same on all CPUs */
bool arch_cycles_unstable(void); /* found to be unstable since */

/*
 * Gets the kernel's stack of the current thread, innermost first: from the interrupted instruction
 * on, or (regs is NULL) from somewhere in the caller's callers. Returns the number of addresses; 0:
 * it cannot be read. `to` holds ARCH_STACK_EXTRA more than `room`.
 */
#define ARCH_STACK_EXTRA 32 /* our own frames and an interrupt's, to be cut off */
unsigned int arch_kernel_stack(struct pt_regs *regs, unsigned long *to, unsigned int room);

/* User registers in DWARF's numbering, pc last, as in pitrace.h. Returns their number. */
#define ARCH_REGISTERS 34
unsigned int arch_user_registers(const struct pt_regs *regs, bool is32, u64 *to);

/* The chain of user frames: at `frame` is the next frame's address; the return address is at
 * return_at from this frame or from the next one. */
struct arch_frames {
	unsigned long frame;
	u8 word; /* bytes of an address; 0: this code cannot be walked */
	u8 return_at;
	bool in_next;
};
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f);
/* The return address of a function that has no frame yet, or has already removed it: its offset
 * from the stack pointer; -1: the function has a frame, or that is unknown. */
int arch_return_on_stack(const struct pt_regs *regs, bool is32);

/*
 * ITrace. An architecture that can stop a thread after each instruction, or after each branch, sets
 * ARCH_ITRACE and implements what follows in one file, arch/itrace_NAME.c. itrace/die_NAME.c
 * receives its traps: it calls itrace_trap() and does nothing else with a trap that was ours. The
 * state of a thread, when to arm it, and the records are in itrace/.
 *
 * Where a trap comes only after branches (s390x: PER's branch events; ppc64le: MSR[BE]), the code
 * that ran since the last trap is the straight line from `since`; where it comes after each
 * instruction, it is the one at `since`.
 */
#if defined(CONFIG_X86) || defined(CONFIG_S390) || defined(CONFIG_PPC64)
#define ARCH_ITRACE 1
#else
#define ARCH_ITRACE 0
#endif

struct arch_ran {
	u64 from;   /* the last instruction that ran */
	u32 count;  /* from `since` on, including it; 0: it has not finished (rep) */
	u8 kind;    /* PITRACE_BRANCH_*, if a branch was taken */
	bool taken; /* execution did not continue with the next instruction */
	bool lost;  /* the code that ran before it is unknown */
};
struct arch_path {
	struct arch_ran ran;
	u64 to;
};

/* A signal frame saves registers that can contain the trap, and the return from the handler
 * restores it. */
#define ARCH_FRAME_TRAPS IS_ENABLED(CONFIG_X86)

/* arm(): user code of this task traps from now on; disarm(): no longer. `regs` are those of its
 * return to user code. The task is the current one, or does not run; disarm() may be called for a
 * running one: then it need not succeed, but must do no harm. */
struct arch_itrace;
void arch_itrace_arm(struct task_struct *task, struct pt_regs *regs, struct arch_itrace *a);
void arch_itrace_disarm(struct task_struct *task, struct pt_regs *regs);
/* The current task has trapped, at `regs`: fills `ran` with what it has executed. Fault-free, in
 * any context. */
void arch_itrace_ran(u64 since, struct pt_regs *regs, const struct arch_itrace *a,
		     struct arch_ran *ran);
/* Returns the number of instructions of user or kernel code from `since` up to `ip`, excluding that
 * one, in a straight line; -1: there is none between them. */
int arch_itrace_between(u64 since, u64 ip, bool user);
/* At the entry of a system call: returns the address of its instruction; *behind is the next
 * one. */
u64 arch_itrace_call(struct pt_regs *regs, u64 *behind);
/* At a signal's delivery, before its handler runs: *ip is the interrupted instruction. */
bool arch_itrace_interrupted(struct pt_regs *regs, u64 *ip);
/* Does a debugger single-step the task? */
bool arch_itrace_debugged(struct task_struct *task);
#ifdef CONFIG_S390
/* The current task has trapped, but the kernel reports it only on return to user code. Returns true
 * once: the caller handles the trap now. */
bool arch_itrace_pending(void);
#else
static inline bool arch_itrace_pending(void)
{
	return false;
}
#endif
#ifdef CONFIG_PPC64
/* A read or a write by the instruction at `at`. */
#define ARCH_ACCESSES 4
struct arch_access {
	u64 at, address;
	u32 bytes;
	u8 way; /* PITRACE_ACCESS_* */
};
struct arch_itrace {
	u64 ip, branch;     /* armed at; the branch that will trap, 0 none */
	u32 count, word;    /* instructions up to the branch; its word */
	bool step;          /* traps after one instruction */
	bool watch;         /* memory accesses are requested */
	bool llsc;          /* an LL/SC sequence, which no trap may interrupt, is next */
	bool llsc_untraced; /* the thread runs it untraced */
	u8 accesses;        /* of the next instructions, or (llsc) of those executed */
	struct arch_access access[ARCH_ACCESSES];
	unsigned long fault; /* memory that these need (llsc: needed) and that is not present */
	bool writes;         /* … for writing */
	u64 asked;           /* address of the last request, odd: for writing; one is enough */
	u64 fails;           /* the store of a sequence that begins here fails once */
};
/* Executes an LL/SC sequence in place of the thread. Returns the number of branches that were taken
 * on the way, and in `path` each branch and its target; the rest is a straight line to the thread's
 * new address. -1: nothing was executed. */
#define ARCH_LLSC_BRANCHES 8
int arch_itrace_llsc(struct pt_regs *regs, struct arch_itrace *a, struct arch_path *path);
/* Faults in the missing memory; may sleep. */
void arch_itrace_reach(struct arch_itrace *a);
/* Whether MSR[BE] works, as tested at load. */
extern bool arch_itrace_branches_trap;
#else
struct arch_itrace {
};
#endif
#ifdef CONFIG_X86
static inline u64 arch_itrace_next(u64 ip, bool user)
{
	return 0;
}
#else
/* Returns the address after the instruction at `ip`; 0: unknown. */
u64 arch_itrace_next(u64 ip, bool user);
#endif

/* The kernel side of system calls. Returns why this machine cannot trace it; NULL: it can. */
#if defined(CONFIG_X86) || defined(CONFIG_S390)
const char *arch_itrace_no_kernel(void);
/* Has a kernel debugger been attached since? */
bool arch_itrace_kernel_debugged(void);
/* step(): this code traps from now on. unstep(): it no longer does; returns whether it did. */
void arch_itrace_step(void);
bool arch_itrace_unstep(void);
/* … when execution returns through these registers. */
void arch_itrace_step_at(struct pt_regs *regs, bool step);
bool arch_itrace_steps(const struct pt_regs *regs);
/* In an interrupt: the registers by which the current thread continues in kernel code. NULL:
 * unknown. */
struct pt_regs *arch_itrace_irq_regs(void);
/* Does this kernel instruction lead to user code? */
bool arch_itrace_returns(u64 ip);
#else
static inline const char *arch_itrace_no_kernel(void)
{
	return "the driver steps it on x86-64 and s390x alone";
}
static inline bool arch_itrace_kernel_debugged(void)
{
	return false;
}
static inline void arch_itrace_step(void) { }
static inline bool arch_itrace_unstep(void)
{
	return false;
}
static inline void arch_itrace_step_at(struct pt_regs *regs, bool step) { }
static inline bool arch_itrace_steps(const struct pt_regs *regs)
{
	return false;
}
static inline struct pt_regs *arch_itrace_irq_regs(void)
{
	return NULL;
}
static inline bool arch_itrace_returns(u64 ip)
{
	return false;
}
#endif

#ifdef CONFIG_X86
#define ARCH_MODULES MODULES_VADDR /* no module's code is below this */
/* In a trap: the stack slot where an exception or interrupt before the next trap will store its
 * return address, set to 0 until then. NULL: unknown. */
u64 *arch_itrace_pushed(const struct pt_regs *regs);
/* In that next trap: returns the address at which that exception or interrupt continued; `since` if
 * there was none, or for NULL. */
u64 arch_itrace_returned(const u64 *pushed, u64 since);
#else
#define ARCH_MODULES 0ul
static inline u64 *arch_itrace_pushed(const struct pt_regs *regs)
{
	return NULL;
}
static inline u64 arch_itrace_returned(const u64 *pushed, u64 since)
{
	return since;
}
#endif

/* In a kernel trap, at a branch that led there. */
struct arch_probe {
	struct arch_ran ran; /* up to the beginning of the kernel's probe code (from) */
	u64 after;           /* where that code continues */
	bool driver_may;     /* it may be this driver's probe, which is known not to recurse
				   there */
};
#define ARCH_WAY 4
#ifdef CONFIG_S390
/* Is it a probe, where nothing may trap? */
bool arch_itrace_probe(u64 since, const struct pt_regs *regs, struct arch_probe *probe);
/* The next trap comes when execution reaches `ip` (0: as usual). */
void arch_itrace_after(u64 ip);
/* Returns the return address of the call that was just made. */
static inline u64 arch_itrace_back(const struct pt_regs *regs)
{
	return regs->gprs[14];
}
/* Is this the code that leads to user code, where nothing may trap? Fills `path` with the branches
 * on that way (each counts the instructions before it); the last entry is not a branch but the
 * instruction at its end. -1: it is not. */
int arch_itrace_way(const struct pt_regs *regs, struct arch_path *path);
/* May a thread be stepped at once after a switch from a thread that has ended? */
#define ARCH_STEPS_BURIALS false
#else
static inline bool arch_itrace_probe(u64 since, const struct pt_regs *regs,
				     struct arch_probe *probe)
{
	return false;
}
static inline void arch_itrace_after(u64 ip) { }
static inline u64 arch_itrace_back(const struct pt_regs *regs)
{
	return 0;
}
static inline int arch_itrace_way(const struct pt_regs *regs, struct arch_path *path)
{
	return -1;
}
#define ARCH_STEPS_BURIALS true
#endif

#endif
