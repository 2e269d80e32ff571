/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Converts steps to records. */
#include <asm/unistd.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include "collect/ptrace/ptrace_session.h"

#define LONGEST 15 /* maximum bytes of an instruction of unknown length */

static const struct tracer_itrace *request(const struct ptrace_session *s)
{
	return &s->config.itrace;
}

/* ---- begin and end --------------------------------------------------------------------------- */

void ptrace_begin(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_itrace_why why)
{
	if (t->mode != PTRACE_STEP)
		ptrace_steps(t->tid, true);
	t->mode = PTRACE_STEP;
	if (t->begun || t->skipped < request(s)->skip)
		return;
	t->begun = true;
	ptrace_out_mark(s, t, true, why);
}

/* Ends an interrupted system call: it was completed, or it will be restarted. */
static void write_interrupted(struct ptrace_session *s, struct ptrace_thread *t, bool again)
{
	if (!t->restarts)
		return;
	t->restarts = false;
	t->pc = again ? t->return_pc - t->flow.length : t->return_pc;
	ptrace_out_break(s, t, PITRACE_BREAK_SYSCALL, (uint32_t)t->before.number, t->return_pc,
			 t->pc);
}

void ptrace_end(struct ptrace_session *s, struct ptrace_thread *t, enum pitrace_itrace_why why)
{
	write_interrupted(s, t, true);
	if (t->begun)
		ptrace_out_mark(s, t, false, why);
	t->begun = false;
	if (t->mode == PTRACE_STEP)
		ptrace_steps(t->tid, false);
	t->mode = PTRACE_RUN;
}

/* One more instruction was executed. */
static void count(struct ptrace_session *s, struct ptrace_thread *t)
{
	t->count++;
	if (t->begun) {
		t->instructions++;
		s->instructions++;
	} else {
		t->skipped++;
	}
}

/* Checks whether the trace of the thread begins or ends here. */
static void check_trigger(struct ptrace_session *s, struct ptrace_thread *t)
{
	if (!t->begun && t->mode == PTRACE_STEP && t->skipped >= request(s)->skip) {
		t->count = 0;
		ptrace_begin(s, t, PITRACE_ITRACE_SKIPPED);
	}
	if (!t->begun)
		return;
	if (request(s)->limit && t->instructions >= request(s)->limit) {
		ptrace_end(s, t, PITRACE_ITRACE_LIMIT);
		t->done = true;
	} else if (t->p->stop && t->pc == t->p->stop) {
		ptrace_end(s, t, PITRACE_ITRACE_ADDRESS);
		t->done = t->excluded = !(request(s)->flags & PITRACE_ITRACE_FROM);
	}
}

/* ---- system calls ---------------------------------------------------------------------------- */

static uint32_t number_of(const struct ptrace_thread *t)
{
	return t->flow.number ? t->flow.number : (uint32_t)t->before.number;
}

/* Checks whether the system call can have changed mappings of code. 32-bit code has other call
 * numbers: always true there. */
static bool maps(const struct ptrace_thread *t, const struct ptrace_regs *r)
{
	switch (number_of(t)) {
#if !defined(__s390x__) /* arguments are in memory */
	case __NR_mmap:
		/* A mapping that replaces another one has an address. */
		return !r->wide || t->before.argument[2] & PROT_EXEC || t->before.argument[0];
#else
	case __NR_mmap:
#endif
	case __NR_munmap:
	case __NR_mprotect:
	case __NR_pkey_mprotect:
	case __NR_mremap:
	case __NR_shmat:
	case __NR_shmdt:
		return true;
	}
	return !r->wide;
}

static void effects(struct ptrace_session *s, struct ptrace_thread *t, const struct ptrace_regs *r)
{
	if (r->failed)
		return;
	if (maps(t, r)) {
		ptrace_code_maps(s, t->p);
		ptrace_break_find(s, t);
	} else if (number_of(t) == __NR_prctl && t->before.argument[0] == PR_SET_NAME) {
		timer_process_names(t->p->image, &s->out, ptrace_stamp(s));
	}
}

static bool returns_from_handler(const struct ptrace_thread *t)
{
#ifdef __NR_sigreturn
	/* The return from a handler without SA_SIGINFO. */
	if (number_of(t) == __NR_sigreturn)
		return true;
#endif
	return number_of(t) == __NR_rt_sigreturn;
}

static void called(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc)
{
	uint64_t return_pc = t->pc + t->flow.length;
	struct ptrace_regs r;

	if (ptrace_regs_get(t->tid, &r))
		return;
	count(s, t);
	if (pc == return_pc && ptrace_restarts(&r)) {
		t->restarts = true;
		t->return_pc = return_pc;
		return;
	}
	if (returns_from_handler(t) && r.wide)
		ptrace_out_break(s, t, PITRACE_BREAK_SIGRETURN, number_of(t), return_pc, pc);
	else
		ptrace_out_break(s, t, PITRACE_BREAK_SYSCALL, number_of(t), return_pc, pc);
	effects(s, t, &r);
}

void ptrace_interrupted(struct ptrace_thread *t, const struct ptrace_regs *r)
{
	t->restarts = true;
	t->return_pc = r->pc;
	t->before = *r;
	t->before.number = r->called;
#if defined(__powerpc64__)
	t->flow = (struct flow){ .what = FLOW_SYSCALL, .length = 4 };
#else
	/* x86, where all system call instructions have two bytes. */
	t->flow = (struct flow){ .what = FLOW_SYSCALL, .length = 2 };
#endif
}

/* ---- steps ----------------------------------------------------------------------------------- */

