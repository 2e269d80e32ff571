// SPDX-License-Identifier: GPL-2.0
/* An architecture without a cycle counter of its own here: stamps are monotonic nanoseconds. */
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
