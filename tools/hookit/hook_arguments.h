/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Calls of named functions apart by what they are given: each value makes a function of its own,
 * NAME(VALUE), with a number and lines of its own. Only where a call is told by its first
 * instruction, when arguments are where the caller has put them.
 */
#ifndef HOOK_ARGUMENTS_H
#define HOOK_ARGUMENTS_H

#include "hook_functions.h"

#define ARGUMENT_VALUES 1000 /* of a function; all others are one */

/* "NAME@argN[/FORMAT]" with + between them. NULL, or why not. */
const char *arguments_set(const char *text, size_t n);
/* Makes a function one of those, if its name is asked for. */
void arguments_ask(struct hook_function *f, const char *name);
/* Which one it is for this call. sp: where its return address lies; 0: its arguments are not known
 * any more. NULL: no room. */
struct hook_function *arguments_find(struct hook_function *f, uintptr_t sp);

#endif
