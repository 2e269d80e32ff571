/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "function_frames.h"

#include "joined_calls.h"

static bool is_function(const struct call_thread *t, uint32_t i)
{
	return t->nodes[t->frames[i].node].type == TYPE_FUNCTION;
}

/* Returns how many frames remain: those below the stack pointer have ended; if `at`, also those at
 * it. */
static uint32_t above(const struct call_thread *t, uintptr_t sp, bool at)
{
	uint32_t i = t->depth;

	while (i && i <= t->deepest && is_function(t, i - 1) &&
	       (t->frames[i - 1].at.frame < sp || (at && t->frames[i - 1].at.frame == sp)))
		i--;
	return i;
}

void function_popped(struct call_thread *t, uintptr_t sp, bool by_exception, const uint64_t *values)
{
	uint32_t stay = above(t, sp, false);

	if (stay < t->depth)
		call_popped(t, stay, by_exception ? EVENT_UNWIND : EVENT_POPPED, values);
	else
		call_nothing(t, values);
}

void function_enter(struct call_thread *t, uint32_t number, uintptr_t sp, bool anew,
		    const uint64_t *values)
{
	uint32_t stay = above(t, sp, anew);

	if (stay < t->depth)
		call_forget(t, stay);
	if (t->depth < t->deepest) {
		t->frames[t->depth].at = (struct call_place){ sp, 0 };
		t->frames[t->depth].known = NULL;
	}
	call_enter(t, number, TYPE_FUNCTION, values);
}

/* Returns the number of frames up to the one that ends; 0: not found. For recursive functions, it
 * is the one whose caller's frame is above `sp`. */
static uint32_t find(const struct call_thread *t, uint32_t number, uintptr_t sp)
{
	uint32_t i = t->depth;

	if (i > t->deepest)
		return i;
	for (; i; i--) {
		const struct call_frame *f = &t->frames[i - 1];

		if (!is_function(t, i - 1) ||
		    (number == JOINED_ANY ? f->at.frame != sp : f->method != number))
			continue;
		if (i == 1 || !is_function(t, i - 2) || f[-1].at.frame >= sp)
			return i;
	}
	return 0;
}

void function_end(struct call_thread *t, uint32_t number, uintptr_t sp, const uint64_t *values)
{
	uint32_t at = find(t, number, sp);

	if (at > t->deepest)
		call_end(t, at - 1, t->nodes[t->top].method, EVENT_LEAVE, values);
	else if (at)
		call_end(t, at - 1, t->frames[at - 1].method, EVENT_LEAVE, values);
	else if (number != JOINED_ANY)
		call_end_unknown(t, number, EVENT_LEAVE, values);
	else
		call_nothing(t, values);
}
