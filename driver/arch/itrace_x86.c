// SPDX-License-Identifier: GPL-2.0
/*
 * ITrace on x86-64: the trap flag stops a thread after each instruction, whose bytes show whether
 * it was a branch. (DEBUGCTL.BTF would stop only at branches, but then the number of instructions
 * between them is unknown: modules have no access to an instruction decoder.)
 */
#include <linux/kgdb.h>
#include <linux/processor.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/processor-flags.h>
#include <asm/sigframe.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>
#include "arch/arch.h"

#define LONGEST 15 /* bytes of an instruction */

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

void arch_itrace_arm(struct task_struct *task, struct pt_regs *regs, struct arch_itrace *a)
{
	set_bit(X86_EFLAGS_TF_BIT, &regs->flags);
}

void arch_itrace_disarm(struct task_struct *task, struct pt_regs *regs)
{
	if (arch_itrace_debugged(task))
		return;
	if (regs->flags & X86_EFLAGS_TF)
		clear_bit(X86_EFLAGS_TF_BIT, &regs->flags);
	/* The system call instruction saves the flags in r11. A waking thread may be about to save
	 * new ones, so another task's copy is not touched: that task passed here when it began to
	 * sleep. */
	if (task == current && regs->orig_ax != -1ul && regs->r11 & X86_EFLAGS_TF &&
	    (regs->r11 & ~X86_EFLAGS_TF) == regs->flags)
		regs->r11 &= ~X86_EFLAGS_TF;
}

/* executed code */

struct x86_decoded {
	u8 kind;    /* PITRACE_BRANCH_*; 0: no branch */
	bool maybe; /* may fall through; `length` is known */
	bool pushes_flags;
	bool enables_irqs; /* interrupts, if they were disabled */
	u8 length;
};

static unsigned int fetch(u8 *code, u64 at, bool user)
{
	unsigned int n = LONGEST;

	/* The instruction may end before a page that is not present. */
	if (user ? !copy_from_user_nofault(code, (const void __user *)at, n) :
		   !copy_from_kernel_nofault(code, (const void *)at, n))
		return n;
	n = PAGE_SIZE - (at & (PAGE_SIZE - 1));
	if (n >= LONGEST)
		return 0;
	if (user ? !copy_from_user_nofault(code, (const void __user *)at, n) :
		   !copy_from_kernel_nofault(code, (const void *)at, n))
		return n;
	return 0;
}

#define WORD 8 /* up to four prefixes fit in this many bytes without reading more */

/* Reads the first bytes of a user instruction by one load. */
static __always_inline bool fetch_word(u64 *to, u64 at)
{
	u64 word;
	int err;

	if (unlikely(!access_ok((const void __user *)at, WORD)))
		return false;
	pagefault_disable();
	err = __get_user(word, (const u64 __user *)at);
	pagefault_enable();
	if (unlikely(err))
		return false;
	*to = word;
	return true;
}

static bool is_prefix(u8 c, bool is64)
{
	switch (c) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67:
	case 0xf0:
	case 0xf2:
	case 0xf3:
		return true;
	}
	return is64 && (c & 0xf0) == 0x40;
}

static void decode_0f(const u8 *p, unsigned int i, bool narrow, struct x86_decoded *d)
{
	if ((p[i] & 0xf0) == 0x80) { /* jcc */
		d->kind = PITRACE_BRANCH_JUMP;
		d->maybe = true;
		d->length = i + 1 + (narrow ? 2 : 4);
	} else if (p[i] == 0x05 || p[i] == 0x34) { /* syscall, sysenter */
		d->kind = PITRACE_BRANCH_OTHER;
	} else if (p[i] == 0x07 || p[i] == 0x35) { /* sysret, sysexit */
		d->kind = PITRACE_BRANCH_IRET;
	}
}

/* `code` is longer than any instruction, with zeros after the bytes that could be read. Returns the
 * number of prefixes. */
