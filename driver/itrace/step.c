// SPDX-License-Identifier: GPL-2.0
/*
 * Steps a traced thread. `user.ip` is the thread's last known address: the handler of any event
 * begins by checking where it really is.
 *
 * A system call instruction does not trap: sys_enter's hook counts it. The address to which the
 * call returns (the next instruction, itself again, a handler, code that a handler had interrupted,
 * a new program) is seen at the thread's next event in user code, and recorded then. While a thread
 * is in a system call the trap flag is not set in the registers of its return, so that fork,
 * signals and debuggers do not copy or save it.
 */
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>
#include "itrace/itrace_code.h"
#include "itrace/defer.h"
#include "itrace/emit.h"
#include "itrace/itrace_flow.h"
#include "itrace/itrace_kernel.h"
#include "itrace/room.h"
#include "itrace/step.h"
#include "itrace/trap.h"

/* The last counted call has returned to `ip`. */
static void call_returned(struct it_thread *t, u64 ip)
{
	u32 why = t->exec     ? PITRACE_BREAK_EXEC :
		  t->diverted ? PITRACE_BREAK_SIGRETURN :
				PITRACE_BREAK_SYSCALL;

	t->in_call = t->exec = t->diverted = false;
	t->user.ip = ip;
	it_emit_break(t, true, why, why == PITRACE_BREAK_EXEC ? 0 : t->number, t->call_end, ip);
	it_check_bounds(t, ip);
}

void it_look(struct it_thread *t, u64 ip)
{
	int n;

	if (t->kernel.on && (it_kernel_left(t, ip) || t->phase == IT_DONE))
		return;
	if (t->in_call) {
		/* After the call, or in a straight line from there; otherwise the call is
		 * restarted. */
		call_returned(t, arch_itrace_between(t->back, ip, true) < 0 ? ip : t->back);
		if (t->phase == IT_DONE)
			return;
	}
	if (!it_wants(t, true)) {
		t->user.ip = ip;
		return;
	}
	n = arch_itrace_between(t->user.ip, ip, true);
	if (n < 0)
		/* The kernel moved it for a reason that no hook has seen. */
		it_emit_break(t, true, PITRACE_BREAK_EXCEPTION, 0, t->user.ip, ip);
	else if (n)
		it_advance(t, true, n, ip);
	t->user.ip = ip;
}

static void begin(struct it_thread *t)
{
	const struct session_itrace *it = &t->session->itrace;
	struct pt_regs *regs = task_pt_regs(t->task);

	if (t->phase == IT_DONE)
		return;
	t->user = (struct it_side){ .ip = instruction_pointer(regs) };
	t->kernel = (struct it_kernel){};
	t->in_call = false;
	t->signal_at = 0;
	/* It may be in a call that is restarted: then it continues at the call's instruction. */
	if (t->why != PITRACE_ITRACE_FORK && it_call_number(t) != -1) {
		t->in_call = true;
		t->number = it_call_number(t);
		t->call_end = t->back = t->user.ip;
	}
	if (it->flags & (PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL))
		t->resolve = !t->start && !t->stop;
	/* After a pause it starts like all others. */
	t->started &= t->why == PITRACE_ITRACE_FORK;
	t->phase = t->skip ? IT_SKIPPING : it_waits_for_start(t) ? IT_WAITING : IT_RUNNING;
	if (t->phase == IT_RUNNING)
		it_emit_mark(t, true, t->why, 0, t->user.ip);
}

/* During a call the registers may be copied (to a child), so the thread is armed when it leaves the
 * call, or at an interrupt after that. While a signal's frame is being set up, the trap flag might
 * be saved in the frame and restored after the end of the trace: so a thread that is elsewhere in
 * the kernel is armed only at an interrupt of its user code. */
static bool may_arm(const struct it_thread *t, bool leaves)
{
	if (leaves || it_call_number(t) != -1)
		return leaves;
	return !ARCH_FRAME_TRAPS || (t->task == current && get_irq_regs() == task_pt_regs(current));
}

bool it_arm(struct it_thread *t, bool leaves)
{
	/* Checks the state first: only a thread that is not quiet is certain to have a session. */
	if (READ_ONCE(t->state) != IT_ARMING || t->task->flags & PF_EXITING ||
	    READ_ONCE(t->session->state) != PITRACE_STATE_ON)
		return false;
	if (!may_arm(t, leaves) || cmpxchg(&t->state, IT_ARMING, IT_ARMED) != IT_ARMING)
		return false;
	t->cpu = smp_processor_id();
	/* Its credentials may have changed since it joined. */
	if (!it_visible(t)) {
		t->phase = IT_DONE;
	} else if (t->phase != IT_DONE && (t->ceded || arch_itrace_debugged(t->task))) {
		t->phase = IT_DONE;
		it_cede_trap(t);
		it_emit_mark(t, false, PITRACE_ITRACE_DEBUGGER, 0,
			     instruction_pointer(task_pt_regs(t->task)));
	}
	begin(t);
	if (it_still_traced(t) && it_wants(t, true))
		it_set_trap(t, task_pt_regs(t->task));
	return true;
}