void ptrace_prepare(struct ptrace_session *s, struct ptrace_thread *t)
{
	uint8_t code[FLOW_BYTES];
	size_t n;

	/* The system call will be restarted. */
	if (t->restarts)
		return;
	n = ptrace_code_at(s, t, t->pc, code);
	t->flow = flow_here(code, n, !t->p->narrow);
	ptrace_flags_before(t, code, n);
	if (t->flow.what == FLOW_SYSCALL)
		ptrace_regs_get(t->tid, &t->before);
}

/* Not a branch: the thread is at the next instruction, unless the kernel moved it. */
static void advance(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc)
{
	uint64_t moved = pc - t->pc;

	if (t->flow.length ? moved == t->flow.length : moved - 1 < LONGEST) {
		if (request(s)->flags & PITRACE_ITRACE_STEPS)
			ptrace_out_branch(s, t, PITRACE_BRANCH_OTHER | PITRACE_BRANCH_STEP, t->pc,
					  pc);
		return;
	}
	ptrace_out_branch(s, t,
			  t->flow.what == FLOW_UNKNOWN ? PITRACE_BRANCH_UNDEFINED :
							 PITRACE_BRANCH_OTHER,
			  t->pc, pc);
}

/* An instruction that is not a branch and whose stop was lost. */
static void put_back_one(struct ptrace_session *s, struct ptrace_thread *t)
{
	count(s, t);
	advance(s, t, t->pc + t->flow.length);
	t->pc += t->flow.length;
	check_trigger(s, t);
	ptrace_prepare(s, t);
}

/* Reconstructs lost stops: on s390x after a system call or a branch not taken; on x86 after cpuid,
 * which some hypervisors execute without the trap. */
static void put_back(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc)
{
#if defined(__s390x__)
	bool call = t->flow.what == FLOW_SYSCALL && pc != t->pc + t->flow.length;
	uint64_t last = call || t->flow.what == FLOW_MAYBE ? ptrace_executed(t->tid) : 0;

	if (call && last == t->pc + t->flow.length) {
		called(s, t, last);
		t->pc = last;
		check_trigger(s, t);
		ptrace_prepare(s, t);
	}
	while (t->flow.what == FLOW_MAYBE && last != t->pc && t->mode == PTRACE_STEP)
		put_back_one(s, t);
#elif defined(__x86_64__)
	if (t->flow.what == FLOW_NEXT && t->flow.length && pc != t->pc + t->flow.length)
		put_back_one(s, t);
#else
	(void)put_back_one;
	(void)s;
	(void)t;
	(void)pc;
#endif
}

/* s390x reports a stop twice if the kernel moved the thread; arm64 repeats the stop after a system
 * call. */
static bool nothing_ran(struct ptrace_thread *t, uint64_t pc)
{
	bool called = t->called;

	t->called = false;
	if (pc != t->pc)
		return false;
	if (t->flow.what == FLOW_NEXT)
		return t->flow.length;
#if defined(__aarch64__)
	return called;
#elif defined(__s390x__)
	(void)called;
	return ptrace_executed(t->tid) != t->pc;
#else
	(void)called;
	return false;
#endif
}

void ptrace_stepped(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc)
{
	if (nothing_ran(t, pc))
		return;
	put_back(s, t, pc);
	ptrace_flags_after(t);
	if (t->mode != PTRACE_STEP)
		return;
	write_interrupted(s, t, true);
	switch (t->flow.what) {
	case FLOW_REPEAT:
		if (pc == t->pc)
			return;
		count(s, t);
		advance(s, t, pc);
		break;
	case FLOW_SYSCALL:
		called(s, t, pc);
		t->called = true;
		break;
	case FLOW_BRANCH:
		count(s, t);
		ptrace_out_branch(s, t, t->flow.kind, t->pc, pc);
		break;
	case FLOW_MAYBE:
		count(s, t);
		if (pc != t->pc + t->flow.length)
			ptrace_out_branch(s, t, t->flow.kind, t->pc, pc);
		else
			advance(s, t, pc);
		break;
	default:
		count(s, t);
		advance(s, t, pc);
		break;
	}
	t->pc = pc;
	check_trigger(s, t);
}

void ptrace_handler(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc, int signal)
{
	ptrace_flags_handler(t);
	write_interrupted(s, t, false);
	ptrace_out_break(s, t, PITRACE_BREAK_SIGNAL, (uint32_t)signal, t->pc, pc);
	t->pc = pc;
	check_trigger(s, t);
}

void ptrace_execed(struct ptrace_session *s, struct ptrace_thread *t, uint64_t pc)
{
	/* The system call whose end was never seen. */
	if (t->stepping && t->flow.what == FLOW_SYSCALL)
		count(s, t);
	ptrace_out_break(s, t, PITRACE_BREAK_EXEC, 0, t->pc + t->flow.length, pc);
	t->called = true;
	t->pc = pc;
	check_trigger(s, t);
}

void ptrace_hides(struct ptrace_session *s, struct ptrace_thread *t)
{
	if (t->stepping && t->flow.what == FLOW_SYSCALL)
		count(s, t);
	t->pc = 0;
	ptrace_end(s, t, PITRACE_ITRACE_EXEC);
}

void ptrace_exits(struct ptrace_session *s, struct ptrace_thread *t)
{
	uint64_t pc;

	if (!t->begun)
		return;
	write_interrupted(s, t, false);
	/* The thread ended in the system call whose start was seen. */
	if (t->stepping && t->flow.what == FLOW_SYSCALL && !ptrace_pc_get(t->tid, &pc) &&
	    pc == t->pc + t->flow.length) {
		count(s, t);
		t->pc = 0;
	}
	ptrace_end(s, t, PITRACE_ITRACE_EXIT);
}
