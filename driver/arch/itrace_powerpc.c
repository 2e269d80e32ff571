// SPDX-License-Identifier: GPL-2.0
/*
 * ITrace on ppc64le: MSR[BE] stops a thread after each branch, taken or not. That branch is known
 * beforehand: the first one in the straight line from where the thread continues. Where it is
 * unknown (the code cannot be read, or is not this process's yet), and where a record for each
 * instruction is requested, MSR[SE] stops the thread after one instruction.
 *
 * A trap clears the reservation: with a branch between a load with reservation (larx) and its
 * conditional store (stcx), the store would fail forever. This file executes these sequences
 * itself, with the kernel's instruction emulation, between its own larx and stcx.
 */
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/hw_irq.h>
#include <asm/inst.h>
#include <asm/sstep.h>
#include <asm/ucontext.h>
#include "arch/arch.h"

#define BE_BIT      9
#define SE_BIT      10
#define CHUNK       64    /* instruction words read at a time */
#define FARTHEST    16384 /* bytes of a straight line that was executed */
#define AHEAD       4096  /* … that will be executed */
#define LONGEST     64    /* instructions of an LL/SC sequence */
#define FIRST_SAVED 14    /* first general register that calls preserve */

bool arch_itrace_branches_trap;

/* ---- code ------------------------------------------------------------------------------------ */

static bool fetch(void *code, u64 at, size_t n)
{
	return !copy_from_user_nofault(code, (const void __user *)at, n);
}

enum what { IS_PLAIN, IS_BRANCH, IS_MAYBE, IS_CALL, IS_LARX, IS_STCX };

static enum what branch_by(u32 w)
{
	/* BO 1z1zz: always */
	return (w >> 21 & 0x14) == 0x14 ? IS_BRANCH : IS_MAYBE;
}

static enum what what_is(u32 w)
{
	switch (w >> 26) {
	case 16: /* bc */
		return branch_by(w);
	case 17: /* sc, scv */
		return IS_CALL;
	case 18:
		return IS_BRANCH;
	case 19:
		switch (w >> 1 & 0x3ff) {
		case 16:
		case 528:
		case 560: /* bclr, bcctr, bctar */
			return branch_by(w);
		}
		return IS_PLAIN;
	case 31:
		switch (w >> 1 & 0x3ff) {
		case 20:
		case 52:
		case 84:
		case 116:
		case 276:
			return IS_LARX;
		case 150:
		case 182:
		case 214:
		case 694:
		case 726:
			return IS_STCX;
		}
		return IS_PLAIN;
	}
	return IS_PLAIN;
}

static u8 kind_of(u32 w)
{
	if (w & 1)
		return PITRACE_BRANCH_CALL;
	return w >> 26 == 19 && (w >> 1 & 0x3ff) == 16 ? PITRACE_BRANCH_RETURN :
							 PITRACE_BRANCH_JUMP;
}

static unsigned int length_of(u32 w)
{
	return w >> 26 == 1 ? 8 : 4;
}

u64 arch_itrace_next(u64 ip, bool user)
{
	u32 w;

	return fetch(&w, ip, sizeof(w)) ? ip + length_of(w) : 0;
}

/* A scan along a straight line of code. */
struct line {
	u64 at;
	u64 have, first; /* the words that were read */
	u32 words[CHUNK];
};

/* Reads the word at l->at. */
static bool word(struct line *l, u64 end, u32 *w)
{
	u64 n;

	if (l->at - l->first >= l->have - l->first) {
		/* Not beyond its page, which is present if any byte of it is. */
		n = min_t(u64, sizeof(l->words), PAGE_SIZE - (l->at & (PAGE_SIZE - 1)));
		n = min(n, end - l->at);
		if (n < sizeof(*w) || !fetch(l->words, l->at, n))
			return false;
		l->first = l->at;
		l->have = l->at + n;
	}
	*w = l->words[(l->at - l->first) / sizeof(*w)];
	return true;
}