static unsigned int decode(const u8 *code, bool is64, struct x86_decoded *d)
{
	unsigned int i = 0;
	bool narrow = false;
	u8 c, reg;

	for (; i < LONGEST - 2 && is_prefix(code[i], is64); i++)
		narrow |= code[i] == 0x66 && !is64;
	c = code[i];
	reg = code[i + 1] >> 3 & 7;
	if ((c & 0xf0) == 0x70 || (c & 0xfc) == 0xe0) { /* jcc, loop, jcxz */
		d->kind = PITRACE_BRANCH_JUMP;
		d->maybe = true;
		d->length = i + 2;
		return i;
	}
	switch (c) {
	case 0x0f:
		decode_0f(code, i + 1, narrow, d);
		break;
	case 0x9c:
		d->pushes_flags = true;
		break;
	case 0xfb:
		d->enables_irqs = true;
		break;
	case 0xc7: /* xbegin */
		if (code[i + 1] == 0xf8) {
			d->kind = PITRACE_BRANCH_JUMP;
			d->maybe = true;
			d->length = i + 2 + (narrow ? 2 : 4);
		}
		break;
	case 0x9a:
		d->kind = is64 ? 0 : PITRACE_BRANCH_CALL;
		break;
	case 0xea:
		d->kind = is64 ? 0 : PITRACE_BRANCH_JUMP;
		break;
	case 0xe8:
		d->kind = PITRACE_BRANCH_CALL;
		break;
	case 0xe9:
	case 0xeb:
		d->kind = PITRACE_BRANCH_JUMP;
		break;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
		d->kind = PITRACE_BRANCH_RETURN;
		break;
	case 0xcf:
		d->kind = PITRACE_BRANCH_IRET;
		break;
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xf1:
		d->kind = PITRACE_BRANCH_OTHER;
		break;
	case 0xff:
		if (reg == 2 || reg == 3)
			d->kind = PITRACE_BRANCH_CALL;
		else if (reg == 4 || reg == 5)
			d->kind = PITRACE_BRANCH_JUMP;
		break;
	}
	return i;
}

/* Pushed flags are restored later, perhaps when the thread is no longer traced: clears TF in
 * them. */
static void clean_pushed(const struct pt_regs *regs, bool user)
{
	u8 flags;

	/* The second byte of the flags; TF is its lowest bit. */
	if (user) {
		u8 __user *at = (u8 __user *)regs->sp + 1;

		if (!copy_from_user_nofault(&flags, at, 1) && flags & (X86_EFLAGS_TF >> 8)) {
			flags &= ~(X86_EFLAGS_TF >> 8);
			if (copy_to_user_nofault(at, &flags, 1))
				return;
		}
	} else {
		((u8 *)regs->sp)[1] &= ~(X86_EFLAGS_TF >> 8);
	}
}

/* By an opcode's first byte: 0 (no branch), or the branch's kind and whether it may fall through,
 * with a length of two bytes; or LOOK: decode() must decode it, as for prefixes. */
#define MAYBE 0x40
#define LOOK  0x80
#define LOOKS LOOK, LOOK, LOOK, LOOK
static const u8 opcode[256] = {
	[0x0f] = LOOK,
	[0x26] = LOOK,
	[0x2e] = LOOK,
	[0x36] = LOOK,
	[0x3e] = LOOK,
	[0x40] = LOOKS,
	LOOKS,
	LOOKS,
	LOOKS, /* REX: a second one has no effect */
	[0x64] = LOOKS,
	[0x70 ... 0x7f] = PITRACE_BRANCH_JUMP | MAYBE,
	[0x9a] = LOOK,
	[0x9c] = LOOK,
	[0xc2] = PITRACE_BRANCH_RETURN,
	PITRACE_BRANCH_RETURN,
	[0xc7] = LOOK,
	[0xca] = PITRACE_BRANCH_RETURN,
	PITRACE_BRANCH_RETURN,
	LOOKS,
	[0xe0 ... 0xe3] = PITRACE_BRANCH_JUMP | MAYBE,
	[0xe8] = PITRACE_BRANCH_CALL,
	PITRACE_BRANCH_JUMP,
	LOOK,
	PITRACE_BRANCH_JUMP,
	[0xf0 ... 0xf3] = LOOK,
	[0xff] = LOOK,
};