/* Instructions have run (`ran`), and the thread is at `to`. False: nothing more is recorded. */
static __always_inline bool retire(struct it_thread *t, const struct arch_ran *ran, u64 to)
{
	t->gap |= ran->lost;
	if (ran->count > 1 && !it_advance(t, true, ran->count - 1, ran->from))
		return false;
	t->user.ip = to;
	if (!it_count(t, &t->user, 1)) {
		/* Records its last branch: the count alone does not show its target. */
		if (ran->taken)
			it_emit_branch(t, true, ran->kind, ran->from, to);
		it_stop(t, PITRACE_ITRACE_LIMIT, to);
		return false;
	}
	if (ran->taken)
		it_emit_branch(t, true, ran->kind, ran->from, to);
	else if (unlikely(t->session->itrace.flags & PITRACE_ITRACE_STEPS))
		it_emit_branch(t, true, PITRACE_BRANCH_OTHER | PITRACE_BRANCH_STEP, ran->from, to);
	if (unlikely(t->stop || t->phase != IT_RUNNING)) {
		it_check_bounds(t, to);
		return t->phase != IT_DONE;
	}
	return true;
}

#ifdef ARCH_LLSC_BRANCHES
static bool run_llsc(struct it_thread *t, struct pt_regs *regs);

/* The sequence could not be executed: retries when its memory is present, otherwise the thread
 * continues without traps for a while. */
static void llsc_failed(struct it_thread *t, struct pt_regs *regs)
{
	u64 wanted = instruction_pointer(regs) | t->arch.writes;

	if (t->arch.fault && t->arch.asked != wanted) {
		t->arch.asked = wanted;
		it_defer(t, IT_DEFER_REACH);
		return;
	}
	t->arch.asked = 0;
	t->arch.llsc_untraced = true;
	t->gap = true;
	it_disarm(t);
}

void it_reached(struct it_thread *t)
{
	arch_itrace_reach(&t->arch);
	preempt_disable();
	if (it_still_traced(t) && t->arch.llsc)
		run_llsc(t, task_pt_regs(current));
	else if (it_still_traced(t) && it_wants(t, true))
		it_set_trap(t, task_pt_regs(current));
	preempt_enable();
}
#endif

/* Executes an LL/SC sequence, which no trap may interrupt, if the thread is at one. False: nothing
 * more is recorded. */
static bool run_llsc(struct it_thread *t, struct pt_regs *regs)
{
#ifdef ARCH_LLSC_BRANCHES
	struct arch_path path[ARCH_LLSC_BRANCHES];
	int i, n;

	while (unlikely(t->arch.llsc)) {
		n = arch_itrace_llsc(regs, &t->arch, path);
		if (n < 0) {
			llsc_failed(t, regs);
			return true;
		}
		it_emit_accesses(t);
		for (i = 0; i < n; i++)
			if (!retire(t, &path[i].ran, path[i].to))
				return false;
		it_look(t, instruction_pointer(regs));
		if (t->phase == IT_DONE)
			return false;
		it_set_trap(t, regs);
	}
#endif
	return true;
}

/* The thread's own code runs next. recorded: there may be no room now. */
static __always_inline void resume(struct it_thread *t, struct pt_regs *regs, bool recorded)
{
	/* Also for the one trap that ends the kernel's side. */
	if (it_wants(t, true) || t->kernel.on) {
		it_set_trap(t, regs);
		if (!run_llsc(t, regs))
			return;
		if (unlikely(it_lacks_code(t)))
			it_defer(t, IT_DEFER_REACH);
	}
	if (unlikely(t->resolve))
		it_defer(t, IT_DEFER_ADDRESSES);
	if (recorded && it_must_wait(t))
		it_defer(t, IT_DEFER_ROOM);
}

void it_resume(struct it_thread *t, struct pt_regs *regs, bool recorded)
{
	resume(t, regs, recorded);
}

bool itrace_trap(struct pt_regs *regs)
{
	u64 to = instruction_pointer(regs);
	struct it_thread *t;
	struct arch_ran ran;
	bool ours;

	t = it_find(current);
	if (!t)
		return false;
	/* Read before the checks below, which may cede the next trap to a debugger. */
	ours = t->trap && !t->ceded;
	if (!it_still_traced_here(t)) {
		t->kernel.on = false;
		if (!ours || arch_itrace_debugged(current))
			return false;
		/* If this instruction pushed its flags, they are cleaned too. */
		arch_itrace_ran(t->user.ip, regs, &t->arch, &ran);
		it_clear_trap(t, regs);
		return true;
	}
	if (t->kernel.on && it_kernel_left(t, to)) {
		if (it_wants(t, true) && t->phase != IT_DONE)
			resume(t, regs, true);
		else
			it_clear_trap(t, regs);
		return true;
	}
	if (t->in_call)
		call_returned(t, t->back);
	if (!it_wants(t, true)) {
		it_clear_trap(t, regs);
		return true;
	}
	arch_itrace_ran(t->user.ip, regs, &t->arch, &ran);
	if (unlikely(!ran.count)) {
		it_set_trap(t, regs);
		return true;
	}
	it_emit_accesses(t);
	if (!retire(t, &ran, to))
		return true;
	resume(t, regs, ran.taken || t->session->itrace.flags & PITRACE_ITRACE_STEPS);
	if (ran.taken && t->phase == IT_RUNNING && it_unknown_code(t, to) &&
	    test_bit(PITRACE_CODE, t->session->majors))
		it_defer(t, IT_DEFER_CODE);
	return true;
}
