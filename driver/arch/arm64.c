// SPDX-License-Identifier: GPL-2.0
/* arm64: the counter's frequency; hardware counters; registers and frames of user code. */
#include <linux/perf/arm_pmu.h>
#include <asm/sysreg.h>
#include "arch/arch.h"

#define PMUVER_LONG  6                 /* PMUv3 for Armv8.5: 64-bit event counters */
#define USERENR_READ (BIT(3) | BIT(2)) /* event counters, the cycle counter */

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

/* x29 is the frame pointer. 32-bit compilers have no common convention. */
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f)
{
	f->frame = regs->regs[29];
	f->word = is32 ? 0 : 8;
	f->return_at = 8;
	f->in_next = false;
}

/* The cycle counter is 32. On older hardware a 64-bit counter may be two 32-bit ones. */
unsigned int arch_counter_index(const struct perf_event *perf)
{
	int counter = compat_arm_counter(perf->hw.idx);

	if (counter < 0 ||
	    (counter < 31 && perf->attr.config1 & 1 && to_arm_pmu(perf->pmu)->pmuver < PMUVER_LONG))
		return 0;
	return counter + 1;
}

/* perf makes 32-bit counters overflow at half of that, and resets them in an interrupt. */
unsigned int arch_counter_width(const struct pitrace_metric *metric)
{
	return metric->config1 & 1 ? 64 : 32;
}

/* perf also writes this register whenever it starts its counters: no access, except for threads
 * with their own events. */
void arch_set_user_counters(bool enable)
{
	write_sysreg(enable ? USERENR_READ : 0, pmuserenr_el0);
	isb();
}

u64 arch_counter_hz(void)
{
	return read_sysreg(cntfrq_el0);
}
