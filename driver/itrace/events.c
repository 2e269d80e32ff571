// SPDX-License-Identifier: GPL-2.0
/* Hooks on a traced thread between its traps: system calls, signals, switches, exit. */
#include <linux/binfmts.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>
#include <asm/unistd.h>
#include <trace/events/signal.h>
#include <trace/events/syscalls.h>
#include "core/access.h"
#include "core/hooks.h"
#include "itrace/itrace_code.h"
#include "itrace/defer.h"
#include "itrace/emit.h"
#include "itrace/itrace_flow.h"
#include "itrace/itrace.h"
#include "itrace/itrace_kernel.h"
#include "itrace/step.h"
#include "itrace/trap.h"

/* The system call instruction has run. False: nothing more is recorded. */
static bool call_entered(struct it_thread *t, struct pt_regs *regs, u32 number)
{
	u64 behind;

	it_look(t, arch_itrace_call(regs, &behind));
	if (t->phase == IT_DONE)
		return false;
	t->call = t->user.ip;
	t->call_end = t->back = behind;
	t->number = number;
	t->in_call = true;
	t->exec = t->diverted = false;
	if (it_count(t, &t->user, 1))
		return true;
	it_stop(t, PITRACE_ITRACE_LIMIT, t->call_end);
	return false;
}

/* A child's first return is from its parent's call: its address is already after that call. */
static bool in_unseen_call(const struct it_thread *t)
{
	return !t->in_call && !t->kernel.on && it_call_number(t) != -1 &&
	       t->user.ip != instruction_pointer(task_pt_regs(t->task));
}

/* A call that was handled before sys_enter (seccomp, syscall user dispatch) is seen only at its
 * end. */
static void unseen_call_entered(struct it_thread *t, struct pt_regs *regs)
{
	if (!in_unseen_call(t))
		return;
	it_clear_trap(t, regs);
	call_entered(t, regs, it_call_number(t));
}

static void on_enter(void *unused, struct pt_regs *regs, long number)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (!t)
		goto out;
	it_clear_trap(t, regs);
	if (it_still_traced(t) && call_entered(t, regs, number) && it_wants(t, false))
		it_kernel_enter(t, current_stack_pointer,
				(unsigned long)__builtin_return_address(0));
out:
	preempt_enable_notrace();
}

static void on_leave(void *unused, struct pt_regs *regs, long result)
{
	struct it_thread *t;
	bool armed;

	preempt_disable_notrace();
	t = it_find(current);
	if (!t)
		goto out;
	armed = it_arm(t, true);
	if (!it_still_traced(t)) {
		/* A system call whose entry was not seen has left the flag set. */
		it_clear_trap(t, regs);
		goto out;
	}
	if (!armed)
		unseen_call_entered(t, regs);
	if (t->phase == IT_DONE)
		goto out;
	if (t->in_call || t->kernel.on) {
		t->back = instruction_pointer(regs);
		/* A call that continues an interrupted one returns like that one. */
		t->diverted = t->back != t->call_end && !t->exec &&
			      t->number != __NR_restart_syscall;
	}
	it_resume(t, regs, true);
	/* Records the first instructions of a new program if they are in no file. */
	if (t->exec && it_unknown_code(t, t->back) && test_bit(PITRACE_CODE, t->session->majors))
		it_defer(t, IT_DEFER_CODE);
out:
	preempt_enable_notrace();
}

/* This hook runs before the registers are saved on the user stack. */
static void on_signal(void *unused, int signal, struct kernel_siginfo *info, struct k_sigaction *ka)
{
	struct it_thread *t;

	if (ka->sa.sa_handler == SIG_DFL || ka->sa.sa_handler == SIG_IGN)
		return;
	preempt_disable_notrace();
	t = it_find(current);
	if (t) {
		if (arch_itrace_pending())
			itrace_trap(task_pt_regs(current));
		/* Even if tracing has ended: a saved flag would be restored later. */
		it_disarm(t);
		if (it_still_traced(t))
			unseen_call_entered(t, task_pt_regs(current));
		if (it_still_traced(t)) {
			t->signal = signal;
			it_defer(t, IT_DEFER_SIGNAL);
		}
	}
	preempt_enable_notrace();
}

struct hook_tracepoint itrace_tracepoints[] = { HOOK(sys_enter, on_enter),
						HOOK(sys_exit, on_leave),
						HOOK(signal_deliver, on_signal),
						{} };

/* A sleeping thread must not be armed when a debugger reads it, when tracing has ended, or in a
 * call: seccomp, which may wait for a supervisor, comes before sys_enter. */
