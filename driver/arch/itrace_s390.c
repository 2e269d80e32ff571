// SPDX-License-Identifier: GPL-2.0
/*
 * ITrace on s390x: program event recording (PER) stops a thread after each taken branch, and
 * reports the branch's address. Up to that branch the thread ran a straight line of instructions,
 * whose first two bits give their lengths.
 *
 * The kernel keeps a thread's PER control registers (thread.per_user, for debuggers) and loads them
 * when it switches to the thread. It reports a trap in user code on the return to user code, after
 * the signals that came meanwhile, so signal delivery must check for it (arch_itrace_pending).
 *
 * Kernel code traps while PER is on in the running PSW; interrupts and exceptions do not inherit
 * it. The kernel handles such a trap first, and takes it for the end of a kprobe's single step
 * where a kprobe handler may be running: so no trap may come from there (arch_itrace_probe;
 * ARCH_STEPS_BURIALS: a thread that releases a dead one is in this state for a while). Each trap
 * also overwrites the memory from which the kernel returns to user code, so the last instructions
 * are not stepped either, but decoded here (arch_itrace_way).
 */
#include <linux/kprobes.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/stacktrace.h>
#include <asm/lowcore.h>
#include <asm/sigcontext.h>
#include <asm/ucontext.h>
#include "arch/arch.h"
#include "arch/s390_per.h"

#define PER_BIT  62    /* of the PSW's mask */
#define CHUNK    256   /* bytes of code read at a time */
#define FARTHEST 65536 /* … of a straight line */

/* ---- armed or not ---------------------------------------------------------------------------- */

/* A debugger steps it or has set PER's registers, or a uprobe steps over the instruction that it
 * replaced. */
bool arch_itrace_debugged(struct task_struct *task)
{
	const struct per_regs *per = &task->thread.per_user;

	return test_tsk_thread_flag(task, TIF_SINGLE_STEP) ||
	       test_tsk_thread_flag(task, TIF_UPROBE_SINGLESTEP) ||
	       (READ_ONCE(per->control) & PER_EVENT_MASK && !per_is_ours(per));
}

void arch_itrace_arm(struct task_struct *task, struct pt_regs *regs, struct arch_itrace *a)
{
	struct per_regs now;

	if (arch_itrace_debugged(task))
		return;
	task->thread.per_user = per_branches;
	if (task == current) {
		per_store(&now);
		if (!per_is_ours(&now))
			per_load(&per_branches);
	}
	set_bit(PER_BIT, &regs->psw.mask);
}

void arch_itrace_disarm(struct task_struct *task, struct pt_regs *regs)
{
	if (arch_itrace_debugged(task))
		return;
	/* May need repeating: if the thread ran elsewhere, an interrupt overwrites the bit. */
	WRITE_ONCE(task->thread.per_user.control, 0);
	/* The thread may run elsewhere, and its kernel entry may be writing this word. */
	if (regs->psw.mask & PSW_MASK_PER)
		clear_bit(PER_BIT, &regs->psw.mask);
}

/* executed code */

/* Reads code of either side: the address does not show which side it belongs to. */
static bool fetch(void *code, u64 at, size_t n, bool user)
{
	if (user)
		return !copy_from_user_nofault(code, (const void __user *)at, n);
	return !copy_from_kernel_nofault(code, (const void *)at, n);
}

