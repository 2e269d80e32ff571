// SPDX-License-Identifier: GPL-2.0
/*
 * Other architectures: no cycle counter of their own here, stamps are monotonic nanoseconds; the
 * kernel's stack from the one unwinder that all of them export; what else differs is a file's each.
 */
#include <linux/stacktrace.h>
#include <linux/string.h>
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

/* It begins with ourselves: what stands before the interrupted instruction is the interrupt's. */
unsigned int arch_kernel_stack(struct pt_regs *regs, unsigned long *to, unsigned int room)
{
	unsigned int n = stack_trace_save(to, room + ARCH_STACK_EXTRA, 1), i = 0;

	if (regs) {
		while (i < n && to[i] != instruction_pointer(regs))
			i++;
		if (i == n)
			return 0;
	}
	n = min(n - i, room);
	memmove(to, to + i, n * sizeof(*to));
	return n;
}

int arch_return_on_stack(const struct pt_regs *regs, bool is32)
{
	return -1;
}