int arch_itrace_between(u64 since, u64 ip, bool user)
{
	struct line l = { .at = since };
	int n = 0;
	u32 w;

	if (ip - since > FARTHEST)
		return -1;
	for (; l.at < ip; l.at += length_of(w), n++) {
		if (!word(&l, ip, &w) || what_is(w) == IS_BRANCH)
			return -1;
	}
	return l.at == ip ? n : -1;
}

/* Finds what will trap first when the thread continues at `ip`. False: it must be stepped. */
static bool ahead(struct arch_itrace *a, u64 ip)
{
	struct line l = { .at = ip };
	bool reserved = false;
	u32 n = 0, w;

	a->llsc = false;
	for (; l.at - ip < AHEAD; l.at += length_of(w)) {
		if (!word(&l, ip + AHEAD, &w))
			return false;
		n++;
		switch (what_is(w)) {
		case IS_LARX:
			a->llsc |= n == 1;
			reserved = true;
			break;
		case IS_STCX:
			reserved = false;
			break;
		case IS_BRANCH:
		case IS_MAYBE:
			a->branch = l.at;
			a->count = n;
			a->word = w;
			return !reserved;
		case IS_CALL:
			a->branch = 0;
			return !reserved;
		case IS_PLAIN:
			break;
		}
	}
	return false;
}

/* ---- armed or not ---------------------------------------------------------------------------- */

/* A debugger steps it, or a uprobe steps over the instruction that it replaced. */
bool arch_itrace_debugged(struct task_struct *task)
{
	if (test_tsk_thread_flag(task, TIF_SINGLESTEP))
		return true;
#ifdef CONFIG_UPROBES
	if (task->utask && task->utask->active_uprobe)
		return true;
#endif
	return false;
}

static void trap_by(struct pt_regs *regs, bool step)
{
	/* The kernel returns by the values in the processor unless it is notified that they
	 * changed. */
	if (step)
		regs->msr = (regs->msr & ~MSR_BE) | MSR_SE;
	else
		regs->msr = (regs->msr & ~MSR_SE) | MSR_BE;
	set_return_regs_changed();
}

/* Adds the memory access that an instruction would make with these registers. */
static void add_access(struct arch_itrace *a, u64 at, const struct instruction_op *op)
{
	struct arch_access *to = &a->access[a->accesses];
	bool zero = GETTYPE(op->type) == CACHEOP && (op->type & CACHEOP_MASK) == DCBZ;

	if (a->accesses == ARCH_ACCESSES || !(zero || OP_IS_LOAD_STORE(GETTYPE(op->type))))
		return;
	to->at = at;
	to->bytes = zero ? L1_CACHE_BYTES : GETSIZE(op->type);
	to->address = op->ea;
	/* These instructions ignore the lowest bits of the address. */
	if (zero || GETTYPE(op->type) == LOAD_VMX || GETTYPE(op->type) == STORE_VMX)
		to->address &= ~(u64)(to->bytes - 1);
	to->way = zero || OP_IS_STORE(GETTYPE(op->type)) ? PITRACE_ACCESS_STORE :
							   PITRACE_ACCESS_LOAD;
	/* A string instruction may move no bytes. */
	a->accesses += to->bytes != 0;
}

static void accesses_of(struct arch_itrace *a, const struct pt_regs *regs)
{
	struct instruction_op op;
	u32 code[2] = {};

	if (!fetch(code, regs->nip, 4) || (length_of(code[0]) == 8 && !fetch(code, regs->nip, 8))) {
		a->fault = regs->nip;
		a->writes = false;
		return;
	}
	analyse_instr(&op, regs,
		      length_of(code[0]) == 8 ? ppc_inst_prefix(code[0], code[1]) :
						ppc_inst(code[0]));
	add_access(a, regs->nip, &op);
}

void arch_itrace_arm(struct task_struct *task, struct pt_regs *regs, struct arch_itrace *a)
{
	a->accesses = 0;
	a->fault = 0;
	/* Another task's memory cannot be read now: it scans the code after its first step. */
	a->ip = regs->nip;
	a->llsc = a->llsc_untraced = false;
	a->step = task != current || !ahead(a, regs->nip) || !arch_itrace_branches_trap;
	if (unlikely(a->watch)) {
		a->step = true;
		if (task == current)
			accesses_of(a, regs);
	}
	/* With branch traps it traps after the store, if there is no branch before. */
	a->llsc &= a->step;
	trap_by(regs, a->step);
}

