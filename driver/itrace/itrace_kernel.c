// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's side of a traced thread's system calls. It is stepped from the return of sys_enter's
 * probe to the instruction that leads back to user code; the code before that probe is not traced.
 *
 * Code that is never stepped, and why:
 * - interrupts and exceptions: the CPU clears the trap flag when it enters them, and what they
 *   return by sets it again;
 * - softirqs that run on top of a thread: between their tracepoints the flag is off;
 * - another thread: the flag is off from the tracepoint of a switch on, and set again by an
 *   interrupt that this CPU sends itself, which comes as soon as the scheduler lets any in;
 * - this driver: while its own code runs on the thread's behalf (a hook, a file of its own) traps
 *   change nothing (`own`), so they never see a half-done update. It may clear the flag.
 *
 * A trap can come anywhere, like an NMI: the handler takes no lock and never waits.
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched/task_stack.h>
#include "core/hooks.h"
#include "itrace/emit.h"
#include "itrace/itrace_flow.h"
#include "itrace/itrace.h"
#include "itrace/itrace_kernel.h"

static bool served;
/* The addresses of our probes of these tracepoints. */
static unsigned long switch_probe, softirq_probe;

/* ---- this driver's own code ------------------------------------------------------------------ */

static bool on_own_stack(u64 sp)
{
	return sp - (unsigned long)task_stack_page(current) < THREAD_SIZE;
}

/* Has execution returned from the driver's code to its caller? */
static bool left_own(const struct it_kernel *k, struct pt_regs *regs)
{
	u64 sp = kernel_stack_pointer(regs);
	bool was = on_own_stack(k->own), is = on_own_stack(sp);

	if (k->back)
		return instruction_pointer(regs) == k->back && was == is && sp >= k->own;
	return was == is ? sp > k->own : is;
}

static bool is_own(u64 ip)
{
	return ip >= ARCH_MODULES && within_module_core(ip, THIS_MODULE);
}

/* Returns which kernel activity the driver's own code at `ip` handles. */
static u8 why_own(u64 ip)
{
	/* An indirect call may enter by a few bytes before the function. */
	if (switch_probe - ip < 64)
		return PITRACE_BREAK_SWITCH;
	if (softirq_probe - ip < 64)
		return PITRACE_BREAK_INTERRUPT;
	return PITRACE_BREAK_OWN;
}

/* Back from the driver's code: execution continues at `ip`. */
static void leave_own(struct it_thread *t, u64 ip)
{
	struct it_kernel *k = &t->kernel;

	k->own = 0;
	k->side.ip = ip;
	if (!k->fresh) {
		it_emit_break(t, false, k->why,
			      k->why == PITRACE_BREAK_INTERRUPT ? PITRACE_IRQ_SOFTIRQ : 0,
			      k->own_ip, ip);
		return;
	}
	/* The call's first traced instruction: the target of user code's last one. */
	k->fresh = false;
	t->in_call = false;
	it_emit_entry(t, ip);
}

/* ---- traps ----------------------------------------------------------------------------------- */

static void end_call(struct it_thread *t)
{
	t->kernel.on = false;
	/* The call's return remains to be recorded. */
	t->in_call = t->phase != IT_DONE;
}

static void step(struct it_thread *t, struct pt_regs *regs)
{
	struct it_kernel *k = &t->kernel;
	u64 ip = instruction_pointer(regs);
	struct arch_ran ran;
	bool more;

	arch_itrace_ran(k->side.ip, regs, &t->arch, &ran);
	if (unlikely(ran.kind == PITRACE_BRANCH_UNDEFINED)) {
		k->side.ip = ip;
		/* An exception's fixup, on another stack: its first instruction has run, but is
		 * unknown. */
		t->gap = true;
		it_emit_break(t, false, PITRACE_BREAK_EXCEPTION, 0, ran.from, ip);
		return;
	}
	t->gap |= ran.lost;
	if (ran.count > 1 && !it_advance(t, false, ran.count - 1, ran.from))
		return;
	k->side.ip = ip;
	if (!ran.count)
		return;
	more = it_count(t, &k->side, 1);
	if (ran.taken)
		it_emit_branch(t, false, ran.kind, ran.from, ip);
	else if (unlikely(t->session->itrace.flags & PITRACE_ITRACE_STEPS))
		it_emit_branch(t, false, PITRACE_BRANCH_OTHER | PITRACE_BRANCH_STEP, ran.from, ip);
	if (!more)
		it_stop(t, PITRACE_ITRACE_LIMIT, ip);
	else
		it_check_bounds(t, ip);
}

