// SPDX-License-Identifier: GPL-2.0
/* x86-64: the time stamp counter; the kernel's own unwinder; frames and registers of user code. */
#include <linux/uaccess.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>
#include <asm/unwind.h>
#include "arch/arch.h"

u64 arch_cycles_hz(void)
{
	return (u64)tsc_khz * 1000;
}

bool arch_cycles_trusted(void)
{
	return boot_cpu_has(X86_FEATURE_CONSTANT_TSC) && boot_cpu_has(X86_FEATURE_NONSTOP_TSC) &&
	       !check_tsc_unstable();
}

bool arch_cycles_unstable(void)
{
	return check_tsc_unstable();
}

unsigned int arch_kernel_stack(struct pt_regs *regs, unsigned long *to, unsigned int room)
{
	struct unwind_state state;
	unsigned long address;
	unsigned int n = 0;

	/* The unwinder begins with the caller of the interrupted function. Registers of a software
	 * event, which no interrupt saved, have only ip and sp right, and lack this fixed flag. */
	if (regs)
		to[n++] = regs->ip;
	if (regs && !(regs->flags & X86_EFLAGS_FIXED))
		unwind_start(&state, current, NULL, (void *)regs->sp);
	else
		unwind_start(&state, current, regs, NULL);
	for (; n < room && !unwind_done(&state); unwind_next_frame(&state)) {
		address = unwind_get_return_address(&state);
		if (!address)
			break;
		to[n++] = address;
	}
	return n;
}

unsigned int arch_user_registers(const struct pt_regs *regs, bool is32, u64 *to)
{
	if (is32) {
		to[0] = regs->ax;
		to[1] = regs->cx;
		to[2] = regs->dx;
		to[3] = regs->bx;
		to[4] = regs->sp;
		to[5] = regs->bp;
		to[6] = regs->si;
		to[7] = regs->di;
		to[8] = regs->ip;
		return 9;
	}
	to[0] = regs->ax;
	to[1] = regs->dx;
	to[2] = regs->cx;
	to[3] = regs->bx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[6] = regs->bp;
	to[7] = regs->sp;
	to[8] = regs->r8;
	to[9] = regs->r9;
	to[10] = regs->r10;
	to[11] = regs->r11;
	to[12] = regs->r12;
	to[13] = regs->r13;
	to[14] = regs->r14;
	to[15] = regs->r15;
	to[16] = regs->ip;
	return 17;
}

void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f)
{
	f->frame = regs->bp;
	f->word = f->return_at = is32 ? 4 : 8;
	f->in_next = false;
}

/*
 * At a function's first instructions and at its last one the caller's frame is the current one; a
 * walk from there would omit the caller. Code with frame pointers opens with endbr, push %rbp, mov
 * %rsp, %rbp. Code without them pushes %rbp too, but later: so a push counts only where a function
 * may begin. Other instructions that a compiler inserts between these are not recognized.
 */
int arch_return_on_stack(const struct pt_regs *regs, bool is32)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e };
	const u8 __user *ip = (const u8 __user *)regs->ip;
	u8 code[4], before[4];

	if (copy_from_user_nofault(code, ip, sizeof(code)))
		return -1;
	if (code[0] == 0xc3 || ((code[0] == 0xf2 || code[0] == 0xf3) && code[1] == 0xc3))
		return 0; /* ret */
	if (!memcmp(code, endbr, sizeof(endbr)) && (code[3] & 0xfe) == 0xfa)
		return 0;
	if (code[0] == 0x55 &&
	    (!(regs->ip & 15) || (!copy_from_user_nofault(before, ip - 4, sizeof(before)) &&
				  !memcmp(before, endbr, sizeof(endbr)))))
		return 0;
	if (is32)
		return code[0] == 0x89 && code[1] == 0xe5 ? 4 : -1;
	return code[0] == 0x48 && code[1] == 0x89 && code[2] == 0xe5 ? 8 : -1;
}

u64 arch_counter_hz(void)
{
	return arch_cycles_hz();
}

bool arch_counter_trusted(void)
{
	return arch_cycles_trusted();
}
