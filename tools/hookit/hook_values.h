/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What is asked for of calls' arguments and values (ARGUMENTS=), and where a function has each of
 * them and what it is: as its DWARF says, or the option.
 */
#ifndef HOOK_VALUES_H
#define HOOK_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "a2n/module_functions.h"

enum given_place {
	GIVEN_NOWHERE, /* it cannot be told where it is */
	GIVEN_GENERAL, /* the number: from 0 on, of those that have arguments */
	GIVEN_VECTOR,
	GIVEN_STACK,  /* the number: bytes above the return address */
	GIVEN_RESULT, /* in %rax */
};

struct given_value {
	uint8_t place;
	char format; /* i u x c s f; v: of a struct */
	uint8_t bits;
	uint16_t number;
};

#define GIVEN_MOST 8 /* arguments of a function */

/* Of a function. */
struct call_values {
	const char *name; /* without its parameters */
	uint8_t n;        /* arguments */
	bool has_result;
	struct given_value argument[GIVEN_MOST], result;
};

/* "NAME@argN[/FORMAT]", "NAME@fpargN[/FORMAT]", "NAME@retval[/FORMAT]" with + between them. NULL,
 * or why not. */
const char *values_set(const char *text, size_t n);
/* Whether a function's results are asked for, of any. */
bool values_have_results(void);
/* Whether anything of that function is asked for. name: with its parameters, if it has some; raw:
 * as the file spells it. */
bool values_ask(const char *name);
/* What. s: NULL: not known. false: nothing, or the compiler has changed how it is called, after a
 * message. */
bool values_of(const char *name, const char *raw, const struct signature *s,
	       struct call_values *values);

#endif
