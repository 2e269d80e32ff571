// SPDX-License-Identifier: GPL-2.0
/* ppc64: the timebase's frequency; counters; the kernel's stack; registers and frames of user
 * code. */
#include <linux/perf_event.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/cputable.h>
#include <asm/hw_irq.h>
#include <asm/reg.h>
#include <asm/time.h>
#include "arch/arch.h"

#define LR_SAVE (STACK_FRAME_LR_SAVE * sizeof(long))

static bool get(unsigned long at, unsigned long *value)
{
	return is_kernel_addr(at) &&
	       !copy_from_kernel_nofault(value, (const void *)at, sizeof(*value));
}

/* Frames are at growing addresses on one stack; an interrupt's stack may lead to the thread's, but
 * not back: so every walk ends. */
static bool leads_to(unsigned long frame, unsigned long next)
{
	unsigned long stack = next & ~(THREAD_SIZE - 1);

	if (next & 15)
		return false;
	if (stack == (frame & ~(THREAD_SIZE - 1)))
		return next > frame;
	return stack == (unsigned long)task_stack_page(current);
}

/*
 * The kernel's own unwinder provides only return addresses: neither the interrupted instruction,
 * where the trace must be cut, nor interrupts among the frames, after which the return address
 * saved in the next frame is stale. So this file walks the stack itself: a frame begins with the
 * address of its caller's frame, where a function saves its return address. For a function that has
 * not saved it yet, or never does, the caller is missing.
 */
unsigned int arch_kernel_stack(struct pt_regs *regs, unsigned long *to, unsigned int room)
{
	unsigned long frame = regs ? regs->gpr[1] : current_stack_pointer;
	unsigned long next, mark, from;
	unsigned int n = 0;

	if (regs)
		to[n++] = instruction_pointer(regs);
	for (; n < room && get(frame, &next) && leads_to(frame, next); frame = next) {
		from = next + LR_SAVE;
		if (next - frame == STACK_INT_FRAME_SIZE &&
		    get(frame + STACK_INT_FRAME_MARKER, &mark) && mark == STACK_FRAME_REGS_MARKER)
			from = frame + STACK_INT_FRAME_REGS + offsetof(struct pt_regs, nip);
		if (!get(from, &to[n]) || !is_kernel_addr(to[n]))
			break;
		n++;
	}
	return n;
}

unsigned int arch_user_registers(const struct pt_regs *regs, bool is32, u64 *to)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		to[i] = regs->gpr[i];
	to[32] = regs->link;
	to[33] = regs->nip;
	return 34;
}

/* Every frame begins with the address of its caller's frame, where the return address is saved. */
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f)
{
	f->frame = regs->gpr[1];
	f->word = is32 ? 4 : 8;
	f->return_at = is32 ? 4 : 16;
	f->in_next = true;
}

unsigned int arch_counter_index(const struct perf_event *perf)
{
	return perf->hw.idx > 0 ? perf->hw.idx : 0;
}

/* perf resets a counter to 0 when its highest bit is set. */
unsigned int arch_counter_width(const struct pitrace_metric *metric)
{
	return 31;
}

/*
 * Up to POWER9 all user code can read the counters. Later CPUs forbid it if this bit is set, which
 * perf does whenever it starts its counters. perf's interrupt also arrives while other interrupts
 * are off, and writes this register.
 */
void arch_set_user_counters(bool enable)
{
	unsigned long mmcr0;

	if (!cpu_has_feature(CPU_FTR_ARCH_31))
		return;
	hard_irq_disable();
	mmcr0 = mfspr(SPRN_MMCR0);
	mtspr(SPRN_MMCR0, enable ? mmcr0 & ~MMCR0_PMCCEXT : mmcr0 | MMCR0_PMCCEXT);
	isync();
}

u64 arch_counter_hz(void)
{
	return ppc_tb_freq;
}