/* Decodes by the first byte, in 64-bit code by the one after REX; false: that is not enough. */
static __always_inline bool plain(u64 word, u64 length, bool is64, struct arch_ran *ran)
{
	u8 c = word, what, bytes = 2;

	if ((c & 0xf0) == 0x40 && is64) {
		c = word >> 8;
		bytes = 3;
	}
	what = opcode[c];
	if (unlikely(what & LOOK))
		return false;
	ran->kind = what & ~MAYBE;
	if (!what) {
		/* An unfinished string instruction traps too. */
		ran->count = length != 0;
		return length <= LONGEST;
	}
	ran->taken = !(what & MAYBE) || length != bytes;
	return true;
}

/* One instruction has run, at `since`. False: it was sti, and the next one has run too: where sti
 * enables interrupts, some machines delay its trap as they delay an interrupt. */
static bool one_ran(u64 since, struct pt_regs *regs, const u64 *first, struct arch_ran *ran)
{
	bool user = user_mode(regs), is64 = !user || user_64bit_mode(regs);
	u64 length = regs->ip - since;
	struct x86_decoded d = {};
	u64 word[3];
	u8 *code = (u8 *)word;

	*ran = (struct arch_ran){ .from = since, .count = 1 };
	word[1] = word[2] = 0;
	if (first) {
		word[0] = *first;
		if (likely(decode(code, is64, &d) <= WORD - 4))
			goto decoded;
		d = (struct x86_decoded){};
	}
	word[0] = 0;
	if (!fetch(code, since, user)) {
		ran->kind = PITRACE_BRANCH_UNDEFINED;
		ran->taken = length > LONGEST;
		ran->count = length ? 1 : 0;
		return true;
	}
	decode(code, is64, &d);
decoded:
	if (d.pushes_flags)
		clean_pushed(regs, user);
	ran->kind = d.kind;
	/* A breakpoint of the kernel: its probe executed the original instruction elsewhere. */
	if (unlikely(!user && *code == INT3_INSN_OPCODE))
		ran->kind = PITRACE_BRANCH_UNDEFINED;
	if (d.kind) {
		ran->taken = !d.maybe || length != d.length;
		return true;
	}
	if (unlikely(d.enables_irqs) && !user && length != 1)
		return false;
	if (!length)
		ran->count = 0;
	ran->taken = length > LONGEST;
	if (ran->taken)
		ran->kind = PITRACE_BRANCH_UNDEFINED;
	return true;
}

void arch_itrace_ran(u64 since, struct pt_regs *regs, const struct arch_itrace *a,
		     struct arch_ran *ran)
{
	u64 word, *first = user_mode(regs) && likely(fetch_word(&word, since)) ? &word : NULL;

	*ran = (struct arch_ran){ .from = since, .count = 1 };
	if (first && likely(plain(word, regs->ip - since, user_64bit_mode(regs), ran)))
		return;
	if (likely(one_ran(since, regs, first, ran)))
		return;
	one_ran(since + 1, regs, NULL, ran);
	if (ran->kind != PITRACE_BRANCH_UNDEFINED)
		ran->count++;
}

int arch_itrace_between(u64 since, u64 ip, bool user)
{
	u8 code[2];

	if (since == ip)
		return 0;
	/* System calls of 32-bit programs: the return address is after the int that follows
	 * sysenter. */
	if (user && ip - since == 2 && !user_64bit_mode(task_pt_regs(current)) &&
	    !copy_from_user_nofault(code, (const void __user *)since, sizeof(code)) &&
	    code[0] == 0x0f && (code[1] == 0x34 || code[1] == 0x05))
		return 0;
	return -1;
}

u64 arch_itrace_call(struct pt_regs *regs, u64 *behind)
{
	*behind = regs->ip;
	return regs->ip - 2;
}

