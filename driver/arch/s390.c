// SPDX-License-Identifier: GPL-2.0
/* s390x: the clock's frequency; registers and frames of user code. */
#include "arch/arch.h"

unsigned int arch_user_registers(const struct pt_regs *regs, bool is32, u64 *to)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		to[i] = regs->gprs[i];
	to[16] = instruction_pointer(regs);
	return 17;
}

/* With -mbackchain every frame begins with the address of its caller's frame, where r14 is
 * saved. */
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f)
{
	f->frame = regs->gprs[15];
	f->word = is32 ? 4 : 8;
	f->return_at = is32 ? 56 : 112;
	f->in_next = true;
}

/* The TOD clock counts 4096 per microsecond; the two lowest bits are dropped. */
u64 arch_counter_hz(void)
{
	return 4096 / 4 * 1000000ull;
}
