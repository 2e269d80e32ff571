/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requested arguments and return values (ARGUMENTS=): where each of them is in a function, and its
 * type, by DWARF or by the option.
 */
#ifndef HOOK_VALUES_H
#define HOOK_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "a2n/module_functions.h"

enum given_place {
	GIVEN_NOWHERE, /* its place is not known */
	GIVEN_GENERAL, /* number: from 0, of those for arguments */
	GIVEN_VECTOR,
	GIVEN_STACK,  /* number: bytes above the return address */
	GIVEN_RESULT, /* in %rax */
};

struct given_value {
	uint8_t place;
	char format; /* i u x c s f; v: a struct */
	uint8_t bits;
	uint16_t number;
};

#define GIVEN_MOST 8 /* arguments of a function */

/* The requested values of a function. */
struct call_values {
	const char *name; /* without its parameters */
	uint8_t n;        /* arguments */
	bool has_result;
	struct given_value argument[GIVEN_MOST], result;
};

/* Parses "NAME@argN[/FORMAT]", "NAME@fpargN[/FORMAT]", "NAME@retval[/FORMAT]", separated by +.
 * Returns NULL, or the reason of an error. */
const char *values_set(const char *text, size_t n);
/* Whether the return value of any function is requested. */
bool values_have_results(void);
/* Whether any value of the function is requested. name: with its parameters, if it has some; raw:
 * as spelled in the file. */
bool values_ask(const char *name);
/* Determines the function's values. s: NULL: not known. Returns false if there are none, or, after
 * a message, if the compiler changed its parameters. */
bool values_of(const char *name, const char *raw, const struct signature *s,
	       struct call_values *values);

#endif
