// SPDX-License-Identifier: GPL-2.0
/* arm64: registers and frames of user code. */
#include "arch/arch.h"

unsigned int arch_user_registers(const struct pt_regs *regs, bool is32, u64 *to)
{
	unsigned int i, n = is32 ? 15 : 31;

	/* 32-bit code has its stack pointer in r13 and its link register in r14: x13, x14. */
	for (i = 0; i < n; i++)
		to[i] = regs->regs[i];
	if (!is32)
		to[n++] = regs->sp;
	to[n++] = regs->pc;
	return n;
}

/* x29 is the frame pointer. 32-bit compilers agree on none. */
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f)
{
	f->frame = regs->regs[29];
	f->word = is32 ? 0 : 8;
	f->return_at = 8;
	f->in_next = false;
}
