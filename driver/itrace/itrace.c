// SPDX-License-Identifier: GPL-2.0
/*
 * A traced thread, step by step. `user.ip` is where the thread stands as far as is known: whatever
 * happens to it begins with a look at where it really is.
 *
 * A system call's instruction does not trap: its entry counts it. Where the call returns to (behind
 * it, to itself again, into a handler, to what a handler had interrupted, to a new program) is seen
 * at the thread's next sign of life in user code, and told by then. While a thread is in a system
 * call the trap is not set in the registers that it returns by: nobody finds it there who copies or
 * saves them (fork, signals, debuggers).
 */
#include <linux/binfmts.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/events/signal.h>
#include <trace/events/syscalls.h>
#include "core/access.h"
#include "hook/hook.h"
#include "itrace/itrace.h"
#include "itrace/scope.h"

/* ---- the trap -------------------------------------------------------------------------------- */

/*
 * User probes and debuggers step by the same flag. From its first breakpoint or debugger on a
 * thread is theirs: our flag is taken off where that is seen, before they set theirs, and not
 * touched any more. Nor is that of a thread for which we never set it.
 */
static struct it_thread *clearing;	/* whose flag is taken from elsewhere */

static __always_inline void trap_on(struct it_thread *t, struct pt_regs *regs)
{
	if (unlikely(t->theirs))
		return;
	t->trap = true;
	arch_itrace_arm(t->task, regs);
}

static __always_inline void trap_off(struct it_thread *t, struct pt_regs *regs)
{
	if (t->trap && !READ_ONCE(t->theirs))
		arch_itrace_disarm(t->task, regs);
}

static __always_inline void disarm(struct it_thread *t)
{
	trap_off(t, task_pt_regs(t->task));
}

void it_set_trap(struct it_thread *t, struct pt_regs *regs)
{
	trap_on(t, regs);
}

void it_clear_trap(struct it_thread *t, struct pt_regs *regs)
{
	trap_off(t, regs);
}

void it_clear_trap_of(struct it_thread *t)
{
	WRITE_ONCE(clearing, t);
	/* clearing before theirs: leave_trap() has it the other way round */
	smp_mb();
	disarm(t);
	smp_store_release(&clearing, NULL);
}

static void leave_trap(struct it_thread *t)
{
	disarm(t);
	WRITE_ONCE(t->theirs, true);
	/* theirs before clearing */
	smp_mb();
	/* Few instructions, interrupts off. */
	while (smp_load_acquire(&clearing) == t)
		cpu_relax();
}

/* ---- counts ---------------------------------------------------------------------------------- */

/* The number of the call that it is in; -1: none, of which s390x's own function makes 2^32 - 1. */
static int call_of(const struct it_thread *t)
{
	return syscall_get_nr(t->task, task_pt_regs(t->task));
}

/* The run that it is in is cut; of the other side there is none. */
void it_cut(struct it_thread *t, enum pitrace_itrace_why why, u64 address)
{
	if (t->phase == IT_RUNNING)
		it_put_mark(t, false, why, t->user.run + t->kernel.side.run, address);
	t->user.run = t->kernel.side.run = 0;
}

void it_stop(struct it_thread *t, enum pitrace_itrace_why why, u64 address)
{
	it_cut(t, why, address);
	t->phase = IT_DONE;
	if (why == PITRACE_ITRACE_DEBUGGER)
		leave_trap(t);
	else
		disarm(t);
}

/* Must it reach the start address before it is recorded? */
static bool waits_for_start(const struct it_thread *t)
{
	return t->session->itrace.flags & PITRACE_ITRACE_FROM && !t->started;
}

void it_passes(struct it_thread *t, u64 ip)
{
	const struct itrace *it = &t->session->itrace;

	if (t->phase == IT_SKIPPING && !t->skip) {
		t->why = PITRACE_ITRACE_SKIPPED;
		t->phase = waits_for_start(t) ? IT_WAITING : IT_RUNNING;
		if (t->phase == IT_RUNNING)
			it_put_mark(t, true, t->why, 0, ip);
	}
	if (t->phase == IT_WAITING && t->start == ip && ip) {
		t->phase = IT_RUNNING;
		it_put_mark(t, true, PITRACE_ITRACE_ADDRESS, 0, ip);
	} else if (t->phase == IT_RUNNING && t->stop == ip && ip) {
		it_cut(t, PITRACE_ITRACE_ADDRESS, ip);
		t->phase = IT_WAITING;
		if (!(it->flags & PITRACE_ITRACE_FROM)) {
			t->phase = IT_DONE;
			t->left_out = true;
			disarm(t);
		}
	}
}