static unsigned int length_of(u8 first)
{
	return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

u64 arch_itrace_next(u64 ip, bool user)
{
	u8 first;

	return fetch(&first, ip, 1, user) ? ip + length_of(first) : 0;
}

int arch_itrace_between(u64 since, u64 ip, bool user)
{
	u8 code[CHUNK];
	u64 at = since, have = since, left;
	int n = 0;

	if (ip - since > FARTHEST)
		return -1;
	while (at < ip) {
		if (at >= have) {
			left = min_t(u64, CHUNK, ip - at);
			if (!fetch(code, at, left, user))
				return -1;
			since = at;
			have = at + left;
		}
		/* A breakpoint of the kernel: the original instruction is unknown. */
		if (!user && !code[at - since])
			return -1;
		at += length_of(code[at - since]);
		n++;
	}
	return at == ip ? n : -1;
}

struct s390_decoded {
	u8 kind;    /* PITRACE_BRANCH_*; 0: no branch */
	bool maybe; /* taken only if a condition holds */
};

static void branch(struct s390_decoded *d, u8 kind, bool maybe)
{
	d->kind = kind;
	d->maybe = maybe;
}

static void masked(struct s390_decoded *d, u8 mask, u8 kind)
{
	if (mask)
		branch(d, kind, mask != 15);
}

static void decode_long(const u8 *code, struct s390_decoded *d)
{
	u8 high = code[1] >> 4, low = code[1] & 15, last = code[5];

	switch (code[0]) {
	case 0xc0: /* brcl, brasl */
		if (low == 4)
			masked(d, high, PITRACE_BRANCH_JUMP);
		else if (low == 5)
			branch(d, PITRACE_BRANCH_CALL, false);
		break;
	case 0xc6: /* exrl: the executed instruction may be one */
		branch(d, low ? 0 : PITRACE_BRANCH_JUMP, true);
		break;
	case 0xcc: /* brcth */
		branch(d, low == 6 ? PITRACE_BRANCH_JUMP : 0, true);
		break;
	case 0xe3: /* bctg, bic */
		if (last == 0x46)
			branch(d, PITRACE_BRANCH_JUMP, true);
		else if (last == 0x47)
			masked(d, high, PITRACE_BRANCH_JUMP);
		break;
	case 0xeb: /* bxhg, bxleg */
		branch(d, last == 0x44 || last == 0x45 ? PITRACE_BRANCH_JUMP : 0, true);
		break;
	case 0xec: /* compare and branch; brxhg, brxlg */
		branch(d, PITRACE_BRANCH_JUMP, true);
		break;
	}
}

static void decode(const u8 *code, struct s390_decoded *d)
{
	u8 high = code[1] >> 4, low = code[1] & 15;

	switch (code[0]) {
	case 0x07: /* bcr */
		masked(d, high, low == 14 ? PITRACE_BRANCH_RETURN : PITRACE_BRANCH_JUMP);
		break;
	case 0x47: /* bc */
		masked(d, high, PITRACE_BRANCH_JUMP);
		break;
	case 0x05:
	case 0x0c:
	case 0x0d: /* balr, bassm, basr */
	case 0x45:
	case 0x4d: /* bal, bas */
		branch(d, PITRACE_BRANCH_CALL, false);
		break;
	case 0x0b: /* bsm */
		branch(d, PITRACE_BRANCH_JUMP, false);
		break;
	case 0x06:
	case 0x44:
	case 0x46: /* bctr, ex, bct */
	case 0x84:
	case 0x85:
	case 0x86:
	case 0x87: /* brxh, brxle, bxh, bxle */
	case 0xb9: /* bctgr */
		branch(d, PITRACE_BRANCH_JUMP, true);
		break;
	case 0xa7:
		if (low == 4)
			masked(d, high, PITRACE_BRANCH_JUMP);
		else if (low == 5)
			branch(d, PITRACE_BRANCH_CALL, false);
		else
			branch(d, low == 6 || low == 7 ? PITRACE_BRANCH_JUMP : 0, true);
		break;
	default:
		decode_long(code, d);
		break;
	}
}

/* The last instruction is known to have branched: it is decoded only for its kind. */
void arch_itrace_ran(u64 since, struct pt_regs *regs, const struct arch_itrace *a,
		     struct arch_ran *ran)
{
	bool user = user_mode(regs);
	u64 from = user ? current->thread.per_event.address : get_lowcore()->per_address;
	u64 to = instruction_pointer(regs);
	struct s390_decoded d = {};
	unsigned int length;
	u8 code[6] = {};
	int n;

	ran->from = from;
	ran->taken = true;
	ran->kind = PITRACE_BRANCH_UNDEFINED;
	ran->lost = false;
	ran->count = 1;
	/* The end of a kprobe's single step: the instruction is unknown. */
	if (!user && !(get_lowcore()->per_code_combined & PER_BRANCH)) {
		ran->from = since;
		return;
	}
	n = arch_itrace_between(since, from, user);
	ran->lost = n < 0;
	ran->count = max(n, 0) + 1;
	if (!fetch(code, from, 1, user))
		return;
	length = length_of(code[0]);
	if (!fetch(code, from, length, user))
		return;
	decode(code, &d);
	if (!d.kind)
		return;
	ran->kind = d.kind;
	/* A taken conditional branch to the next instruction looks like one not taken. */
	ran->taken = !d.maybe || to != from + length;
}

/* ---- system calls, signals ------------------------------------------------------------------- */

/* The vDSO function that restarts an interrupted call returns to that call's return address, so its
 * svc is not before the return address. */
static bool elsewhere(const struct pt_regs *regs, u64 *at)
{
	u64 behind = get_lowcore()->svc_old_psw.addr;
	u8 code[2];

	if ((regs->int_code & 0xffff) != __NR_restart_syscall || behind == regs->psw.addr ||
	    !fetch(code, behind - 2, 2, true) || code[0] != 0x0a || code[1] != __NR_restart_syscall)
		return false;
	*at = behind - 2;
	return true;
}

u64 arch_itrace_call(struct pt_regs *regs, u64 *behind)
{
	unsigned int length = regs->int_code >> 16 & 6;
	u64 at;

	if (elsewhere(regs, &at)) {
		*behind = at + 2;
		return at;
	}
	*behind = regs->psw.addr;
	return regs->psw.addr - length;
}

/* Signal frames as the kernel builds them; the offset identifies the one with siginfo. */
struct s390_frame {
	u8 save[__SIGNAL_FRAMESIZE];
	struct sigcontext sc;
	_sigregs sregs;
};
struct rt_frame {
	u8 save[__SIGNAL_FRAMESIZE];
	u16 svc;
	struct siginfo info;
	struct ucontext uc;
};

bool arch_itrace_interrupted(struct pt_regs *regs, u64 *ip)
{
	unsigned long frame = regs->gprs[15], more = regs->gprs[3] - frame, at;

	if (arch_task_32bit(current))
		return false;
	if (more == offsetof(struct s390_frame, sc))
		at = offsetof(struct s390_frame, sregs.regs.psw.addr);
	else if (more == offsetof(struct rt_frame, info))
		at = offsetof(struct rt_frame, uc.uc_mcontext.regs.psw.addr);
	else
		return false;
	if (!fetch(&at, frame + at, sizeof(at), true))
		return false;
	*ip = at;
	return true;
}

/* ---- the kernel's side ----------------------------------------------------------------------- */

#define PER_BYTE (PSW_MASK_PER >> 56)

static unsigned long returning; /* return address of functions with return probes */

/* The function whose return is probed. */
static noinline unsigned long probed(void)
{
	barrier();
	return (unsigned long)__builtin_return_address(0);
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return 0;
}

static struct kretprobe return_probe = { .kp.addr = (kprobe_opcode_t *)probed,
					 .handler = on_return,
					 .maxactive = 1 };

const char *arch_itrace_no_kernel(void)
{
	if (IS_ENABLED(CONFIG_PREEMPTION))
		return "this kernel may be interrupted for another thread wherever it traps";
	if (register_kretprobe(&return_probe))
		return "where its kernel returns to when it is probed was not to be found";
	returning = probed();
	unregister_kretprobe(&return_probe);
	return NULL;
}

/* No kernel debugger steps s390x's kernel. */
bool arch_itrace_kernel_debugged(void)
{
	return false;
}

/* A switch loads the values for a thread's user code, which are the same. */
void arch_itrace_step(void)
{
	struct per_regs now;
	u8 mask;

	if (arch_itrace_debugged(current))
		return;
	current->thread.per_user = per_branches;
	per_store(&now);
	if (!per_is_ours(&now))
		per_load(&per_branches);
	asm volatile("stosm %0,%1" : "=Q"(mask) : "i"(PER_BYTE) : "memory");
}

bool arch_itrace_unstep(void)
{
	u8 mask;

	asm volatile("stnsm %0,%1" : "=Q"(mask) : "i"(0xff & ~PER_BYTE) : "memory");
	return mask & PER_BYTE;
}

void arch_itrace_step_at(struct pt_regs *regs, bool step)
{
	if (step)
		regs->psw.mask |= PSW_MASK_PER;
	else
		regs->psw.mask &= ~PSW_MASK_PER;
}

bool arch_itrace_steps(const struct pt_regs *regs)
{
	return regs->psw.mask & PSW_MASK_PER;
}

#define FRAMES 256

static bool lies_on(unsigned long sp, unsigned long stack)
{
	return sp - stack <= THREAD_SIZE - sizeof(struct pt_regs) - STACK_FRAME_OVERHEAD;
}

/* The interrupt may have come in a softirq, on the interrupt stack: follow it back to the thread's
 * own stack, where a frame without a predecessor is an interrupt's, and its registers follow. */
struct pt_regs *arch_itrace_irq_regs(void)
{
	unsigned long own = (unsigned long)task_stack_page(current);
	unsigned long async = get_lowcore()->async_stack & ~(THREAD_SIZE - 1);
	unsigned long sp = current_frame_address();
	struct pt_regs *regs;
	int i;

	for (i = 0; i < FRAMES && (lies_on(sp, own) || lies_on(sp, async)); i++) {
		unsigned long before = ((struct stack_frame *)sp)->back_chain;

		if (before) {
			sp = before;
			continue;
		}
		regs = (struct pt_regs *)(sp + STACK_FRAME_OVERHEAD);
		if (user_mode(regs))
			return NULL;
		if (lies_on(sp, own))
			return regs;
		sp = regs->gprs[15];
	}
	return NULL;
}

static void straight(u64 since, u64 to, struct arch_ran *ran)
{
	int n = arch_itrace_between(since, to, false);

	*ran = (struct arch_ran){ .from = to, .count = max(n, 0), .lost = n < 0 };
}

/* Recognizes the first instruction of a probed function, which leads to the common probe code
 * through a piece of code of its own: brcl to a brasl by %r1, which no function begins with. Or
 * brasl by %r0. */
bool arch_itrace_probe(u64 since, const struct pt_regs *regs, struct arch_probe *probe)
{
	u64 from = get_lowcore()->per_address, to = instruction_pointer(regs);
	u8 first[2] = {}, next[2] = {};

	if (!(get_lowcore()->per_code_combined & PER_BRANCH))
		return false;
	if (returning && to == returning) {
		straight(since, from, &probe->ran);
		probe->driver_may = false;
		return true;
	}
	if (!fetch(first, from, 2, false) || first[0] != 0xc0)
		return false;
	if (first[1] != 0x05 &&
	    !(first[1] == 0xf4 && fetch(next, to, 2, false) && next[0] == 0xc0 && next[1] == 0x15))
		return false;
	straight(since, from, &probe->ran);
	probe->after = from + 6;
	probe->driver_may = true;
	return true;
}

void arch_itrace_after(u64 ip)
{
	struct per_regs now, only = { .control = PER_BRANCHES | PER_CONTROL_BRANCH_ADDRESS,
				      .start = ip,
				      .end = ip };

	per_store(&now);
	if (ip)
		per_load(&only);
	else if (now.control & PER_CONTROL_BRANCH_ADDRESS && per_is_ours(&current->thread.per_user))
		per_load(&per_branches);
}

/* The address of the operand, from base and displacement. */
static u64 operand(const struct pt_regs *regs, const u8 *code)
{
	unsigned int base = code[2] >> 4;

	return (base ? regs->gprs[base] : 0) + ((code[2] & 15) << 8 | code[3]);
}

struct way {
	u64 ip, since;
	u8 set; /* the condition code as a mask bit; 0: unknown */
	int n;
};

/* Follows a branch, on a known condition or none. */
static bool turn(struct way *w, struct arch_path *path, u8 mask, u64 to, unsigned int length)
{
	if (mask && mask != 15 && !w->set)
		return false;
	if (!(mask & (w->set ?: 15))) {
		w->ip += length;
		return true;
	}
	if (w->n == ARCH_WAY - 1)
		return false;
	straight(w->since, w->ip, &path[w->n].ran);
	path[w->n].ran.kind = PITRACE_BRANCH_JUMP;
	path[w->n].ran.taken = true;
	path[w->n++].to = w->ip = w->since = to;
	return true;
}

/* lpswe, lpswey */
static bool leads_out(const u8 *code)
{
	return (code[0] == 0xb2 && code[1] == 0xb2) || (code[0] == 0xeb && code[5] == 0x71);
}

#define WAY_LONGEST 32 /* instructions */

/* From the return of the system call's function to lpswe. The code there tests only memory, by
 * tm. */
int arch_itrace_way(const struct pt_regs *regs, struct arch_path *path)
{
	struct way w = { .ip = instruction_pointer(regs), .since = instruction_pointer(regs) };
	u8 code[6], byte;
	int i;

	if (regs->gprs[15] != (unsigned long)task_pt_regs(current) - STACK_FRAME_OVERHEAD ||
	    regs->gprs[14] != w.ip)
		return -1;
	for (i = 0; i < WAY_LONGEST; i++) {
		if (!fetch(code, w.ip, 1, false) || !fetch(code, w.ip, length_of(code[0]), false))
			break;
		if (leads_out(code))
			break;
		if (code[0] == 0x91) {
			if (!fetch(&byte, operand(regs, code), 1, false))
				break;
			byte &= code[1];
			w.set = !byte ? 8 : byte == code[1] ? 1 : 4;
			w.ip += 4;
		} else if (code[0] == 0x47) {
			if (code[1] & 15 || !turn(&w, path, code[1] >> 4, operand(regs, code), 4))
				break;
		} else if (code[0] == 0xa7 && (code[1] & 15) == 4) {
			if (!turn(&w, path, code[1] >> 4,
				  w.ip + 2 * (s64)(s16)(code[2] << 8 | code[3]), 4))
				break;
		} else if (code[0] == 0xc0 && (code[1] & 15) == 4) {
			if (!turn(&w, path, code[1] >> 4,
				  w.ip + 2 * (s64)(s32)(code[2] << 24 | code[3] << 16 |
							code[4] << 8 | code[5]),
				  6))
				break;
		} else {
			w.ip += length_of(code[0]);
		}
	}
	/* At the end, or at an unknown branch: execution is checked again from there. */
	straight(w.since, w.ip, &path[w.n].ran);
	return w.n + 1;
}

bool arch_itrace_returns(u64 ip)
{
	u8 code[6] = {};

	return fetch(code, ip, 1, false) && fetch(code, ip, length_of(code[0]), false) &&
	       leads_out(code);
}

/* ---- traps ----------------------------------------------------------------------------------- */

bool arch_itrace_pending(void)
{
	return per_trapped() && test_and_clear_thread_flag(TIF_PER_TRAP);
}