void arch_itrace_disarm(struct task_struct *task, struct pt_regs *regs)
{
	if (!(regs->msr & (MSR_SE | MSR_BE)) || arch_itrace_debugged(task))
		return;
	/* The thread may run elsewhere, and its kernel entry may be writing this word. */
	clear_bit(SE_BIT, &regs->msr);
	clear_bit(BE_BIT, &regs->msr);
	if (task == current)
		set_return_regs_changed();
}

/* executed code */

/* The target of the branch at `from` if taken, by the registers after it; 0: unknown. */
static u64 target(u64 from, u32 w, const struct pt_regs *regs)
{
	u64 base = w & 2 ? 0 : from;

	switch (w >> 26) {
	case 16:
		return base + sign_extend64(w & 0xfffc, 15);
	case 18:
		return base + sign_extend64(w & 0x3fffffc, 25);
	}
	switch (w >> 1 & 0x3ff) {
	case 16:
		return w & 1 ? 0 : regs->link & ~3ul;
	case 528:
		return regs->ctr & ~3ul;
	}
	return 0;
}

static void branched(struct arch_ran *ran, u32 w, u64 to)
{
	enum what what = what_is(w);

	ran->kind = kind_of(w);
	/* A taken conditional branch to the next instruction looks like one not taken. */
	ran->taken = what == IS_BRANCH || (what == IS_MAYBE && to != ran->from + 4);
}

/*
 * A trap may be missing: QEMU's POWER10 reads the next instruction when it delivers one, and if
 * that is not in memory, a page fault comes instead. Then the thread has continued untraced.
 */
static void branched_checked(struct arch_ran *ran, u32 w, const struct pt_regs *regs)
{
	u64 to = target(ran->from, w, regs);

	branched(ran, w, regs->nip);
	if (ran->taken && to && to != regs->nip) {
		ran->taken = false;
		ran->lost = true;
	}
}

static void stepped(u64 since, const struct pt_regs *regs, struct arch_ran *ran)
{
	u64 to = regs->nip;
	u32 w;

	ran->from = since;
	ran->count = 1;
	ran->kind = PITRACE_BRANCH_UNDEFINED;
	ran->taken = to - since > 8 || to == since;
	if (!fetch(&w, since, sizeof(w)))
		return;
	if (what_is(w) == IS_BRANCH || what_is(w) == IS_MAYBE)
		branched_checked(ran, w, regs);
	else
		ran->lost = ran->taken = to != since + length_of(w);
}

void arch_itrace_ran(u64 since, struct pt_regs *regs, const struct arch_itrace *a,
		     struct arch_ran *ran)
{
	int n;

	memset(ran, 0, sizeof(*ran));
	if (a->step || !a->branch) {
		stepped(since, regs, ran);
		ran->lost |= !a->step;
		return;
	}
	n = a->ip == since ? a->count - 1 : arch_itrace_between(since, a->branch, true);
	ran->lost = n < 0;
	ran->count = max(n, 0) + 1;
	ran->from = a->branch;
	branched_checked(ran, a->word, regs);
}

/* ---- loads with reservation and their stores ------------------------------------------------- */

#define LARX_OF(larx)                                 \
	asm volatile("1:	" larx " %0,0,%2\n"   \
		     "2:\n"                           \
		     "	.section .fixup,\"ax\"\n"      \
		     "3:	li %1,1\n"                   \
		     "	b 2b\n"                        \
		     "	.previous\n" EX_TABLE(1b, 3b) \
		     : "=&r"(*value), "+r"(failed)    \
		     : "b"(at)                        \
		     : "memory")

static bool user_larx(unsigned long at, unsigned int size, unsigned long *value)
{
	unsigned int failed = 0;

	if (!user_access_begin((void __user *)at, size))
		return false;
	switch (size) {
	case 1:
		LARX_OF("lbarx");
		break;
	case 2:
		LARX_OF("lharx");
		break;
	case 4:
		LARX_OF("lwarx");
		break;
	case 8:
		LARX_OF("ldarx");
		break;
	default:
		failed = 1;
	}
	user_access_end();
	return !failed;
}