bool it_count(struct it_thread *t, struct it_side *side, u32 n)
{
	if (unlikely(t->phase != IT_RUNNING)) {
		if (t->phase == IT_SKIPPING)
			t->skip -= min_t(u64, n, t->skip);
		return true;
	}
	side->run += n;
	if (!t->left)
		return true;
	t->left -= min_t(u64, n, t->left);
	return t->left;
}

/* Does nothing begin or end on its way straight on, over n instructions, to `to`? */
static bool uneventful(const struct it_thread *t, u64 from, u32 n, u64 to)
{
	if (t->phase == IT_SKIPPING)
		return t->skip > n;
	if (t->phase == IT_WAITING)
		return !t->start || t->start - from > to - from;
	return (!t->left || t->left > n) && (!t->stop || t->stop - from > to - from);
}

bool it_straight(struct it_thread *t, bool user, u32 n, u64 to)
{
	struct it_side *side = user ? &t->user : &t->kernel.side;
	bool steps = t->session->itrace.flags & PITRACE_ITRACE_STEPS;
	u64 next;

	if (!steps && uneventful(t, side->ip, n, to)) {
		side->ip = to;
		return it_count(t, side, n);
	}
	for (; n; n--) {
		next = n > 1 ? arch_itrace_next(side->ip, user) : to;
		if (!it_count(t, side, 1)) {
			it_stop(t, PITRACE_ITRACE_LIMIT, next);
			return false;
		}
		if (steps)
			it_put_branch(t, user, PITRACE_BRANCH_OTHER | PITRACE_BRANCH_STEP,
				      side->ip, next);
		side->ip = next;
		it_passes(t, next);
		if (t->phase == IT_DONE)
			return false;
	}
	return true;
}

/* ---- where the thread is --------------------------------------------------------------------- */

/* The call that was counted last has returned to `ip`. */
static void returned(struct it_thread *t, u64 ip)
{
	u32 why = t->exec ? PITRACE_BREAK_EXEC :
		  t->diverted ? PITRACE_BREAK_SIGRETURN : PITRACE_BREAK_SYSCALL;

	t->in_call = t->exec = t->diverted = false;
	t->user.ip = ip;
	it_put_break(t, true, why, why == PITRACE_BREAK_EXEC ? 0 : t->number, t->call_end, ip);
	it_passes(t, ip);
}

void it_at(struct it_thread *t, u64 ip)
{
	int n;

	if (t->kernel.on && (it_kernel_left(t, ip) || t->phase == IT_DONE))
		return;
	if (t->in_call) {
		/* Behind the call, or somewhere on from there; else it begins again. */
		returned(t, arch_itrace_between(t->back, ip, true) < 0 ? ip : t->back);
		if (t->phase == IT_DONE)
			return;
	}
	if (!it_wants(t, true)) {
		t->user.ip = ip;
		return;
	}
	n = arch_itrace_between(t->user.ip, ip, true);
	if (n < 0)
		/* The kernel has moved it: nobody has told why. */
		it_put_break(t, true, PITRACE_BREAK_EXCEPTION, 0, t->user.ip, ip);
	else if (n)
		it_straight(t, true, n, ip);
	t->user.ip = ip;
}

bool it_visible(const struct it_thread *t)
{
	const struct cred *owner = t->session->cred;

	return likely(!owner) || member_sees(owner, t->task);
}

static __always_inline bool goes_on(struct it_thread *t)
{
	if (unlikely(READ_ONCE(t->state) != IT_ARMED || t->phase == IT_DONE))
		return false;
	/* Whose owner may not see it any more: what it ran since the last record is not told. */
	if (unlikely(READ_ONCE(t->session->state) != PITRACE_STATE_ON || !it_visible(t))) {
		t->phase = IT_DONE;
		return false;
	}
	if (unlikely(READ_ONCE(t->task->ptrace))) {
		it_stop(t, PITRACE_ITRACE_DEBUGGER, t->user.ip);
		return false;
	}
	return true;
}

bool it_goes_on(struct it_thread *t)
{
	return goes_on(t);
}