/* The thread is at `ip` after a straight line; or an instruction faulted, was not executed, and the
 * thread is at its fixup. */
static void advance_to(struct it_thread *t, u64 ip)
{
	struct it_kernel *k = &t->kernel;
	int n;

	if (likely(ip == k->side.ip))
		return;
	n = arch_itrace_between(k->side.ip, ip, false);
	if (n >= 0) {
		it_advance(t, false, n, ip);
		return;
	}
	it_emit_break(t, false, PITRACE_BREAK_EXCEPTION, 0, k->side.ip, ip);
	k->side.ip = ip;
}

/* The instructions before a branch have run. False: nothing more is recorded. */
static bool advance_before(struct it_thread *t, const struct arch_ran *ran)
{
	t->gap |= ran->lost;
	if (ran->count && !it_advance(t, false, ran->count, ran->from))
		return false;
	t->kernel.side.ip = ran->from;
	return true;
}

/* The rest of the call is not traced. */
static void abandon_call(struct it_thread *t, u64 ip)
{
	if (t->phase == IT_RUNNING)
		it_emit_mark(t, false, PITRACE_ITRACE_PROBE, t->kernel.side.run, ip);
	t->kernel.side.run = 0;
	end_call(t);
}

/* A probe in the kernel's code. False: the rest of the call is not stepped. */
static bool enter_probe(struct it_thread *t, struct pt_regs *regs, const struct arch_probe *probe)
{
	struct it_kernel *k = &t->kernel;

	if (!advance_before(t, &probe->ran))
		return false;
	if (!probe->driver_may || !hooks_own_kprobe(probe->ran.from)) {
		abandon_call(t, probe->ran.from);
		return false;
	}
	k->own = kernel_stack_pointer(regs);
	k->own_ip = probe->ran.from;
	k->back = probe->after;
	k->why = PITRACE_BREAK_OWN;
	arch_itrace_after(probe->after);
	return true;
}

/* The exit path, where nothing traps, is decoded and recorded here. */
static bool follow_way_out(struct it_thread *t, const struct pt_regs *regs)
{
	struct arch_path path[ARCH_WAY], *p = path;
	struct it_kernel *k = &t->kernel;
	int n = arch_itrace_way(regs, path);

	if (n < 0)
		return false;
	for (; n; n--, p++) {
		if (!advance_before(t, &p->ran))
			return true;
		if (p->ran.taken) {
			if (!it_count(t, &k->side, 1)) {
				it_stop(t, PITRACE_ITRACE_LIMIT, p->to);
				return true;
			}
			it_emit_branch(t, false, p->ran.kind, p->ran.from, p->to);
			k->side.ip = p->to;
		}
	}
	it_kernel_left(t, instruction_pointer(task_pt_regs(current)));
	return true;
}

