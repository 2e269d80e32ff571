/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call stacks of the current thread. A record's length must be known before it is begun, so a stack
 * is gathered in scratch memory of this CPU and session and copied from there: a missing user page,
 * or a short stack, wastes no space in the ring.
 */
#ifndef PITRACE_STACK_H
#define PITRACE_STACK_H

#include <linux/string.h>
#include <linux/types.h>
#include "arch/arch.h"
#include "pitrace.h"

struct session;

#define STACK_WORDS (2 * PITRACE_STACK_MAX + ARCH_STACK_EXTRA + ARCH_REGISTERS)

/* Laid out as in the record, except for the data after the used words. */
struct stack_record {
	struct pitrace_stack head;
	u64 words[];
};

/* Checks the arguments for stacks: 0 or -errno. */
int stack_check(const struct pitrace_setup_args *args);
/* Allocates scratch memory for the stacks that the session wants, and frees memory it no longer
 * needs; the session is off. 0 or -ENOMEM. */
int stack_prepare(struct session *s);
void stack_free(struct session *s);

/*
 * Takes the stack of the current thread, interrupted with these registers (NULL: it is being
 * switched out). Call on this CPU with preemption off. Returns NULL if the stack cannot be read;
 * else call stack_done before anything else.
 */
const struct stack_record *stack_take(struct session *s, unsigned int cpu, struct pt_regs *regs);
void stack_done(struct session *s, unsigned int cpu, const struct stack_record *stack);

static inline u32 stack_bytes(const struct stack_record *stack)
{
	const struct pitrace_stack *h = &stack->head;

	return sizeof(*h) + (h->kernel + h->user + h->regs) * sizeof(u64) + h->bytes;
}

static inline void stack_put(void *to, const struct stack_record *stack)
{
	memcpy(to, stack, stack_bytes(stack));
}

#endif
