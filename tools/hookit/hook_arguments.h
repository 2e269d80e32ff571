/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of named functions apart by what they are given: each set of values makes a function of its
 * own, NAME(VALUE, ...), with a number and lines of its own. What they return makes one, too,
 * NAME = VALUE, that they call at their end. Only where a call is told by its first instruction and
 * its last one, when values are where the ABI has them.
 */
#ifndef HOOK_ARGUMENTS_H
#define HOOK_ARGUMENTS_H

#include "hook_functions.h"

#define ARGUMENT_VALUES 1000 /* of a function; all others are one */

/* Of an event: where the frame's return address lies, below which its registers are (keep.inc); and
 * xsave's area with those of vectors. */
struct call_state {
	uintptr_t sp;
	const void *vectors;
};

/* Which one it is for this call. at: NULL: its arguments are not known any more. NULL: no room. */
struct hook_function *arguments_find(struct hook_function *f, const struct call_state *at);
/* Of what it returns, which is known. */
struct hook_function *arguments_result(struct hook_function *f, const struct call_state *at);
/* Whether the event that is told is that of a return, and not of a jump to another function. */
bool arguments_returns(uintptr_t sp);

#endif
