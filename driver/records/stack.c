// SPDX-License-Identifier: GPL-2.0
/*
 * Call stacks: the kernel's by its own unwinder, user code's by frame pointers, or registers and a
 * piece of the stack for a reader that unwinds later. Frames, bytes and nesting levels are bounded.
 */
#include <linux/module.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/uaccess.h>
#include "core/session.h"
#include "records/stack.h"

#define WANT_ANY (PITRACE_WANT_KERNEL | PITRACE_WANT_USER | PITRACE_WANT_COPY)

/* ---- set up ---------------------------------------------------------------------------------- */

int stack_check(const struct pitrace_setup_args *args)
{
	if (args->stacks & ~(WANT_ANY | PITRACE_WANT_DISPATCH))
		return -EINVAL;
	if (args->stacks & PITRACE_WANT_DISPATCH && !(args->stacks & WANT_ANY))
		return -EINVAL;
	if (args->depth > PITRACE_STACK_MAX ||
	    (args->depth && !(args->stacks & (PITRACE_WANT_KERNEL | PITRACE_WANT_USER))))
		return -EINVAL;
	if (args->copy > PITRACE_STACK_COPY_MAX || args->copy % 8 ||
	    !args->copy != !(args->stacks & PITRACE_WANT_COPY))
		return -EINVAL;
	return 0;
}

void stack_free(struct session *s)
{
	unsigned int cpu;
	int i;

	for (cpu = 0; s->cpu && cpu < s->ncpus; cpu++)
		for (i = 0; s->cpu[cpu] && i < STACK_CONTEXTS; i++) {
			kfree(s->cpu[cpu]->stack.context[i]);
			s->cpu[cpu]->stack.context[i] = NULL;
		}
}

/* Uses kmalloc, not vmalloc: for the latter the kernel's usercopy check may take a lock, and this
 * code runs in NMIs. */
int stack_prepare(struct session *s)
{
	size_t size = sizeof(struct stack_record) + STACK_WORDS * sizeof(u64) + s->copy;
	unsigned int cpu;
	int i;

	stack_free(s);
	if (!s->stacks)
		return 0;
	for (cpu = 0; cpu < s->ncpus; cpu++)
		for (i = 0; s->cpu[cpu] && i < STACK_CONTEXTS; i++) {
			struct stack_record *stack = kzalloc_node(size, GFP_KERNEL,
								  cpu_to_node(cpu));

			if (!stack) {
				stack_free(s);
				return -ENOMEM;
			}
			s->cpu[cpu]->stack.context[i] = stack;
		}
	return 0;
}

/* ---- parts of a stack ------------------------------------------------------------------------ */

static void put_kernel(const struct session *s, struct stack_record *stack, struct pt_regs *regs)
{
	unsigned long *to = (unsigned long *)stack->words;
	unsigned int n, own = 0;

	BUILD_BUG_ON(sizeof(*to) != sizeof(stack->words[0]));
	if (regs && user_mode(regs))
		return;
	/* One more than wanted, to see whether the stack is longer. Without registers our own
	 * frames come first. */
	n = arch_kernel_stack(regs, to, s->depth + 1 + (regs ? 0 : ARCH_STACK_EXTRA - 1));
	if (!regs) {
		while (own < n && within_module(to[own], THIS_MODULE))
			own++;
		n -= own;
		memmove(to, to + own, n * sizeof(*to));
	}
	if (n > s->depth) {
		n = s->depth;
		stack->head.flags |= PITRACE_STACK_CUT_K;
	}
	if (!n)
		stack->head.flags |= PITRACE_STACK_NONE_K;
	stack->head.kernel = n;
}

static bool read_word(unsigned long at, u8 word, unsigned long *value)
{
	const void __user *from = (const void __user *)at;
	u32 half;

	if (word == sizeof(*value))
		return !copy_from_user_nofault(value, from, sizeof(*value));
	if (copy_from_user_nofault(&half, from, sizeof(half)))
		return false;
	*value = half;
	return true;
}

/* Frames must be at growing addresses: so every walk ends, whatever the program's stack
 * contains. */
