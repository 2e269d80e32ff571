// SPDX-License-Identifier: GPL-2.0
/* x86-64: the time stamp counter. */
#include <asm/cpufeature.h>
#include <asm/tsc.h>
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