static void begin(struct it_thread *t)
{
	const struct itrace *it = &t->session->itrace;
	struct pt_regs *regs = task_pt_regs(t->task);

	if (t->phase == IT_DONE)
		return;
	t->user = (struct it_side){ .ip = instruction_pointer(regs) };
	t->kernel = (struct it_kernel){ };
	t->in_call = false;
	t->signal_at = 0;
	/* It may be in a call that is begun again: then it goes back. */
	if (t->why != PITRACE_ITRACE_FORK && call_of(t) != -1) {
		t->in_call = true;
		t->number = call_of(t);
		t->call_end = t->back = t->user.ip;
	}
	if (it->flags & (PITRACE_ITRACE_FROM | PITRACE_ITRACE_UNTIL))
		t->resolve = !t->start && !t->stop;
	/* After a pause it starts as all others do. */
	t->started &= t->why == PITRACE_ITRACE_FORK;
	t->phase = t->skip ? IT_SKIPPING : waits_for_start(t) ? IT_WAITING : IT_RUNNING;
	if (t->phase == IT_RUNNING)
		it_put_mark(t, true, t->why, 0, t->user.ip);
}

/* In a call its registers may be copied (a child's): it is armed where it leaves that, or if it
 * has, at an interrupt. Where a signal's handler is being set up on its stack, what is saved there
 * may keep the trap, and be restored when nobody traces any more: who is elsewhere in the kernel is
 * armed at an interrupt of its user code, too. */
static bool may_arm(const struct it_thread *t, bool leaves)
{
	if (leaves || call_of(t) != -1)
		return leaves;
	return !ARCH_FRAME_TRAPS ||
	       (t->task == current && get_irq_regs() == task_pt_regs(current));
}

bool it_arm(struct it_thread *t, bool leaves)
{
	/* First the state: only who is not quiet has a session for certain. */
	if (READ_ONCE(t->state) != IT_ARMING || t->task->flags & PF_EXITING ||
	    READ_ONCE(t->session->state) != PITRACE_STATE_ON)
		return false;
	if (!may_arm(t, leaves) ||
	    cmpxchg(&t->state, IT_ARMING, IT_ARMED) != IT_ARMING)
		return false;
	t->cpu = smp_processor_id();
	/* It may have other credentials than when it joined. */
	if (!it_visible(t)) {
		t->phase = IT_DONE;
	} else if (t->phase != IT_DONE && (t->theirs || arch_itrace_debugged(t->task))) {
		t->phase = IT_DONE;
		leave_trap(t);
		it_put_mark(t, false, PITRACE_ITRACE_DEBUGGER, 0,
			    instruction_pointer(task_pt_regs(t->task)));
	}
	begin(t);
	if (it_goes_on(t) && it_wants(t, true))
		trap_on(t, task_pt_regs(t->task));
	return true;
}

/* Does a branch to `ip` lead to code that is perhaps in no file? */
static __always_inline bool unknown_code(struct it_thread *t, u64 ip)
{
	int i;

	if (unlikely(t->maps != (u32)atomic_read(&it_maps))) {
		t->maps = atomic_read(&it_maps);
		memset(t->bytes, 0, sizeof(t->bytes));
		t->unit = ~0ull;
	}
	for (i = 0; i < IT_RANGES; i++)
		if (ip - t->from[i] < t->bytes[i])
			goto file;
	return (ip & ~(u64)(PITRACE_CODE_MAX - 1)) != t->unit;
file:
	t->unit = ~0ull;
	return false;
}

/* That has run, and it is at `to`. False: nothing more is recorded. */
static __always_inline bool told(struct it_thread *t, const struct arch_ran *ran, u64 to)
{
	t->gap |= ran->lost;
	if (ran->count > 1 && !it_straight(t, true, ran->count - 1, ran->from))
		return false;
	t->user.ip = to;
	if (!it_count(t, &t->user, 1)) {
		/* Its last branch is told: the count alone would not say where it led. */
		if (ran->taken)
			it_put_branch(t, true, ran->kind, ran->from, to);
		it_stop(t, PITRACE_ITRACE_LIMIT, to);
		return false;
	}
	if (ran->taken) {
		it_put_branch(t, true, ran->kind, ran->from, to);
	} else if (unlikely(t->session->itrace.flags & PITRACE_ITRACE_STEPS)) {
		it_put_branch(t, true, PITRACE_BRANCH_OTHER | PITRACE_BRANCH_STEP, ran->from, to);
	}
	if (unlikely(t->stop || t->phase != IT_RUNNING)) {
		it_passes(t, to);
		return t->phase != IT_DONE;
	}
	return true;
}