static void put_frames(const struct session *s, struct stack_record *stack,
		       const struct pt_regs *regs, bool is32)
{
	u64 *to = stack->words + stack->head.kernel;
	unsigned long least = user_stack_pointer((struct pt_regs *)regs), next, address;
	struct arch_frames f;
	unsigned int n = 0;
	int at;

	to[n++] = instruction_pointer((struct pt_regs *)regs);
	arch_user_frames(regs, is32, &f);
	if (!f.word) {
		stack->head.flags |= PITRACE_STACK_NONE_U;
		goto done;
	}
	at = s->depth > 1 ? arch_return_on_stack(regs, is32) : -1;
	if (at >= 0 && read_word(least + at, f.word, &address))
		to[n++] = address;
	for (; f.frame; f.frame = next) {
		if (f.frame < least || f.frame & (f.word - 1) || !read_word(f.frame, f.word, &next))
			goto fault;
		/* The outermost frame, where frames only know their callers, has no caller. */
		if (f.in_next && !next)
			break;
		if (!read_word((f.in_next ? next : f.frame) + f.return_at, f.word, &address))
			goto fault;
		if (!address)
			break;
		if (n == s->depth) {
			stack->head.flags |= PITRACE_STACK_CUT_U;
			break;
		}
		to[n++] = address;
		least = f.frame + f.word;
	}
	goto done;
fault:
	stack->head.flags |= PITRACE_STACK_FAULT;
done:
	stack->head.user = n;
}

/* Copies page by page, up to the first byte that is not present. */
static void put_copy(const struct session *s, struct stack_record *stack,
		     const struct pt_regs *regs, bool is32)
{
	u64 *registers = stack->words + stack->head.kernel + stack->head.user;
	unsigned long sp = user_stack_pointer((struct pt_regs *)regs);
	u32 bytes = 0, part;
	u8 *to;

	stack->head.regs = arch_user_registers(regs, is32, registers);
	to = (u8 *)(registers + stack->head.regs);
	while (bytes < s->copy) {
		part = PAGE_SIZE - ((sp + bytes) & ~PAGE_MASK);
		part = min(part, s->copy - bytes);
		if (copy_from_user_nofault(to + bytes, (const void __user *)(sp + bytes), part)) {
			stack->head.flags |= PITRACE_STACK_FAULT;
			break;
		}
		bytes += part;
	}
	/* Records are made of words; a stack pointer that is not aligned ends a page unevenly. */
	stack->head.bytes = bytes & ~3u;
	stack->head.flags |= PITRACE_STACK_COPY;
}

/* Returns the registers with which the thread will continue in user code, if any: kernel threads,
 * those that the kernel runs on behalf of a process, and exiting threads have none. */
static const struct pt_regs *user_registers(struct pt_regs *regs)
{
	if (regs && user_mode(regs))
		return regs;
	if (!current->mm || current->flags & (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER))
		return NULL;
	regs = task_pt_regs(current);
	return user_mode(regs) ? regs : NULL;
}

const struct stack_record *stack_take(struct session *s, unsigned int cpu, struct pt_regs *regs)
{
	struct stack_cpu *c = &s->cpu[cpu]->stack;
	const struct pt_regs *user;
	struct stack_record *stack;
	bool is32;

	if (c->busy >= STACK_CONTEXTS || !c->context[c->busy])
		return NULL;
	stack = c->context[c->busy++];
	barrier();
	memset(&stack->head, 0, sizeof(stack->head));
	if (s->stacks & PITRACE_WANT_KERNEL)
		put_kernel(s, stack, regs);
	if (s->stacks & (PITRACE_WANT_USER | PITRACE_WANT_COPY)) {
		user = user_registers(regs);
		if (!user) {
			stack->head.flags |= PITRACE_STACK_NONE_U;
			return stack;
		}
		is32 = arch_task_32bit(current);
		if (is32)
			stack->head.flags |= PITRACE_STACK_32BIT;
		if (s->stacks & PITRACE_WANT_USER)
			put_frames(s, stack, user, is32);
		if (s->stacks & PITRACE_WANT_COPY)
			put_copy(s, stack, user, is32);
	}
	return stack;
}

void stack_done(struct session *s, unsigned int cpu, const struct stack_record *stack)
{
	barrier();
	if (stack)
		s->cpu[cpu]->stack.busy--;
}
