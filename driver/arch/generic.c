// SPDX-License-Identifier: GPL-2.0
/*
 * Other architectures: no cycle counter is used here, stamps are monotonic nanoseconds; all other
 * differences have their own files.
 */
#include "arch/arch.h"

u64 arch_cycles_hz(void)
{
	return 0;
}

bool arch_cycles_trusted(void)
{
	return false;
}

bool arch_cycles_unstable(void)
{
	return false;
}

int arch_return_on_stack(const struct pt_regs *regs, bool is32)
{
	return -1;
}

/* Guaranteed by these architectures. */
bool arch_counter_trusted(void)
{
	return true;
}
