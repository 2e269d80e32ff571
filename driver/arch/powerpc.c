// SPDX-License-Identifier: GPL-2.0
/* ppc64: the kernel's stack; registers and frames of user code. */
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include "arch/arch.h"

#define LR_SAVE		(STACK_FRAME_LR_SAVE * sizeof(long))

static bool get(unsigned long at, unsigned long *value)
{
	return is_kernel_addr(at) &&
	       !copy_from_kernel_nofault(value, (const void *)at, sizeof(*value));
}

/* Frames lie upwards, on one stack; an interrupt's may lead to the thread's, no other way. So a
 * walk ends. */
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
 * The kernel's own unwinder tells return addresses only: neither the interrupted instruction, to
 * cut it at, nor an interrupt among the frames, where what was saved in the next one is out of
 * date. So we walk ourselves: a frame begins with the address of its caller's, into which a
 * function saves where it will return to. From one that has not done so yet, or need not, its
 * caller is missing.
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

/* Every frame begins with the address of its caller's, where the return address is saved. */
void arch_user_frames(const struct pt_regs *regs, bool is32, struct arch_frames *f)
{
	f->frame = regs->gpr[1];
	f->word = is32 ? 4 : 8;
	f->return_at = is32 ? 4 : 16;
	f->in_next = true;
}