#ifdef ARCH_ALONE
static bool alone(struct it_thread *t, struct pt_regs *regs);

/* That could not be: perhaps if its memory is there, else it goes on without traps for a while. */
static void not_alone(struct it_thread *t, struct pt_regs *regs)
{
	u64 wanted = instruction_pointer(regs) | t->arch.writes;

	if (t->arch.fault && t->arch.asked != wanted) {
		t->arch.asked = wanted;
		it_ask(t, IT_ASK_REACH);
		return;
	}
	t->arch.asked = 0;
	t->arch.loose = true;
	t->gap = true;
	disarm(t);
}

void it_reached(struct it_thread *t)
{
	arch_itrace_reach(t);
	preempt_disable();
	if (it_goes_on(t) && t->arch.alone)
		alone(t, task_pt_regs(current));
	else if (it_goes_on(t) && it_wants(t, true))
		trap_on(t, task_pt_regs(current));
	preempt_enable();
}
#endif

/* What no trap may interrupt has run, if it stands there. False: nothing more is recorded. */
static bool alone(struct it_thread *t, struct pt_regs *regs)
{
#ifdef ARCH_ALONE
	struct arch_path path[ARCH_ALONE];
	int i, n;

	while (unlikely(t->arch.alone)) {
		n = arch_itrace_alone(regs, path);
		if (n < 0) {
			not_alone(t, regs);
			return true;
		}
		it_put_accesses(t);
		for (i = 0; i < n; i++)
			if (!told(t, &path[i].ran, path[i].to))
				return false;
		it_at(t, instruction_pointer(regs));
		if (t->phase == IT_DONE)
			return false;
		trap_on(t, regs);
	}
#endif
	return true;
}

/* Next instructions are the thread's own again. recorded: it may be that there is no room now. */
static __always_inline void resume(struct it_thread *t, struct pt_regs *regs, bool recorded)
{
	/* Also for the one trap that ends the kernel's side. */
	if (it_wants(t, true) || t->kernel.on) {
		trap_on(t, regs);
		if (!alone(t, regs))
			return;
		if (unlikely(it_lacks_code(t)))
			it_ask(t, IT_ASK_REACH);
	}
	if (unlikely(t->resolve))
		it_ask(t, IT_ASK_PLACES);
	if (recorded && it_must_wait(t))
		it_ask(t, IT_ASK_ROOM);
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
	/* Before what is seen now leaves the next one to a debugger. */
	ours = t->trap && !t->theirs;
	if (!goes_on(t)) {
		t->kernel.on = false;
		if (!ours || arch_itrace_debugged(current))
			return false;
		/* If that one pushed its flags: without ours, now too. */
		arch_itrace_ran(t->user.ip, regs, &ran);
		trap_off(t, regs);
		return true;
	}
	if (t->kernel.on && it_kernel_left(t, to)) {
		if (it_wants(t, true) && t->phase != IT_DONE)
			resume(t, regs, true);
		else
			trap_off(t, regs);
		return true;
	}
	if (t->in_call)
		returned(t, t->back);
	if (!it_wants(t, true)) {
		trap_off(t, regs);
		return true;
	}
	arch_itrace_ran(t->user.ip, regs, &ran);
	if (unlikely(!ran.count)) {
		trap_on(t, regs);
		return true;
	}
	it_put_accesses(t);
	if (!told(t, &ran, to))
		return true;
	resume(t, regs, ran.taken || t->session->itrace.flags & PITRACE_ITRACE_STEPS);
	if (ran.taken && t->phase == IT_RUNNING && unknown_code(t, to) &&
	    test_bit(PITRACE_CODE, t->session->majors))
		it_ask(t, IT_ASK_CODE);
	return true;
}

/* ---- hooks ----------------------------------------------------------------------------------- */