bool itrace_kernel_trap(struct pt_regs *regs)
{
	struct it_thread *t = it_find(current);
	u64 ip = instruction_pointer(regs);
	struct arch_probe probe;
	struct it_kernel *k;
	bool probed;

	if (!served)
		return false;
	/* A kernel debugger attached later steps by the same flag: traps belong to it from then
	 * on. */
	if (unlikely(arch_itrace_kernel_debugged()) && !(t && t->kernel.on))
		return false;
	/* Nothing else steps the kernel by this flag, so a late trap is ours too: an interrupt
	 * preempted the thread, which continued only after the trace ended. */
	if (!t || !t->kernel.on || READ_ONCE(t->state) != IT_ARMED || t->phase == IT_DONE)
		goto stop;
	k = &t->kernel;
	k->fault = NULL;
	probed = arch_itrace_probe(k->side.ip, regs, &probe);
	if (k->own && !left_own(k, regs)) {
		if (likely(!probed))
			return true;
		abandon_call(t, probe.ran.from);
		goto stop;
	}
	if (!it_still_traced(t))
		goto stop;
	if (unlikely(arch_itrace_kernel_debugged())) {
		abandon_call(t, k->side.ip);
		goto stop;
	}
	if (k->own) {
		arch_itrace_after(0);
		leave_own(t, ip);
	} else if (unlikely(probed)) {
		if (!enter_probe(t, regs, &probe))
			goto stop;
	} else {
		advance_to(t, arch_itrace_returned(k->pushed, k->side.ip));
		step(t, regs);
		if (t->phase == IT_DONE)
			goto stop;
		if (unlikely(is_own(ip))) {
			k->own = kernel_stack_pointer(regs);
			k->own_ip = ip;
			k->back = arch_itrace_back(regs);
			k->why = why_own(ip);
		} else if (unlikely(follow_way_out(t, regs))) {
			goto stop;
		} else if (unlikely(++k->steps > PITRACE_KERNEL_STEPS)) {
			it_emit_mark(t, false, PITRACE_ITRACE_BUDGET, k->side.run, ip);
			k->side.run = 0;
			goto stop;
		}
	}
	k->pushed = arch_itrace_pushed(regs);
	/* The flags that code pushed lacked the trap flag, and popped ones may lack it. */
	arch_itrace_step_at(regs, true);
	return true;
stop:
	if (t) {
		t->kernel.fault = NULL;
		if (t->kernel.on)
			end_call(t);
	}
	arch_itrace_after(0);
	arch_itrace_step_at(regs, false);
	return true;
}

/* entry and exit */

/* At the end of the sys_enter probe: its stack, and its return address. */
void it_kernel_enter(struct it_thread *t, u64 sp, u64 back)
{
	if (unlikely(arch_itrace_kernel_debugged()))
		return;
	t->kernel = (struct it_kernel){ .on = true, .fresh = true, .own = sp, .back = back };
	arch_itrace_step();
}

/* The thread is in user code, at `ip`. Returns whether nothing has run there yet. */
bool it_kernel_left(struct it_thread *t, u64 ip)
{
	bool user = it_wants(t, true);
	struct it_kernel *k = &t->kernel;
	bool returns = arch_itrace_returns(k->side.ip);
	u32 why = t->exec ? PITRACE_BREAK_EXEC : t->diverted ? PITRACE_BREAK_SIGRETURN : 0;
	bool only = returns && !t->in_call;
	bool more = true;
	u64 at, to;

	k->on = false;
	if (t->in_call)
		return false;
	if (!only)
		ip = t->back;
	/* A signal handler, a new program, code that a handler had interrupted: recorded on user
	 * code's side, as without the kernel's. */
	at = t->signal_at ? t->signal_at : ip;
	to = user && why ? t->call_end : user ? at : ip;
	if (returns) {
		more = it_count(t, &k->side, 1);
		it_emit_branch(t, false, PITRACE_BRANCH_IRET | PITRACE_BRANCH_CROSS, k->side.ip,
			       to);
	} else {
		/* The trap flag was lost on the way (start of a virtual machine, suspend). */
		t->gap = true;
		it_emit_break(t, false, PITRACE_BREAK_EXCEPTION | PITRACE_BRANCH_CROSS, 0,
			      k->side.ip, to);
	}
	if (why)
		it_emit_break(t, true, why, t->exec ? 0 : t->number, t->call_end, at);
	if (t->signal_at)
		it_emit_break(t, true, PITRACE_BREAK_SIGNAL, t->signal, at, ip);
	t->exec = t->diverted = false;
	t->signal_at = 0;
	t->user.ip = ip;
	if (!more)
		it_stop(t, PITRACE_ITRACE_LIMIT, ip);
	else if (user)
		it_check_bounds(t, ip);
	return only;
}

/* ---- switches -------------------------------------------------------------------------------- */

/* In the scheduler, in the context of the thread that leaves: the flag would pass to the next one.
 * A page fault that it sleeps in returns through registers on its stack. */
void it_kernel_out(struct it_thread *t)
{
	struct it_kernel *k = &t->kernel;

	if (arch_itrace_unstep())
		k->out = true;
	if (k->fault)
		arch_itrace_step_at(k->fault, false);
}

/* Tracing ends or pauses. The thread is running, perhaps in a page fault, or about to run: from
 * here on its return from the fault is not traced. */
