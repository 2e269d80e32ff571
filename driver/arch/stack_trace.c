// SPDX-License-Identifier: GPL-2.0
/* The kernel's stack from its own unwinder, where that one includes the interrupted instruction. */
#include <linux/stacktrace.h>
#include <linux/string.h>
#include "arch/arch.h"

/* The trace begins with our own frames and those of the interrupt, which are cut off. */
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