/* The instruction of a system call has run. False: nothing more is recorded. */
static bool called(struct it_thread *t, struct pt_regs *regs, u32 number)
{
	u64 behind;

	it_at(t, arch_itrace_call(regs, &behind));
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

/* A child's first return is from its parent's call: it stands behind that already. */
static bool in_unseen_call(const struct it_thread *t)
{
	return !t->in_call && !t->kernel.on && call_of(t) != -1 &&
	       t->user.ip != instruction_pointer(task_pt_regs(t->task));
}

/* A call that was answered before sys_enter (seccomp, syscall user dispatch) is seen where it
 * ends. */
static void called_unseen(struct it_thread *t, struct pt_regs *regs)
{
	if (!in_unseen_call(t))
		return;
	trap_off(t, regs);
	called(t, regs, call_of(t));
}

static void on_enter(void *unused, struct pt_regs *regs, long number)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (!t)
		goto out;
	trap_off(t, regs);
	if (it_goes_on(t) && called(t, regs, number) && it_wants(t, false))
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
	if (!it_goes_on(t)) {
		/* Of a call that nobody saw begin the flag is still there. */
		trap_off(t, regs);
		goto out;
	}
	if (!armed)
		called_unseen(t, regs);
	if (t->phase == IT_DONE)
		goto out;
	if (t->in_call || t->kernel.on) {
		t->back = instruction_pointer(regs);
		/* A call that goes on with one that was interrupted returns as that one. */
		t->diverted = t->back != t->call_end && !t->exec &&
			      t->number != __NR_restart_syscall;
	}
	resume(t, regs, true);
	/* A new program's first instructions, if they stand in no file. */
	if (t->exec && unknown_code(t, t->back) && test_bit(PITRACE_CODE, t->session->majors))
		it_ask(t, IT_ASK_CODE);
out:
	preempt_enable_notrace();
}

/* Before the registers are saved on the user's stack. */
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
		/* Over or not: what is saved would be restored some day. */
		disarm(t);
		if (it_goes_on(t))
			called_unseen(t, task_pt_regs(current));
		if (it_goes_on(t)) {
			t->signal = signal;
			it_ask(t, IT_ASK_SIGNAL);
		}
	}
	preempt_enable_notrace();
}

struct hook_tracepoint hook_itrace_tracepoints[] = {
	HOOK(sys_enter, on_enter),
	HOOK(sys_exit, on_leave),
	HOOK(signal_deliver, on_signal),
	{ }
};

/* Who sleeps is not armed when a debugger looks at it, nor when the trace is over, nor in a call:
 * what asks others for its answer (seccomp) comes before sys_enter. */
static void switch_out(struct it_thread *t)
{
	it_kernel_out(t);
	if (unlikely(READ_ONCE(t->task->ptrace))) {
		it_goes_on(t);
		if (t->trap)
			leave_trap(t);
	} else if (READ_ONCE(t->state) == IT_QUIET || in_unseen_call(t)) {
		disarm(t);
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
		if (it_goes_on(t) && t->phase == IT_RUNNING)
			it_put_switch(t, from);
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

void itrace_fork(struct task_struct *parent, struct task_struct *child)
{
	struct it_thread *t;

	if (child->flags & (PF_KTHREAD | PF_USER_WORKER))
		return;
	preempt_disable_notrace();
	/* Its registers are the parent's in a call: without a trap. */
	t = it_find(parent);
	it_scope_fork(t, child);
	preempt_enable_notrace();
}

void itrace_exec(const struct linux_binprm *bprm)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (!t)
		goto out;
	if (bprm->secureexec || !member_dumpable(current)) {
		if (it_goes_on(t))
			it_stop(t, PITRACE_ITRACE_EXEC, 0);
		/* One that waits to be armed, or pauses, never is. */
		t->phase = IT_DONE;
	} else if (it_goes_on(t)) {
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

/* In an interrupt's entry. */
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
	if (!it_goes_on(t) || !it_wants(t, true))
		return;
	it_at(t, instruction_pointer(regs));
	it_put_break(t, true, PITRACE_BREAK_INTERRUPT, source, t->user.ip, t->user.ip);
#ifdef ARCH_ALONE
	if (t->arch.loose && t->phase != IT_DONE)
		resume(t, regs, true);
#endif
}

void itrace_fault(u32 flags, u64 ip)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (t && it_goes_on(t) && it_wants(t, true)) {
		it_at(t, ip);
		it_put_break(t, true, PITRACE_BREAK_FAULT, flags, ip, ip);
	}
	preempt_enable_notrace();
}

/* A user probe steps by the same flag, and would keep what it finds of ours: this thread is left to
 * it, in any state. */
void itrace_breakpoint(void)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (t) {
		if (it_goes_on(t))
			it_stop(t, PITRACE_ITRACE_DEBUGGER, t->user.ip);
		else
			leave_trap(t);
	}
	preempt_enable_notrace();
}

/* The current process has another executable mapping. */
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