bool arch_itrace_interrupted(struct pt_regs *regs, u64 *ip)
{
	unsigned long at;

	if (!user_64bit_mode(regs) ||
	    copy_from_user_nofault(&at,
				   (const void __user *)regs->sp +
					   offsetof(struct rt_sigframe, uc.uc_mcontext.ip),
				   sizeof(at)))
		return false;
	*ip = at;
	return true;
}

/* ---- the kernel's side ----------------------------------------------------------------------- */

const char *arch_itrace_no_kernel(void)
{
#ifdef X86_FEATURE_FRED
	/* FRED returns through frames that it pushed, in ways that are untested. */
	if (boot_cpu_has(X86_FEATURE_FRED))
		return "this machine enters its kernel by FRED";
#endif
	if (boot_cpu_has(X86_FEATURE_XENPV))
		return "this is a guest that Xen enters its kernel for";
	if (arch_itrace_kernel_debugged())
		return "a kernel debugger steps by the same flag";
	return NULL;
}

bool arch_itrace_kernel_debugged(void)
{
#ifdef CONFIG_KGDB
	return READ_ONCE(kgdb_connected);
#else
	return false;
#endif
}

void arch_itrace_step(void)
{
	asm volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(X86_EFLAGS_TF) : "memory", "cc");
}

bool arch_itrace_unstep(void)
{
	unsigned long flags;

	asm volatile("pushfq\n\tpopq %0" : "=rm"(flags) : : "memory");
	if (!(flags & X86_EFLAGS_TF))
		return false;
	asm volatile("pushfq\n\tandq %0, (%%rsp)\n\tpopfq"
		     :
		     : "i"(~X86_EFLAGS_TF)
		     : "memory", "cc");
	return true;
}

void arch_itrace_step_at(struct pt_regs *regs, bool step)
{
	if (step)
		regs->flags |= X86_EFLAGS_TF;
	else
		regs->flags &= ~X86_EFLAGS_TF;
}

bool arch_itrace_steps(const struct pt_regs *regs)
{
	return regs->flags & X86_EFLAGS_TF;
}

/* The CPU pushes directly below the stack pointer, aligned to sixteen bytes. The kernel keeps
 * nothing there, one instruction does not write that far down, and the trap itself has its own
 * stack. After an exception that led elsewhere, an interrupt stores the same address there. */
u64 *arch_itrace_pushed(const struct pt_regs *regs)
{
	unsigned long at = ALIGN_DOWN(regs->sp, 16) - sizeof(*regs);
	u64 *pushed = (u64 *)&((struct pt_regs *)at)->ip;

	if (at - (unsigned long)task_stack_page(current) >= THREAD_SIZE)
		return NULL;
	/* Plain assembly, because KASAN would report a store below the stack pointer. */
	asm volatile("movq $0, %0" : "=m"(*pushed));
	return pushed;
}

/* A breakpoint's registers are moved before they are changed. */
u64 arch_itrace_returned(const u64 *pushed, u64 since)
{
	u64 ip = pushed ? READ_ONCE_NOCHECK(*pushed) : 0;

	return !ip || ip == since + 1 ? since : ip;
}

/* The registers that were pushed on the thread's own stack; a nested interrupt has others. */
struct pt_regs *arch_itrace_irq_regs(void)
{
	unsigned long stack = (unsigned long)task_stack_page(current);
	struct unwind_state state;
	struct pt_regs *regs;

	for (unwind_start(&state, current, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		regs = unwind_get_entry_regs(&state, NULL);
		if (regs && (unsigned long)regs - stack < THREAD_SIZE)
			return user_mode(regs) ? NULL : regs;
	}
	return NULL;
}

bool arch_itrace_returns(u64 ip)
{
	u8 code[LONGEST + 9] = {};
	struct x86_decoded d = {};

	if (!fetch(code, ip, false))
		return false;
	decode(code, true, &d);
	return d.kind == PITRACE_BRANCH_IRET;
}
