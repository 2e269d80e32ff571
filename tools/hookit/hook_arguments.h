/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Separates calls of named functions by their arguments: each set of values is a function of its
 * own, NAME(VALUE, ...), with its own number and lines. A return value is one, too, NAME = VALUE,
 * called at the end. Only if a call is reported by the first and the last instruction of the
 * function, when values are where the ABI puts them.
 */
#ifndef HOOK_ARGUMENTS_H
#define HOOK_ARGUMENTS_H

#include "hook_functions.h"

#define ARGUMENT_VALUES 1000 /* of a function; all others share one */

/* The state at an event: the address of the frame's return address, below which general registers
 * are saved (keep.inc), and the XSAVE area with the vector registers. */
struct call_state {
	uintptr_t sp;
	const void *vectors;
};

/* Returns the function for this call's values. at: NULL: its arguments are no longer available.
 * Returns NULL if the table is full. */
struct hook_function *arguments_find(struct hook_function *f, const struct call_state *at);
/* Returns the function for its return value, which is available. */
struct hook_function *arguments_result(struct hook_function *f, const struct call_state *at);
/* Whether the event is that of a return, not of a jump to another function. */
bool arguments_returns(uintptr_t sp);

#endif
