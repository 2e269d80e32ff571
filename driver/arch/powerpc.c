// SPDX-License-Identifier: GPL-2.0
/* ppc64: registers and frames of user code. */
#include "arch/arch.h"

unsigned int arch_user_registers(const struct pt_regs *regs, bool is32, u64 *to)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		to[i] = regs->gpr[i];
	to[32] = regs->link;
	to[33] = regs->nip;
	return 34;
}

/* Every frame begins with the address of its caller's, where the return address is saved. */
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f)
{
	f->frame = regs->gpr[1];
	f->word = is32 ? 4 : 8;
	f->return_at = is32 ? 4 : 16;
	f->in_next = true;
}
