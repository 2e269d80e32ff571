/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A call stack at the end of a record. Nothing is copied: the parts point into the record, whose
 * words are 4-byte aligned. Counts are checked against the record's size.
 */
#ifndef POST_STACK_RECORD_H
#define POST_STACK_RECORD_H

#include <stdbool.h>

#include <pifile.h>

/* Records of other tools may have longer copies than the driver's or more calls, but not both. */
#define STACK_COPY_MAX  65536
#define STACK_ADDRESSES 8192

typedef uint64_t stack_word __attribute__((aligned(4)));

/* A flag internal to post: the program's agent walked the stack (input/own_samples.h). */
#define STACK_BY_AGENT 0x0400
/* Another internal flag: the stack is a place in a tree of the input (stack_place.h). Its only
 * address is that of the call; the only word after it is the number of the place. */
#define STACK_PLACE 0x0200

struct stack {
	const struct pitrace_stack *head;
	const stack_word *kernel, *user; /* innermost first */
	const stack_word *regs;
	const uint8_t *copy; /* user memory from the stack pointer up */
};

/* Reads the stack after the first `skip` bytes of a record. false: malformed. */
static inline bool stack_read(const struct pirecord *r, uint32_t skip, struct stack *s)
{
	const struct pitrace_stack *h;
	uint64_t size;

	if (r->type != PITRACE_TYPE_STRUCT || r->size < skip + sizeof(*h))
		return false;
	h = (const void *)((const uint8_t *)r->data + skip);
	if (h->kernel > STACK_ADDRESSES || h->user > STACK_ADDRESSES || h->bytes > STACK_COPY_MAX)
		return false;
	if (h->flags & PITRACE_STACK_COPY ?
		    h->kernel > PITRACE_STACK_MAX || h->user > PITRACE_STACK_MAX :
		    h->regs != !!(h->flags & STACK_PLACE) || h->bytes)
		return false;
	if (h->flags & STACK_PLACE && (h->kernel || h->user != 1 || h->flags & PITRACE_STACK_COPY))
		return false;
	size = skip + sizeof(*h) + 8ull * ((uint32_t)h->kernel + h->user + h->regs) + h->bytes;
	if (size > r->size)
		return false;
	s->head = h;
	s->kernel = (const stack_word *)(h + 1);
	s->user = s->kernel + h->kernel;
	s->regs = s->user + h->user;
	s->copy = (const uint8_t *)(s->regs + h->regs);
	return true;
}

/* Returns the number of the place in the tree. */
static inline uint32_t stack_place_of(const struct stack *s)
{
	return s->regs[0] < UINT32_MAX ? (uint32_t)s->regs[0] : UINT32_MAX;
}

#endif