/* The first field of the condition register, or 1 if the access failed. */
#define STCX_OF(stcx)                                 \
	asm volatile("1:	" stcx " %1,0,%2\n"   \
		     "	mfcr %0\n"                     \
		     "2:\n"                           \
		     "	.section .fixup,\"ax\"\n"      \
		     "3:	li %0,1\n"                   \
		     "	b 2b\n"                        \
		     "	.previous\n" EX_TABLE(1b, 3b) \
		     : "=&r"(cr)                      \
		     : "r"(value), "b"(at)            \
		     : "cr0", "memory")

static bool user_stcx(unsigned long at, unsigned int size, unsigned long value, u32 *field)
{
	u32 cr = 1;

	if (!user_access_begin((void __user *)at, size))
		return false;
	switch (size) {
	case 1:
		STCX_OF("stbcx.");
		break;
	case 2:
		STCX_OF("sthcx.");
		break;
	case 4:
		STCX_OF("stwcx.");
		break;
	case 8:
		STCX_OF("stdcx.");
		break;
	}
	user_access_end();
	*field = cr & 0xe0000000;
	return cr != 1;
}

/* An instruction of the sequence, on a copy of the thread's registers. */
struct sequence {
	struct pt_regs regs;
	bool reserved, stored, over, fails;
	unsigned long fault; /* an address that could not be reached */
	bool writes;         /* … for writing */
	struct arch_path *path;
	u32 taken, run;
	struct arch_itrace *a;
	bool accesses;
};

static bool compute(struct pt_regs *regs, const struct instruction_op *op)
{
	switch (GETTYPE(op->type)) {
	case COMPUTE:
		if (op->type & SETREG)
			regs->gpr[op->reg] = op->val;
		if (op->type & SETCC)
			regs->ccr = op->ccval;
		if (op->type & SETXER)
			regs->xer = op->xerval;
		return true;
	case BARRIER:
		/* This barrier is at least as strong as the thread's own. */
		mb();
		isync();
		return true;
	}
	return false;
}

/* Does execution from here reach the sequence's store, as far as can be seen? */
static bool leads_to_store(u64 ip)
{
	struct line l = { .at = ip };
	u32 w;

	for (; l.at - ip < LONGEST * 4; l.at += length_of(w)) {
		if (!word(&l, ip + LONGEST * 4, &w))
			return false;
		switch (what_is(w)) {
		case IS_STCX:
			return true;
		case IS_BRANCH:
		case IS_CALL:
		case IS_LARX:
			return false;
		default:
			break;
		}
	}
	return false;
}

/* A branch out of the sequence ends it. */
static bool branch_of(struct sequence *q, const struct instruction_op *op, u32 w)
{
	struct arch_ran *ran = &q->path[q->taken].ran;
	u64 from = q->regs.nip, to = op->type & BRTAKEN ? op->val : from + 4;

	if (q->taken == ARCH_LLSC_BRANCHES)
		return false;
	if (op->type & DECCTR)
		q->regs.ctr--;
	if (op->type & SETLK)
		q->regs.link = from + 4;
	q->regs.nip = to;
	memset(ran, 0, sizeof(*ran));
	ran->from = from;
	ran->count = q->run;
	branched(ran, w, to);
	if (ran->taken) {
		q->path[q->taken++].to = to;
		q->run = 0;
		q->over = !leads_to_store(to);
	}
	return true;
}

static bool reach(struct sequence *q, const struct instruction_op *op, bool reached)
{
	if (!reached) {
		q->fault = op->ea;
		q->writes = GETTYPE(op->type) == STCX;
	}
	return reached;
}

/* A page fault would have cleared the reservation: then the store fails once. */
static bool store(struct sequence *q, const struct instruction_op *op, u32 *field)
{
	*field = 0;
	return q->fails || reach(q, op, user_stcx(op->ea, GETSIZE(op->type), op->val, field));
}