static void switch_out(struct it_thread *t)
{
	it_kernel_out(t);
	if (unlikely(READ_ONCE(t->task->ptrace))) {
		it_still_traced(t);
		if (t->trap)
			it_cede_trap(t);
	} else if (READ_ONCE(t->state) == IT_QUIET || in_unseen_call(t)) {
		it_disarm(t);
	}
}

static void switch_in(struct it_thread *t, const struct task_struct *prev)
{
	u32 from = t->cpu;

	if (READ_ONCE(t->state) != IT_ARMED)
		it_kernel_quiet(t);
	if (READ_ONCE(t->state) == IT_ARMING) {
		it_arm(t, false);
	} else if (READ_ONCE(t->state) == IT_ARMED) {
		t->cpu = smp_processor_id();
		if (it_still_traced(t) && t->phase == IT_RUNNING)
			it_emit_switch(t, from);
		it_kernel_in(t, prev);
	}
}

void itrace_switch(struct task_struct *prev, struct task_struct *next)
{
	struct it_thread *t;

	t = it_find(prev);
	if (t)
		switch_out(t);
	t = it_find(next);
	if (t)
		switch_in(t, prev);
}

void itrace_exec(const struct linux_binprm *bprm)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (!t)
		goto out;
	if (bprm->secureexec || !access_task_dumpable(current)) {
		if (it_still_traced(t))
			it_stop(t, PITRACE_ITRACE_EXEC, 0);
		/* One that waits to be armed, or is paused, will never be. */
		t->phase = IT_DONE;
	} else if (it_still_traced(t)) {
		t->exec = true;
		t->start = t->stop = 0;
		t->resolve = t->session->itrace.flags &
			     (PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL);
		memset(t->bytes, 0, sizeof(t->bytes));
		t->unit = ~0ull;
	}
out:
	preempt_enable_notrace();
}

void itrace_exit(struct task_struct *task)
{
	unsigned long flags;
	struct it_thread *t;

	preempt_disable_notrace();
	if (task == current && it_find(task) && arch_itrace_pending())
		itrace_trap(task_pt_regs(task));
	raw_spin_lock_irqsave(&it_lock, flags);
	t = it_find(task);
	if (t) {
		if (t->state == IT_ARMED && it_visible(t))
			it_cut(t, PITRACE_ITRACE_EXIT, 0);
		it_remove(t);
	}
	raw_spin_unlock_irqrestore(&it_lock, flags);
	preempt_enable_notrace();
}

/* In the interrupt entry path. */
void itrace_interrupt(u32 source)
{
	struct pt_regs *regs = get_irq_regs();
	struct it_thread *t;

	if (!regs || source == PITRACE_IRQ_SOFTIRQ)
		return;
	t = it_find(current);
	if (t && !user_mode(regs))
		it_kernel_interrupt(t, source, regs);
	if (!t || !user_mode(regs) || regs != task_pt_regs(current))
		return;
	if (unlikely(READ_ONCE(t->state) == IT_ARMING)) {
		it_arm(t, false);
		return;
	}
	if (!it_still_traced(t) || !it_wants(t, true))
		return;
	it_look(t, instruction_pointer(regs));
	it_emit_break(t, true, PITRACE_BREAK_INTERRUPT, source, t->user.ip, t->user.ip);
#ifdef ARCH_LLSC_BRANCHES
	if (t->arch.llsc_untraced && t->phase != IT_DONE)
		it_resume(t, regs, true);
#endif
}

void itrace_fault(u32 flags, u64 ip)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (t && it_still_traced(t) && it_wants(t, true)) {
		it_look(t, ip);
		it_emit_break(t, true, PITRACE_BREAK_FAULT, flags, ip, ip);
	}
	preempt_enable_notrace();
}

/* A uprobe steps by the same flag, and would keep our setting: this thread is ceded to it, in any
 * state. */
void itrace_breakpoint(void)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (t) {
		if (it_still_traced(t))
			it_stop(t, PITRACE_ITRACE_DEBUGGER, t->user.ip);
		else
			it_cede_trap(t);
	}
	preempt_enable_notrace();
}

/* The current process got another executable mapping. */
void itrace_mapped(void)
{
	struct it_thread *t;
	unsigned long flags;

	atomic_inc(&it_maps);
	raw_spin_lock_irqsave(&it_lock, flags);
	for_each_it(NULL, t)
		if (t->task->mm == current->mm)
			t->resolve |= !!(t->session->itrace.flags &
					 (PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL));
	raw_spin_unlock_irqrestore(&it_lock, flags);
}