void it_kernel_quiet(struct it_thread *t)
{
	if (t->kernel.fault)
		arch_itrace_step_at(t->kernel.fault, false);
	t->kernel.fault = NULL;
}

static void resume(struct irq_work *work)
{
	struct it_thread *t = it_find(current);
	struct pt_regs *regs;
	struct it_kernel *k;

	if (!t || !t->kernel.on || !t->kernel.out || READ_ONCE(t->state) != IT_ARMED)
		return;
	k = &t->kernel;
	k->out = false;
	regs = arch_itrace_irq_regs();
	if (!regs) {
		abandon_call(t, 0);
		return;
	}
	if (k->why == PITRACE_BREAK_SWITCH && k->own && !k->fresh) {
		k->own = 0;
		k->side.ip = instruction_pointer(regs);
		k->pushed = NULL;
		it_emit_break(t, false, PITRACE_BREAK_SWITCH, 0, k->own_ip, k->side.ip);
	}
	arch_itrace_step_at(regs, true);
}

static DEFINE_PER_CPU(struct irq_work, resuming);

/* At the switch to the thread, still on the stack of the previous one. */
void it_kernel_in(struct it_thread *t, const struct task_struct *prev)
{
	if (t->kernel.fault)
		arch_itrace_step_at(t->kernel.fault, true);
	if (!t->kernel.out)
		return;
	if (!ARCH_STEPS_BURIALS && READ_ONCE(prev->__state) == TASK_DEAD)
		abandon_call(t, 0);
	else
		irq_work_queue(this_cpu_ptr(&resuming));
}

/* ---- interrupts and exceptions --------------------------------------------------------------- */

/* The thread itself was interrupted, not a softirq on top of it. */
void it_kernel_interrupt(struct it_thread *t, u32 source, struct pt_regs *regs)
{
	u64 ip = instruction_pointer(regs);

	if (t->kernel.on && !t->kernel.own && arch_itrace_steps(regs) && it_still_traced(t)) {
		advance_to(t, ip);
		it_emit_break(t, false, PITRACE_BREAK_INTERRUPT, source, ip, ip);
	}
}

void itrace_kernel_fault(u32 flags, struct pt_regs *regs)
{
	u64 ip = instruction_pointer(regs);
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (t && t->kernel.on && arch_itrace_steps(regs)) {
		if (!it_still_traced(t)) {
			/* The thread may sleep past the end of the trace. */
			arch_itrace_step_at(regs, false);
		} else {
			t->kernel.fault = regs;
			if (!t->kernel.own) {
				/* A fixup's first instruction may fault as well. */
				advance_to(t, ip);
				it_emit_break(t, false, PITRACE_BREAK_FAULT, flags, ip, ip);
			}
		}
	}
	preempt_enable_notrace();
}

void itrace_kernel_fixed(u64 ip, struct pt_regs *regs)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (t && t->kernel.on && !t->kernel.own && arch_itrace_steps(regs) && it_still_traced(t)) {
		advance_to(t, ip);
		it_emit_break(t, false, PITRACE_BREAK_EXCEPTION, 0, ip, instruction_pointer(regs));
		t->kernel.side.ip = instruction_pointer(regs);
	}
	preempt_enable_notrace();
}

/* Softirqs do not nest; those at an interrupt's end find the flag off. */
void itrace_softirq(bool begins)
{
	struct it_thread *t;

	preempt_disable_notrace();
	t = it_find(current);
	if (t && t->kernel.on) {
		if (begins) {
			t->kernel.softirq = arch_itrace_unstep();
		} else if (t->kernel.softirq) {
			t->kernel.softirq = false;
			arch_itrace_step();
		}
	}
	preempt_enable_notrace();
}

/* ---- at load --------------------------------------------------------------------------------- */

void it_kernel_init(bool serve)
{
	int cpu;

	/* Static initializers cannot hold per-CPU addresses in a module. */
	for_each_possible_cpu(cpu)
		init_irq_work(&per_cpu(resuming, cpu), resume);
	switch_probe = (unsigned long)hooks_probe("sched_switch");
	softirq_probe = (unsigned long)hooks_probe("softirq_entry");
	served = serve;
}

void it_kernel_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irq_work_sync(&per_cpu(resuming, cpu));
}