static bool execute(struct sequence *q)
{
	struct pt_regs *regs = &q->regs;
	struct instruction_op op;
	int simple;
	u32 w, field;

	if (!fetch(&w, regs->nip, sizeof(w)) || w >> 26 == 1)
		return false;
	simple = analyse_instr(&op, regs, ppc_inst(w));
	q->run++;
	if (q->accesses)
		add_access(q->a, regs->nip, &op);
	switch (GETTYPE(op.type)) {
	case BRANCH:
		return branch_of(q, &op, w);
	case LARX:
		if (op.ea & (GETSIZE(op.type) - 1) ||
		    !reach(q, &op, user_larx(op.ea, GETSIZE(op.type), &regs->gpr[op.reg])))
			return false;
		q->reserved = true;
		break;
	case STCX:
		if (!q->reserved || op.ea & (GETSIZE(op.type) - 1) || !store(q, &op, &field))
			return false;
		regs->ccr = (regs->ccr & 0x0fffffff) | field | (regs->xer >> 3 & 0x10000000);
		q->stored = true;
		break;
	default:
		if (simple != 1 || !compute(regs, &op))
			return false;
		break;
	}
	regs->nip += 4;
	return true;
}

int arch_itrace_llsc(struct pt_regs *regs, struct arch_itrace *a, struct arch_path *path)
{
	struct sequence q = { .regs = *regs, .path = path, .a = a };
	unsigned long flags;
	bool good = true;
	int i;

	q.accesses = a->watch;
	q.fails = a->fails == regs->nip;
	a->fails = 0;
	a->accesses = 0;
	/* An interrupt clears the reservation too, but then the store fails only once. */
	local_irq_save(flags);
	pagefault_disable();
	for (i = 0; good && !q.stored && !q.over && i < LONGEST; i++)
		good = execute(&q);
	pagefault_enable();
	local_irq_restore(flags);
	a->fault = q.fault;
	a->writes = q.writes;
	if (!good || !(q.stored || q.over)) {
		a->accesses = 0;
		if (q.accesses)
			accesses_of(a, regs);
		return -1;
	}
	a->asked = 0;
	regs->ctr = q.regs.ctr;
	regs->link = q.regs.link;
	regs->xer = q.regs.xer;
	regs->ccr = q.regs.ccr;
	/*
	 * The return path restores the registers that calls preserve (after a system call: all)
	 * only if it has signals to check. TIF_RESTOREALL is not used: it is meant for system
	 * calls, and a leftover flag would suppress the result of a later one.
	 */
	if (trap_is_syscall(regs) || memcmp(regs->gpr + FIRST_SAVED, q.regs.gpr + FIRST_SAVED,
					    sizeof(regs->gpr) - FIRST_SAVED * sizeof(*regs->gpr)))
		set_thread_flag(TIF_SIGPENDING);
	memcpy(regs->gpr, q.regs.gpr, sizeof(regs->gpr));
	regs_set_return_ip(regs, q.regs.nip);
	return q.taken;
}

void arch_itrace_reach(struct arch_itrace *a)
{
	unsigned long at = xchg(&a->fault, 0);
	bool writes = a->writes;

	if (!at || !current->mm || mmap_read_lock_killable(current->mm))
		return;
	if (!fixup_user_fault(current->mm, at, writes ? FAULT_FLAG_WRITE : 0, NULL) && writes)
		a->fails = task_pt_regs(current)->nip;
	mmap_read_unlock(current->mm);
}

/* ---- system calls, signals ------------------------------------------------------------------- */

u64 arch_itrace_call(struct pt_regs *regs, u64 *behind)
{
	*behind = regs->nip;
	return regs->nip - 4;
}

bool arch_itrace_interrupted(struct pt_regs *regs, u64 *ip)
{
	/* The kernel's frame begins with this, above the frame of the handler's caller. */
	const struct ucontext __user *uc = (void __user *)regs->gpr[1] + __SIGNAL_FRAMESIZE;
	unsigned long at;

	if (is_32bit_task() ||
	    !fetch(&at, (unsigned long)&uc->uc_mcontext.gp_regs[PT_NIP], sizeof(at)))
		return false;
	*ip = at;
	return true;
}
